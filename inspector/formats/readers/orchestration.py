"""Agents with a shared memory, as recorded by `inspector.analysis.multi_agent.collaboration_record`.

`{"inspector": "collaboration", "steps": [{"agent_id", "request", "injected", "contribution"}]}`: each step has the
prompt of one agent, the exact text that was injected into it, and the contribution of the agent. Every agent has a
context, which restarts with each prompt; the requests of the person are in the main one.
"""

from __future__ import annotations

from typing import Any, ClassVar

from inspector.core.conversation import MAIN, InMemoryBody, Kind, Message, Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import time_of
from inspector.formats.building.ids import MessageIds, digest, first_words, shorten_title
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.llm.providers import DEFAULT_DIALECT, as_text, message_from_raw

_NO_NAME = "agent"


class Orchestration(Format):
    """Recordings of Inspector's own orchestrator."""

    name = "orchestration"
    features: ClassVar[frozenset[Feature]] = frozenset({"agents", "times"})

    def recognize(self, sample: Sample) -> FormatMatch:
        return FormatMatch(1.0, "a record of this project") if any(map(_is_record, sample.objects)) else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        records = [record for _, record in content.records(progress) if _is_record(record)]
        if not records:
            path = content.source.path
            raise UnreadableError(path, f"{path} contains no orchestration that can be read: choose another file.")
        log = _AgentLog()
        for record in records:
            for number, step in enumerate(record["steps"], 1):
                if isinstance(step, dict):
                    log.add_step(step)
                else:
                    content.problems.add(f"step {number} was left out: it is not an object")
        return [_orchestration(content, log.messages, content.problems)]


def _is_record(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and record.get("inspector") == "collaboration"
        and isinstance(record.get("steps"), list)
    )


def _orchestration(content: Content, messages: list[Message], problems: Problems) -> Session:
    return Session(
        id=digest(*[message.raw for message in messages[:3]], len(messages)),
        title=shorten_title(first_words(messages)) or "agents with a shared memory",
        format=Orchestration.name,
        messages=tuple(messages),
        problems=problems.all(),
        path=content.source.path,
    )


class _AgentLog:
    """Builder of the messages of all agents."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.ids = MessageIds()
        self.heads: dict[str, int] = {}
        self.request = ""
        """Last request of the user."""
        self.contributions: list[str] = []
        """Contributions so far. A request that quotes one, such as a ballot, is not the user's."""

    def add_step(self, step: dict[str, Any]) -> None:
        entry = step.get("contribution")
        contribution = entry if isinstance(entry, dict) else {}
        agent = _words_in(step, "agent_id") or _words_in(contribution, "agent_id") or _NO_NAME
        request, time = _words_in(step, "request"), time_of(contribution.get("timestamp"))
        if request and request != self.request and not any(words in request for words in self.contributions):
            self.request = request
            self.add(MAIN, "user", request, time)
        self.heads[agent] = -1
        if injected := _words_in(step, "injected"):
            self.add(agent, "system", injected, time, kind="injected")
        if request:
            self.add(agent, "user", request, time)
        if text := _words_in(contribution, "content"):
            self.contributions.append(text)
            self.add(agent, "assistant", text, time, _words_in(contribution, "id"), record=contribution)

    def add(
        self,
        agent: str,
        role: str,
        text: str,
        time: str,
        id: str = "",
        *,
        kind: Kind = "chat",
        record: dict[str, Any] | None = None,
    ) -> None:
        raw = {"role": role, "content": text}
        position = len(self.messages)
        message = message_from_raw(
            self.ids.claim(id or f"m{position + 1}"),
            raw,
            DEFAULT_DIALECT,
            body=InMemoryBody(raw, record or {}),
            agent=agent,
            parent=self.heads.get(agent, -1),
            kind=kind,
            time=time,
        )
        self.messages.append(message)
        self.heads[agent] = position


def _words_in(fields: dict[str, Any], key: str) -> str:
    return as_text(fields.get(key) or "")
