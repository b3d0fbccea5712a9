"""Databases of OpenClaw: rows with the session records of pi.

https://github.com/openclaw/openclaw: rows of `transcript_events` hold the records as JSON, or compressed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Feature, FormatMatch, SessionHead
from inspector.formats.building.blocks import fields_of
from inspector.formats.readers.pi import PiSession
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import rows_at_a_glance, rows_of
from inspector.llm.providers import as_text

_TABLE = "transcript_events"
_COLUMNS = frozenset({"session_id", "seq", "event_json"})
_LIST = f"""
    SELECT session_id, max(created_at) AS time FROM {_TABLE} WHERE event_json LIKE '%"message"%'
    GROUP BY session_id ORDER BY session_id"""


class OpenClaw(DatabaseFormat):
    """Transcripts in the database of an agent."""

    name = "openclaw"
    costs: ClassVar[str] = "usage.cost.total"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"usage", "cost", "times", "models", "thinking", "compactions", "branches"}
    )
    page = "https://github.com/openclaw/openclaw"
    place = "~/.openclaw/agents"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = sample.tables.get(_TABLE, frozenset()) >= _COLUMNS
        return FormatMatch(1.0, "a table of transcript_events with JSON in it") if known else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        sessions: dict[str, list[dict[str, Any]]] = {}
        for number, row in enumerate(rows_of(connection, f"SELECT * FROM {_TABLE} ORDER BY session_id, seq"), 1):
            content.coverage.records += 1
            if record := fields_of(row["event_json"]):
                sessions.setdefault(as_text(row["session_id"]), []).append(record)
            else:
                reason = "is compressed, which is not read here" if row["event_zstd"] else "holds no JSON object"
                content.reject(number, reason)
        kept = {name: records for name, records in sessions.items() if any(map(_is_message, records))}
        for line, (name, records) in enumerate(kept.items(), 1):
            yield _session_of_records(content, name, records, line if len(kept) > 1 else 0)

    def heads(self, path: Path) -> list[SessionHead]:
        times = {as_text(row["session_id"]): row["time"] for row in rows_at_a_glance(path, _LIST)}
        return [
            SessionHead(name, time=time / 1000 if isinstance(time, int | float) else 0.0)
            for name, time in times.items()
        ]


def _is_message(record: dict[str, Any]) -> bool:
    return record.get("type") == "message"


def _session_of_records(content: Content, name: str, records: list[dict[str, Any]], line: int) -> Session:
    reading = PiSession()
    for number, record in enumerate(records, 1):
        if not reading.feed(record, number):
            content.reject(number, reading.refusal)
    session = reading.session(content)
    return replace(session, format=OpenClaw.name, id=name, line=line)
