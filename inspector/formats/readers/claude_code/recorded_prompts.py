"""System prompts and tools in a transcript: newer versions record those of every request.

They are in attachments of the type "prompt_snapshot", often twice: at first without the tools, then as sent. They are
recorded again when a session is resumed, and after a summary; the newest applies to the next request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from inspector.core.conversation import InMemoryBody, Message
from inspector.formats.building.blocks import objects_of
from inspector.formats.readers.claude_code.file_body import WIRE
from inspector.llm.providers import as_text, message_from_raw

SNAPSHOT = "prompt_snapshot"
"""The type of attachment that holds a prompt."""
_SEAM = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__"
"""Marker between the parts of a prompt that all sessions share and the others. It is not sent."""


@dataclass(slots=True)
class RecordedPrompt:
    """System prompt and tools of the requests of one thread."""

    id: str
    time: str = ""
    text: str = ""
    tools: tuple[dict[str, Any], ...] = ()
    """As the requests have them."""

    def feed(self, snapshot: Mapping[str, Any], time: str) -> None:
        """Take in the newest snapshot. It stays as it was in what that does not say."""
        sections = snapshot.get("systemPrompt")
        parts = [sections] if isinstance(sections, str) else sections if isinstance(sections, list) else []
        texts = [part if isinstance(part, str) else as_text(_text_in(part)) for part in parts]
        if text := "\n\n".join(part for part in texts if part and part != _SEAM):
            opening = snapshot.get("cliPrefix")
            self.text = f"{opening}\n\n{text}" if isinstance(opening, str) and opening else text
            self.time = time
        self.tools = tuple(_tools_in(snapshot)) or self.tools


def _text_in(part: Any) -> Any:
    return part.get("text") if isinstance(part, dict) else ""


def _tools_in(snapshot: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the tools of a snapshot. Their `schema` is the definition as sent, or only the parameters."""
    for tool in objects_of(snapshot.get("tools")):
        schema = tool.get("schema")
        if "input_schema" in tool or not isinstance(schema, dict):
            yield tool
        elif "input_schema" in schema or "name" in schema:
            yield {"name": as_text(tool.get("name"))} | schema
        else:
            own = {key: value for key, value in tool.items() if key != "schema"}
            yield own | {"input_schema": schema}


class _Head(NamedTuple):
    """A system prompt in the log."""

    agent: str
    id: str
    text: str
    time: str


class LogWithPrompts:
    """A log with the system prompt of each agent in front. Without any, it is the log itself.

    All contexts of an agent begin with the newest prompt that is recorded for it. Adding messages takes time that is
    linear in them; another prompt rebuilds the whole log.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._heads: list[_Head] = []

    def update(self, log: list[Message], same: int, prompts: Mapping[str, RecordedPrompt]) -> int:
        """Take in a log, the first `same` messages of which are as they were. Gives as many as are the same here.

        `prompts` holds those that are known, by the names of agents that speak in the log.

        Args:
            log: Messages, of which new ones may follow.
            same: Number of messages at the beginning that have not changed since the last call.
            prompts: Known prompts by the names of agents that speak in the log.
        """
        heads = [_Head(agent, prompt.id, prompt.text, prompt.time) for agent, prompt in prompts.items() if prompt.text]
        if not heads and not self._heads:
            self.messages = log
            return same
        if heads != self._heads:
            same, self._heads = 0, heads
            self.messages = [_message_of(head) for head in heads]
        places = {head.agent: place for place, head in enumerate(heads)}
        del self.messages[len(heads) + same :]
        for message in log[same:]:
            before = message.parent + len(heads) if message.parent >= 0 else places.get(message.agent, -1)
            self.messages.append(replace(message, parent=before))
        return len(heads) + same if same else 0


def _message_of(head: _Head) -> Message:
    raw = {"role": "system", "content": head.text}
    body = InMemoryBody(raw, {})
    return message_from_raw(head.id, raw, WIRE.name, body=body, agent=head.agent, parent=-1, time=head.time)
