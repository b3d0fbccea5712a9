"""Events of sessions of Claude's Managed Agents.

https://platform.claude.com/docs/en/managed-agents/events-and-streaming: a page or a list of events, one event on each
line, or the recorded calls of a client, `["client.beta.sessions.events.stream", event]`. The events between the start
and the end of a request to the model are one reply, and the end reports its usage. A compaction is recorded without
its summary.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from inspector.core.conversation import Text, Usage
from inspector.core.text import word_set
from inspector.formats.base import Feature, FormatMatch
from inspector.formats.building.blocks import UNRECORDED_SUMMARY, fields_of, objects_of, time_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.llm.providers import as_text, usage_of

_CALLS = word_set("agent.tool_use agent.mcp_tool_use agent.custom_tool_use")
_RESULTS = {
    "agent.tool_result": "tool_use_id",
    "agent.mcp_tool_result": "mcp_tool_use_id",
    "user.custom_tool_result": "custom_tool_use_id",
    "user.tool_result": "tool_use_id",
}
"""Field with the id of the call, by type of the event with its result."""
_SAID = word_set("agent.message agent.thinking")
_DOMAINS = ("user.", "agent.", "session.", "span.")
_SENDING = "events.send"


class ManagedAgents(HistoryFormat):
    """Events of Managed Agents."""

    name = "managed-agents"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "usage", "times", "models", "thinking", "compactions"}
    )
    page = "https://platform.claude.com/docs/en/managed-agents/events-and-streaming"
    mark = "events of a session with an id and a time of processing"
    kind = "event of a session"
    lists = ("data", "events")

    def recognize(self, sample: Sample) -> FormatMatch:
        events = tuple(event for record in sample.records if (event := self.record_in(record)) is not None)
        match = super().recognize(Sample(sample.shape, events))
        return match if events else super().recognize(sample)

    def record_in(self, value: Any) -> Any:
        """Return the event in a recorded call of a client; any other value as it is."""
        match value:
            case [str(name), dict(event)] if name.startswith("client."):
                return event
            case [str(name), [_, {"events": list()}]] if name.endswith(_SENDING):
                return {"type": "session.sent", "processed_at": None}  # the stream repeats what was sent
        return value

    def is_entry(self, record: Fields) -> bool:
        kind = record.get("type")
        return isinstance(kind, str) and (
            (kind.startswith(_DOMAINS) and "processed_at" in record) or _is_resource(record)
        )

    def is_like(self, records: list[Fields]) -> bool:
        listed = [entry for record in records for entry in objects_of(record.get(self._list_in(record)))]
        return super().is_like(records) and any(
            as_text(record.get("type")).startswith(("agent.", "user.", "span.")) for record in (*records, *listed)
        )

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = _EventLog()
        for number, event in entries:
            log.add_event(event, number)
        log.close_reply()
        return [History(log, log.id, log.title)]


def _is_resource(record: Fields) -> bool:
    """Return True if a record is the resource of a session."""
    return record.get("type") == "session" and isinstance(record.get("agent"), dict)


class _EventLog(LibraryLog):
    """A log built event by event."""

    def __init__(self) -> None:
        super().__init__()
        self.id = self.title = self._model = self._time = self._name = ""
        self._blocks: list[Any] = []
        """Blocks of the current reply."""
        self._notes: Fields = {}
        self._known: set[str] = set()
        """Ids of the events so far. A stream may repeat what was listed."""
        self._reply = -1

    def add_event(self, event: Fields, number: int) -> None:
        """Add an event, which may be part of a reply."""
        kind, own = as_text(event.get("type")), as_text(event.get("id"))
        if own and own in self._known:
            return
        self._known.add(own)
        facts: Fields = {"time": time_of(event.get("processed_at"))}
        name = own or f"event-{number}"
        if _is_resource(event):
            self._add_resource(event, name)
        elif kind in _CALLS or kind in _SAID:
            self._add_block(kind, event, name, facts["time"])
        elif kind == "span.model_request_end":
            self.close_reply()
            self._report(event)
        elif kind == "span.model_request_start":
            self.close_reply()
        elif kind in _RESULTS or kind in ("user.message", "agent.thread_context_compacted"):
            self.close_reply()
            self._add_other(kind, event, name, facts)

    def close_reply(self) -> None:
        """Add the reply of the events so far."""
        blocks, self._blocks = self._blocks, []
        if blocks:
            facts: Fields = {"time": self._time, "model": self._model}
            if self.add_message(self._name, "assistant", {"content": blocks}, self._notes, **facts):
                self._reply = len(self.messages) - 1

    def _add_block(self, kind: str, event: Fields, name: str, time: str) -> None:
        if not self._blocks:
            self._name, self._time, self._notes = name, time, {"type": kind}
        if kind in _CALLS:
            server = as_text(event.get("mcp_server_name"))
            tool = as_text(event.get("name"))
            tool = f"mcp__{server}__{tool}" if server else tool
            self._blocks.append({"type": "tool_use", "id": name, "name": tool, "input": event.get("input")})
        elif kind == "agent.thinking":
            words = "\n".join(as_text(block.get("text")) for block in objects_of(event.get("content")))
            self._blocks.append({"type": "thinking", "thinking": words})
        else:
            self._blocks += objects_of(event.get("content"))

    def _add_other(self, kind: str, event: Fields, name: str, facts: Fields) -> None:
        """Add a message of the user, the result of a tool, or a compaction."""
        if kind == "user.message":
            self.add_message(name, "user", {"content": event.get("content")}, _rest(event), **facts)
        elif call := _RESULTS.get(kind):
            result = {
                "type": "tool_result",
                "tool_use_id": as_text(event.get(call)),
                "content": event.get("content"),
                "is_error": event.get("is_error") is True,
            }
            self.add_message(name, "user", {"content": [result]}, _rest(event), **facts)
        else:
            self.begin_anew()
            self.add_parts(name, "user", [Text(UNRECORDED_SUMMARY)], event, kind="summary", **facts)

    def _add_resource(self, session: Fields, name: str) -> None:
        """Read the resource of the session, with its agent."""
        agent = fields_of(session.get("agent"))
        self.id = name
        self.title = as_text(session.get("title"))
        model = agent.get("model")
        self._model = as_text(fields_of(model).get("id") or model)
        if system := as_text(agent.get("system")):
            self.add_message("system", "system", {"content": system}, session)

    def _report(self, event: Fields) -> None:
        """Set the usage of the reply that ends."""
        usage: Usage | None = usage_of(event.get("model_usage"))
        if usage and self._reply >= 0 and self.messages[self._reply].usage is None:
            self.change(self._reply, usage=usage)


def _rest(event: Fields) -> Fields:
    return {key: value for key, value in event.items() if key != "content"}
