"""Sessions of Google's Agent Development Kit: databases, exported sessions, and evaluation sets.

https://google.github.io/adk-docs/sessions: an event has the content of the Gemini API and the usage of its call. In
older databases the content is a separate column, and actions are pickled, which is never read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Role, Session
from inspector.formats.base import UNLIKE, Feature, FormatMatch, SessionHead
from inspector.formats.building.blocks import decode_json, fields_of, objects_of, time_of
from inspector.formats.building.library_log import LibraryLog, library_usage
from inspector.formats.building.message_heuristics import tools_in
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import LooseRow, rows_at_a_glance, rows_of
from inspector.formats.reading.history_format import History, HistoryFormat
from inspector.formats.reading.record_order import RecordOrder
from inspector.llm.providers import as_text

_FEATURES: frozenset[Feature] = frozenset({"usage", "times", "models", "thinking"})
_PAGE = "https://google.github.io/adk-docs/sessions"
_HEADS = "SELECT app_name, id, state, update_time FROM sessions ORDER BY create_time, id"


class AgentKit(HistoryFormat):
    """Exported sessions, and the conversations of evaluation sets."""

    name = "google-adk"
    order: ClassVar[RecordOrder] = RecordOrder(
        id="id invocation_id", time="timestamp creation_timestamp", lists="events eval_cases.conversation"
    )
    features: ClassVar[frozenset[Feature]] = _FEATURES | {"system prompt", "tools"}
    page = _PAGE
    mark = "events with an author and content, or cases of an evaluation"
    kind = "session"

    def is_history(self, record: Fields) -> bool:
        return _is_session(record) or bool(_cases_in(record))

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        if _is_session(record):
            yield _session_of(record)
        for number, (name, turns) in enumerate(_cases_in(record), 1):
            log = LibraryLog()
            for place, turn in enumerate(turns, 1):
                _add_turn(log, turn, f"m{place}")
            yield History(log, name, facts={"line": number if len(_cases_in(record)) > 1 else 0})

    def is_entry(self, record: Fields) -> bool:
        return isinstance(record.get("query"), str) and "expected_tool_use" in record

    def history_of(self, entries: list[tuple[int, Fields]], content: Content) -> Iterable[History]:
        log = LibraryLog()
        for number, record in entries:
            _add_turn(log, _expected_turn(record), f"m{number}")
        return [History(log)]


def _is_session(record: Fields) -> bool:
    events = objects_of(record.get("events"))
    return "id" in record and any("author" in event and isinstance(event.get("content"), dict) for event in events)


def _session_of(record: Fields) -> History:
    requests = [fields_of(entry.get("model_request")) for entry in objects_of(record.get("event_logs"))]
    newest: Fields = next((request for request in reversed(requests) if request), {})
    log = LibraryLog()
    prompt = fields_of(newest.get("config")).get("system_instruction")
    log.add_message("system", "system", prompt if isinstance(prompt, dict) else {"content": prompt}, {})
    for number, event in enumerate(objects_of(record["events"]), 1):
        add_event(log, event, f"m{number}")
    model = as_text(newest.get("model")) or next((one.model for one in reversed(log.messages) if one.model), "")
    return History(
        log,
        as_text(record["id"]),
        facts={"model": model, "tools": tuple(tools_in(newest)), "records_system": bool(newest)},
    )


def add_event(log: LibraryLog, event: Fields, name: str) -> None:
    """Add an event of a session, which may be incomplete text that a later event repeats."""
    content = fields_of(event.get("content"))
    if event.get("partial") in (True, 1, "1") or not content:
        return
    usage = fields_of(event.get("usage_metadata") or event.get("usageMetadata"))
    notes = {key: value for key, value in event.items() if key not in ("content", "usage_metadata", "usageMetadata")}
    role: Role = "assistant" if content.get("role") == "model" else "user"
    parts = [_used_fields(part) for part in objects_of(content.get("parts"))]
    own = as_text(event.get("id")) or name
    model = as_text(event.get("model_version") or event.get("modelVersion"))
    facts = {"usage": library_usage(_camel(usage)), "model": model, "time": time_of(event.get("timestamp"))}
    log.add_message(own, role, {"parts": parts}, notes, **facts)


def _used_fields(part: Fields) -> Fields:
    """Return a part without the fields that are null."""
    return {key: value for key, value in part.items() if value is not None}


def _camel(usage: Fields) -> Fields:
    """Return usage with the field names of the Gemini API."""
    words = ((name, name.split("_")) for name in usage)
    names = {name: first + "".join(map(str.capitalize, rest)) for name, (first, *rest) in words}
    return {names[name]: value for name, value in usage.items()}


def _cases_in(record: Fields) -> list[tuple[str, list[Fields]]]:
    """Return the id and the turns of each case of an evaluation set."""
    cases = [(as_text(case.get("eval_id")), objects_of(case.get("conversation"))) for case in _listed_cases(record)]
    if isinstance(record.get("data"), list) and "initial_state" in record:
        cases.append((as_text(record.get("name")), [*map(_expected_turn, objects_of(record["data"]))]))
    return [(name, turns) for name, turns in cases if any("user_content" in turn for turn in turns)]


def _listed_cases(record: Fields) -> list[Fields]:
    return objects_of(record.get("eval_cases")) if "eval_set_id" in record else []


def _expected_turn(row: Fields) -> Fields:
    """Return a turn of the older evaluation files in the form of the newer ones."""
    tools = objects_of(row.get("expected_tool_use"))
    calls = [{"name": tool.get("tool_name"), "args": tool.get("tool_input")} for tool in tools]
    said = {"role": "model", "parts": [{"text": as_text(row.get("reference"))}]}
    asked = {"role": "user", "parts": [{"text": as_text(row.get("query"))}]}
    return {"user_content": asked, "final_response": said, "intermediate_data": {"tool_uses": calls}}


def _add_turn(log: LibraryLog, turn: Fields, name: str) -> None:
    """Add a question, the calls and results in between, and the answer."""
    steps = fields_of(turn.get("intermediate_data"))
    time = time_of(turn.get("creation_timestamp"))
    contents = [
        fields_of(turn.get("user_content")),
        {"role": "model", "parts": [{"function_call": call} for call in objects_of(steps.get("tool_uses"))]},
        {"role": "user", "parts": [{"function_response": one} for one in objects_of(steps.get("tool_responses"))]},
        fields_of(turn.get("final_response")),
    ]
    for content in contents:
        add_event(log, {"content": content, "timestamp": time}, name)


class AgentKitDatabase(DatabaseFormat):
    """Databases of sessions, of all versions of the kit."""

    name = "google-adk-db"
    features: ClassVar[frozenset[Feature]] = _FEATURES
    page = _PAGE
    place = ".adk/session.db"

    def recognize(self, sample: Sample) -> FormatMatch:
        events = sample.tables.get("events", frozenset())
        is_own = {"app_name", "session_id", "invocation_id"} <= events and "app_name" in sample.tables.get(
            "sessions", ()
        )
        return FormatMatch(1.0, "events of an app's sessions") if is_own else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        rows: dict[str, list[LooseRow]] = {}
        for row in rows_of(connection, "SELECT * FROM events ORDER BY timestamp, rowid"):
            rows.setdefault(as_text(row["session_id"]), []).append(row)
        heads = rows_of(connection, _HEADS)
        for line, head in enumerate(heads, 1):
            log = LibraryLog()
            for number, row in enumerate(rows.get(as_text(head["id"]), ()), 1):
                add_event(log, _event_of(row), f"m{number}")
            if log.messages:
                model = next((one.model for one in reversed(log.messages) if one.model), "")
                facts: dict[str, Any] = {"model": model, "line": line if len(heads) > 1 else 0}
                yield log.session(content, self.name, as_text(head["id"]), _title_of(head), **facts)

    def heads(self, path: Path) -> list[SessionHead]:
        query = _HEADS.replace("ORDER", "WHERE id IN (SELECT session_id FROM events) ORDER")
        return [
            SessionHead(_title_of(row) or as_text(row["app_name"]), "", _seconds(row["update_time"]))
            for row in rows_at_a_glance(path, query)
        ]


def _event_of(row: LooseRow) -> Fields:
    """Return the event in a row, whose columns are its fields or one JSON text."""
    if event := fields_of(row.get("event_data")):
        return event
    return {name: decode_json(value) for name, value in row.items() if not isinstance(value, bytes)}


def _title_of(head: LooseRow) -> str:
    state = fields_of(head.get("state"))
    return as_text(fields_of(state.get("__session_metadata__")).get("displayName"))


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
