"""Events of Claude Code in OTLP JSON (`OTEL_LOGS_EXPORTER=otlp`).

https://code.claude.com/docs/en/monitoring-usage: each event has the id of its session and a number in it. Prompts and
replies are recorded if the user asked for them, results of tools never: an event states only their sizes. With the
bodies of requests, sessions are read from these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from inspector.core.conversation import MAIN, Part, Session, Text, ToolCall
from inspector.core.text import plural
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import call_of, result_of, time_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.building.spans import log_records
from inspector.formats.readers.claude_code.event_bodies import (
    REPLY,
    REQUEST,
    BodyEvent,
    sessions_of_bodies,
    unrecorded_summary,
)
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_PREFIX = "claude_code."
_OWN = frozenset(
    {REQUEST, "user_prompt", "api_request", "api_error", "tool_result", "compaction", "assistant_response"}
)
_OF_MAIN = ("", "main", "repl_main", "sdk", "user")
"""Beginnings of the names of what sends the requests of the main agent."""
_COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")

_ENDS_OF_COUNTS = ("_tokens", "_length", "_bytes", ".sequence")
_DIGITS = 16


class _LoggedEvent(NamedTuple):
    """One event."""

    order: tuple[int, str]
    """Its number in the session, and its time."""
    name: str
    fields: Fields


class ClaudeCodeEvents(Format):
    """Events that Claude Code sends to a collector, each session of which is one session."""

    name = "claude-code-events"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "cost", "times", "models", "thinking", "sub-agents", "compactions"}
    )
    page = "https://code.claude.com/docs/en/monitoring-usage"
    order: ClassVar[RecordOrder] = RecordOrder(calls=False)
    costs = "cost_usd"

    def recognize(self, sample: Sample) -> FormatMatch:
        is_known = any(event.name in _OWN for record in sample.objects for event in _events_in(record))
        return FormatMatch(1.0, "events of Claude Code") if is_known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions: dict[str, list[_LoggedEvent]] = {}
        for number, record in content.records(progress):
            events = _events_in(record) if isinstance(record, dict) else []
            if not events:
                content.reject(number, "has no event of Claude Code")
            for event in events:
                sessions.setdefault(as_text(event.fields.get("session.id")), []).append(event)
        for events in sessions.values():
            _note_gaps(content, events)
        own = unique(one for name, events in sessions.items() for one in self._sessions_of(content, name, events))
        return own or [LogBuilder().session(content, self.name)]

    def _sessions_of(self, content: Content, name: str, events: list[_LoggedEvent]) -> list[Session]:
        """Return the sessions of the bodies that the events of one have, or else the one that they state."""
        events.sort(key=lambda event: event.order)
        bodies = [_body_event(event) for event in events if event.name in (REQUEST, REPLY) or _is_compaction(event)]
        has_requests = any(event.name == REQUEST for event in bodies)
        if has_requests and (own := sessions_of_bodies(content, name, bodies)):
            return [replace(one, format=self.name) for one in own]
        log = _log_of(events)
        return [log.session(content, self.name, name, model=_last_model(events))] if log.messages else []


def _events_in(record: Fields) -> list[_LoggedEvent]:
    """Return the events of Claude Code in a record of a log."""
    events = []
    for entry, name, fields in log_records(record):
        body = fields.get("body")
        own = (name or (body if isinstance(body, str) else "")).removeprefix(_PREFIX)
        if "session.id" in fields:
            fields = {key: _count_or_text(key, value) for key, value in fields.items()}
            time = time_of(fields.get("event.timestamp") or entry.get("timeUnixNano"))
            number = fields.get("event.sequence")
            events.append(_LoggedEvent((number if type(number) is int else -1, time), own, fields))
    return events


def _count_or_text(name: str, value: Any) -> Any:
    """Return the number in a field whose name ends as that of a count, also if it was written as text."""
    is_number = isinstance(value, str) and value.isdecimal() and len(value) < _DIGITS and name.endswith(_ENDS_OF_COUNTS)
    return int(value) if is_number else value


def _note_gaps(content: Content, events: Sequence[_LoggedEvent]) -> None:
    """Report numbers of a session's events that are missing, or that several of them have."""
    numbers = [event.order[0] for event in events if event.order[0] >= 0]
    if not numbers:
        return
    session, different = as_text(events[0].fields.get("session.id")), set(numbers)
    if repeats := len(numbers) - len(different):
        verb = "repeats" if repeats == 1 else "repeat"
        content.problems.add(f"{plural(repeats, 'event')} of the session {session} {verb} the number of another one")
    if missing := max(numbers) - min(numbers) + 1 - len(different):
        verb = "is" if missing == 1 else "are"
        content.problems.add(f"{plural(missing, 'event')} of the session {session} between others {verb} missing")


def _body_event(event: _LoggedEvent) -> BodyEvent:
    agent = _agent_of(event) if "query_source" in event.fields else ""
    return BodyEvent(event.name, agent, event.order[1], event.fields)


def _is_compaction(event: _LoggedEvent) -> bool:
    return event.name == "compaction" and event.fields.get("success") not in (False, "false")


def _last_model(events: Sequence[_LoggedEvent]) -> str:
    own = [event for event in events if event.name == "api_request" and _agent_of(event) == MAIN]
    return as_text(own[-1].fields.get("model")) if own else ""


def _log_of(events: list[_LoggedEvent]) -> LogBuilder:
    """Return the messages that the events of a session state, in the order of their numbers."""
    log = LogBuilder(dialect_for(_last_model(events) or "claude"))
    results = _results_by_request(events)
    for number, event in enumerate(events):
        facts: Fields = {"time": event.order[1], "agent": _agent_of(event)}
        match event.name:
            case "user_prompt":
                text = _text_of(event, "prompt", "prompt_length", "A prompt of {} characters")
                log.add_parts(f"e{number}", "user", [Text(text)], event.fields, **facts)
            case "api_request":
                _add_reply(log, event, number, [(place, events[place]) for place in results.get(number, ())], facts)
            case "api_error":
                text = as_text(event.fields.get("error")) or "The call failed."
                log.add_parts(f"e{number}", "assistant", [Text(text)], event.fields, kind="notice", **facts)
            case "compaction" if _is_compaction(event):
                log.begin_anew()
                words = [Text(unrecorded_summary(event.fields))]
                log.add_parts(f"e{number}", "user", words, event.fields, kind="summary", **facts)
    return log


def _results_by_request(events: Sequence[_LoggedEvent]) -> dict[int, list[int]]:
    """Return the places of the results that belong to each request: of its agent, before its next request."""
    newest: dict[str, int] = {}
    results: dict[int, list[int]] = {}
    for place, event in enumerate(events):
        if event.name == "api_request":
            newest[_agent_of(event)] = place
        elif event.name in ("tool_result", "assistant_response") and (own := newest.get(_agent_of(event))) is not None:
            results.setdefault(own, []).append(place)
    return results


def _add_reply(
    log: LogBuilder, event: _LoggedEvent, number: int, later: Sequence[tuple[int, _LoggedEvent]], facts: Fields
) -> None:
    """Add the reply to a request, with the calls whose results follow it, and these results."""
    sent, out, read, written = (token_count(event.fields, name) for name in _COUNTS)
    texts = [one for _, one in later if one.name == "assistant_response"]
    parts: list[Part] = [
        Text(_text_of(one, "response", "response_length", "A reply of {} characters")) for one in texts
    ]
    calls = [(call, one) for place, one in later if one.name == "tool_result" for call in [_call_of(one, place)]]
    parts += [call for call, _ in calls]
    reply = {"usage": usage_unless_zero(sent + read + written, out, read, written)}
    model = as_text(event.fields.get("model"))
    silent = [Text(f"[A reply of {plural(out, 'token')}, not recorded]")]
    log.add_parts(f"e{number}", "assistant", parts or silent, event.fields, model=model, **reply, **facts)
    for call, result in calls:
        failed = as_text(result.fields.get("success")).lower() == "false"
        text = as_text(result.fields.get("error")) if failed else ""
        text = text or _text_of(result, "tool_output", "tool_result_size_bytes", "A result of {} bytes")
        name = f"{call.id}-result"
        own = {"time": result.order[1], "agent": facts["agent"]}
        log.add_parts(name, "tool", [result_of(call.id, text, is_error=failed)], result.fields, **own)


def _call_of(event: _LoggedEvent, place: int) -> ToolCall:
    arguments = event.fields.get("tool_input") or event.fields.get("tool_parameters")
    return call_of(event.fields.get("tool_use_id") or f"call-{place}", event.fields.get("tool_name"), arguments)


def _text_of(event: _LoggedEvent, name: str, size: str, words: str) -> str:
    """Return a text of an event, or what the event states about its size."""
    text = event.fields.get(name)
    if isinstance(text, str) and text and text != "<REDACTED>":
        return text
    return f"[{words.format(format(token_count(event.fields, size), ','))}, not recorded]"


def _agent_of(event: _LoggedEvent) -> str:
    """Return the agent whose request or call an event states."""
    source = as_text(event.fields.get("agent.id") or event.fields.get("query_source"))
    is_main = not source or source.startswith(tuple(filter(None, _OF_MAIN)))
    return MAIN if is_main else source
