"""Sessions of the Copilot command line: JSON lines of events, linked by their parents.

A reply (`assistant.message`) asks for tools, `tool.execution_complete` has their answers. Hooks and permissions are
between them and are not sent. Sessions before those events are one object each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Part, Session, SizeFacts, named_values
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.blocks import (
    UNRECORDED_SUMMARY,
    blocks_of,
    call_of,
    fields_of,
    objects_of,
    result_of,
    thoughts_of,
    time_of,
)
from inspector.formats.building.log_builder import LogBuilder, LogMark, dialect_for
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, note_missing_head, read_records
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count

_WHERE = (("folder", "cwd"), ("branch", "branch"), ("repository", "repository"))
"""Items of the state of the work, by their fields."""
_MODE = (("permission", "newMode"), ("model", "newModel"), ("effort", "reasoningEffort"))
_AREAS = word_set(
    "session system user assistant tool hook permission subagent skill command external abort pending_messages"
)
"""Prefixes of event types, before the dot."""
_ROLES = ("system", "user", "assistant", "tool")


class CopilotCLI(Format):
    """Events that the Copilot command line keeps for each session."""

    name = "copilot-cli"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", parent="parentId", time="timestamp")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "times", "models", "thinking", "compactions", "sub-agents"}
    )
    page = "https://docs.github.com/copilot/concepts/agents/about-copilot-cli"
    place = "~/.copilot/session-state"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(map(_is_legacy_session, sample.objects)):
            return FormatMatch(0.95, "a session with its chat messages")
        if any(map(_is_event, sample.objects)):
            return FormatMatch(0.95, "events of types such as session.start and assistant.message")
        links = [record for record in sample.objects if _is_link(record)]
        known = links and 2 * len(links) > len(sample.records)
        return (
            FormatMatch(0.85, "events, each with its parentId, of types such as tool.execution_start")
            if known
            else UNLIKE
        )

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        if content.sample.shape == "object" and _is_legacy_session(content.value):
            return [_legacy_session(content, self.name, content.value)]
        events = _Events()
        sessions = read_records(events, content, progress)
        if not any(event["type"] == "session.start" for event in events.events):
            note_missing_head(content, "a session.start")
        return sessions

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_Events(), content)


def _area(record: Fields) -> str:
    kind = record.get("type")
    return kind.partition(".")[0] if (isinstance(kind, str) and "." in kind) or kind == "abort" else ""


def _is_event(record: Fields) -> bool:
    return record.get("type") in ("session.start", "assistant.message", "user.message") and isinstance(
        record.get("data"), dict
    )


def _is_link(record: Fields) -> bool:
    """Return True if a record may be any event: each names the one before it."""
    named = {"id", "timestamp", "parentId"} <= record.keys() and isinstance(record.get("data"), dict)
    return named and _area(record) in _AREAS


class _Events:
    """The events of a session on their way into a log."""

    refusal = "is not an event of a Copilot CLI session"

    def __init__(self) -> None:
        self.events: list[Fields] = []
        self.model = ""
        self.title = ""
        """The first words of the person, without text that the program added."""
        self.models: list[str] = []
        """The main agent's model after each event; "" while another agent is at work."""
        self.tools = 0
        """Tokens of the definitions of the tools, as the program counted them last."""
        self.prompt = 0
        """Tokens of the system prompt, likewise."""
        self.begin()

    def begin(self) -> None:
        """Begin the log, in the dialect of the model as it is known."""
        self.log = LogBuilder(dialect_for(self.model))
        self.agents: dict[str, str] = {}
        """The names of sub-agents, by the calls that started them and by their own ids."""
        self.asked = set[str]()
        """The calls that the person has made."""
        self.started: dict[str, Fields] = {}
        """The calls that were carried out, by their ids, as far as nothing has come of them."""
        self.marks: list[LogMark] = []
        """Length of the log before each of its events."""

    def feed(self, record: Fields, _number: int) -> bool:
        data = record.get("data")
        if _area(record) not in _AREAS or not isinstance(data, dict):
            return False
        self.events.append(record)
        if not _sub_agent_of(record):
            names = (data.get(key) for key in ("newModel", "currentModel", "model", "selectedModel"))
            self.model = next(filter(None, map(as_text, names)), self.model)
            self.models.append(self.model)
        else:
            self.models.append("")
        self.title = self.title or (as_text(data.get("content")) if record["type"] == "user.message" else "")
        self.tools = token_count(data, "toolDefinitionsTokens") or self.tools
        self.prompt = token_count(data, "systemTokens") or self.prompt
        return True

    def session(self, content: Content) -> Session:
        if dialect_for(self.model) != self.log.dialect:
            self.begin()
        for place in range(len(self.marks), len(self.events)):
            self.marks.append(self.log.mark())
            self._add(self.events[place], self.models[place], content)
        start = self.events[0]["data"] if self.events else {}
        has_prompt = any(message.role == "system" and message.agent == MAIN for message in self.log.messages)
        unrecorded = self.tools + (0 if has_prompt else self.prompt)
        return self.log.session(
            content,
            CopilotCLI.name,
            as_text(start.get("sessionId")),
            self.title,
            model=self.model,
            sizes=SizeFacts(unrecorded=unrecorded) if unrecorded else None,
            stated_parts=() if has_prompt else (("system prompt", self.prompt), ("system tools", self.tools)),
        )

    def _add(self, event: Fields, model: str, content: Content) -> None:
        kind, data, name = event["type"], event["data"], as_text(event.get("id"))
        self._note_work(kind, data)
        match kind:
            case "subagent.started":
                self._name_agent(event)
            case "session.snapshot_rewind":
                self._rewind(as_text(data.get("upToEventId")), token_count(data, "eventsRemoved"))
            case "session.truncation":
                count = token_count(data, "messagesRemovedDuringTruncation")
                content.problems.add(
                    f"{count:,} messages were removed from the context here, and it is not recorded which", message=name
                )
            case "tool.user_requested":
                self.asked.add(as_text(data.get("toolCallId")))
            case "tool.execution_start":
                self.started[as_text(data.get("toolCallId"))] = data
            case "tool.execution_complete":
                self._add_lost_call(event, model)
        if add := _ADDERS.get(kind):
            agent = self._agent_of(event)
            if kind == "tool.execution_complete" and as_text(data.get("toolCallId")) in self.asked:
                add = _add_own_result
            facts = {"time": time_of(event.get("timestamp")), "agent": agent}
            add(self.log, name, {"model": model} | data, facts)

    def _note_work(self, kind: str, data: Fields) -> None:
        """Note the folder, the branch and the mode that an event states."""
        match kind:
            case "session.start" | "session.resume":
                self.log.work.note("where", named_values(data.get("context"), _WHERE), MAIN)
            case "session.context_changed":
                self.log.work.note("where", named_values(data, _WHERE), MAIN)
            case "session.mode_changed" | "session.model_change":
                self.log.work.note("mode", named_values(data, _MODE), MAIN)
            case "session.permissions_changed" if isinstance(allows := data.get("allowAllPermissions"), bool):
                self.log.work.note("mode", [("permission", "allow all" if allows else "ask")], MAIN)

    def _add_lost_call(self, event: Fields, model: str) -> None:
        """Add the call that a result answers if no recorded reply made it, for example because the log was cut."""
        key = as_text(event["data"].get("toolCallId"))
        started = self.started.pop(key, None)
        if not started or key in self.asked or key in self.log.tools:
            return
        call = call_of(key, started.get("toolName"), started.get("arguments"))
        facts = {"time": time_of(event.get("timestamp")), "agent": self._agent_of(event)}
        model = as_text(started.get("model")) or model
        self.log.add_parts(
            f"{as_text(event.get('id'))}-call", "assistant", [call], _around(started), model=model, **facts
        )

    def _name_agent(self, event: Fields) -> None:
        """Give a sub-agent a unique name: that of its kind, with a number if there is another."""
        kind = as_text(event["data"].get("agentName")) or "sub-agent"
        count = sum(name.partition(" ")[0] == kind for name in set(self.agents.values()))
        name = f"{kind} {count + 1}" if count else kind
        keys = as_text(event["data"].get("toolCallId")), as_text(event.get("agentId"))
        self.agents |= {key: name for key in keys if key}

    def _agent_of(self, event: Fields) -> str:
        key = _sub_agent_of(event)
        return self.agents.setdefault(key, key) if key else MAIN

    def _rewind(self, id: str, removed: int) -> None:
        """Remove the events of a rewind: those after an event, and that event as well if the number requires it."""
        last = len(self.marks) - 1
        place = next((at for at in range(last, -1, -1) if self.events[at].get("id") == id), last)
        first = place if last - place == removed else place + 1
        if first < last:
            self.log.undo(self.marks[first])


def _sub_agent_of(event: Fields) -> str:
    """Return the call that started the sub-agent of an event, or its id; empty for the main agent's events."""
    return as_text(event["data"].get("parentToolCallId") or event.get("agentId"))


def _add_system(log: LogBuilder, name: str, data: Fields, facts: Fields) -> None:
    log.add_parts(name, "system", blocks_of(data.get("content")), _around(data), **facts)


def _add_user(log: LogBuilder, name: str, data: Fields, facts: Fields) -> None:
    """Add a message of the user as it was sent; the words as typed stay in the record."""
    sent = data.get("transformedContent") or data.get("content")
    log.add_parts(name, "user", blocks_of(sent), data if data.get("transformedContent") else _around(data), **facts)


def _add_reply(log: LogBuilder, name: str, data: Fields, facts: Fields) -> None:
    parts: list[Part] = [
        *thoughts_of(data.get("reasoningText") or data.get("reasoning")),
        *blocks_of(data.get("content")),
        *(
            call_of(call.get("toolCallId"), call.get("name") or call.get("toolName"), call.get("arguments"))
            for call in objects_of(data.get("toolRequests"))
        ),
    ]
    if parts:
        log.add_parts(name, "assistant", parts, _around(data), model=as_text(data.get("model")), **facts)


def _add_result(log: LogBuilder, name: str, data: Fields, facts: Fields) -> None:
    result, error = fields_of(data.get("result")), data.get("error")
    text = result.get("content") if result else fields_of(error).get("message") or as_text(error)
    is_error = data.get("success") is False
    part = result_of(data.get("toolCallId"), text, is_error=is_error)
    log.add_parts(name, "tool", [part], _around(data), **facts)


def _add_own_result(log: LogBuilder, name: str, data: Fields, facts: Fields) -> None:
    """Add the result of a command that the person ran: it answers no call of the model."""
    text = fields_of(data.get("result")).get("content") or fields_of(data.get("error")).get("message")
    log.add_parts(name, "user", blocks_of(text), _around(data), kind="injected", **facts)


def _add_notice(log: LogBuilder, name: str, data: Fields, facts: Fields) -> None:
    log.add_parts(name, "user", blocks_of(data.get("content")), _around(data), kind="injected", **facts)


def _add_compaction(log: LogBuilder, name: str, data: Fields, facts: Fields) -> None:
    """Add a compaction that was finished, with or without its summary."""
    text = data.get("summaryContent") or data.get("summary") or UNRECORDED_SUMMARY
    if data.get("success") is not False and not data.get("error"):
        log.begin_anew(facts["agent"])
        log.add_parts(name, "user", blocks_of(text), _around(data), kind="summary", **facts)
        log.repeat_prompt(facts["agent"])


def _around(data: Fields) -> Fields:
    return {key: value for key, value in data.items() if key not in ("content", "toolRequests", "arguments")}


_ADDERS: Mapping[str, Callable[[LogBuilder, str, Fields, Fields], None]] = {
    "system.message": _add_system,
    "user.message": _add_user,
    "assistant.message": _add_reply,
    "tool.execution_complete": _add_result,
    "system.notification": _add_notice,
    "skill.invoked": _add_notice,
    "session.compaction_complete": _add_compaction,
}


def _is_legacy_session(record: Any) -> bool:
    """Return True if a JSON value is a whole session: its id, and messages in a list."""
    match record:
        case {"sessionId": str(), "chatMessages": [{"role": str(), "content": _}, *_]}:
            return True
    return False


def _legacy_session(content: Content, format: str, record: Fields, line: int = 0) -> Session:
    """Return the session in the object. Raises UnreadableError if it has no message."""
    log = LogBuilder()
    waiting: list[str] = []
    for number, message in enumerate(objects_of(record["chatMessages"]), 1):
        if message.get("role") not in _ROLES:
            content.problems.add(f"element {number} of the messages was left out: it has no speaker")
            continue
        raw = _with_ids(message, number, waiting)
        log.add(f"m{number}", raw, model=as_text(record.get("selectedModel")) if raw["role"] == "assistant" else "")
    model = as_text(record.get("selectedModel"))
    return log.session(content, format, as_text(record.get("sessionId")), model=model, line=line)


def _with_ids(message: Fields, number: int, waiting: list[str]) -> Fields:
    """Return a message whose calls have ids and whose result names one, because some versions wrote neither.

    `waiting` holds the calls that no result has come for.
    """
    raw = {key: value for key, value in message.items() if key in ("role", "content", "tool_calls", "tool_call_id")}
    if calls := objects_of(message.get("tool_calls")):
        named = [
            {"type": "function", **call, "id": as_text(call.get("id")) or f"call-{number}-{place}"}
            for place, call in enumerate(calls, 1)
        ]
        raw["tool_calls"] = named
        waiting[:] = [call["id"] for call in named]
    if message["role"] == "tool":
        name = as_text(message.get("tool_call_id")) or next(iter(waiting), "")
        raw["tool_call_id"] = name
        waiting[:] = [other for other in waiting if other != name]
    return raw
