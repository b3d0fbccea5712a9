"""The tables of opencode's database as sessions with their messages, each with its parts.

Newer versions keep the messages in another table (see `opencode_events`) next to the earlier ones. A session with
messages in both is read from the earlier tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from inspector.core.text import plural
from inspector.formats.building.blocks import fields_of
from inspector.formats.readers.opencode.opencode_events import Entry, entry_of_event, is_silent
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.databases import open_database, rows_at_a_glance, rows_of
from inspector.llm.providers import as_text

_Row = Fields | sqlite3.Row
_TABLES = frozenset({"session", "message", "part"})
_NEWER = "session_message"
_NEWER_COLUMNS = frozenset({"id", "session_id", "type", "data"})
_MAX_KINDS = 5
"""Unknown kinds of rows that are named."""


@dataclass(slots=True)
class Recording:
    """A session with its messages, each with its parts."""

    info: Fields
    messages: list[Entry]
    line: int = 0


def is_database(tables: Mapping[str, frozenset[str]]) -> bool:
    """Return True if a database with these tables and columns is opencode's."""
    is_earlier = tables.keys() >= _TABLES and "data" in tables["part"]
    return is_earlier or (
        "directory" in tables.get("session", ()) and tables.get(_NEWER, frozenset()) >= _NEWER_COLUMNS
    )


def recordings_in(content: Content) -> Iterator[Recording]:
    """Yield the sessions of a database, oldest first. Damaged or unknown rows become problems."""
    try:
        with open_database(content.source.path) as connection:
            yield from _rows_in(connection, content)
    except sqlite3.Error as error:
        content.problems.add(f"the database could not be read to its end ({error})")


def listed_sessions(path: Path) -> list[Fields]:
    """Return the rows of the sessions of a database that have messages, oldest first. Never raises."""
    query = "SELECT * FROM session WHERE id IN (SELECT session_id FROM {}) ORDER BY id"
    tables = ("message", f"{_NEWER} WHERE type IN ('user', 'assistant', 'system', 'synthetic', 'skill', 'shell')")
    rows = {as_text(row["id"]): row for table in tables for row in rows_at_a_glance(path, query.format(table))}
    return [{name: row[name] for name in row.keys()} for _, row in sorted(rows.items())]  # noqa: SIM118


def joined(sessions: Iterable[_Row], messages: Iterable[_Row], parts: Iterable[_Row]) -> Iterator[Recording]:
    """Yield the sessions of the rows of the three tables, with messages and parts in the order of their rows."""
    parts_by_message: dict[str, list[Fields]] = {}
    for row in parts:
        parts_by_message.setdefault(row["message_id"], []).append(fields_of(row["data"]) | {"id": row["id"]})
    by_session: dict[str, list[Entry]] = {}
    for row in messages:
        info = fields_of(row["data"]) | {"id": row["id"]}
        by_session.setdefault(row["session_id"], []).append((info, parts_by_message.get(row["id"], [])))
    for number, row in enumerate(sessions, 1):
        info = {name: row[name] for name in row.keys()}  # noqa: SIM118  a row's own iteration gives its values
        yield Recording(info, by_session.get(row["id"], []), number)


def _rows_in(connection: sqlite3.Connection, content: Content) -> Iterator[Recording]:
    tables = content.sample.tables
    is_earlier = tables.keys() >= _TABLES
    newer = _newer_messages(connection, content) if tables.get(_NEWER, frozenset()) >= _NEWER_COLUMNS else {}
    recordings = joined(
        connection.execute("SELECT * FROM session ORDER BY id"),
        connection.execute("SELECT id, session_id, data FROM message ORDER BY id") if is_earlier else (),
        connection.execute("SELECT id, message_id, data FROM part ORDER BY id") if is_earlier else (),
    )
    for recording in recordings:
        recording.messages = recording.messages or newer.get(as_text(recording.info["id"]), [])
        yield recording


def _newer_messages(connection: sqlite3.Connection, content: Content) -> dict[str, list[Entry]]:
    """Return the messages of the newer table, by session. Messages of unknown kinds become problems."""
    order = "seq, id" if "seq" in content.sample.tables[_NEWER] else "id"
    messages: dict[str, list[Entry]] = {}
    strange: dict[str, int] = {}
    for row in rows_of(connection, f"SELECT id, session_id, type, data FROM {_NEWER} ORDER BY {order}"):
        kind = as_text(row["type"])
        if entry := entry_of_event(kind, as_text(row["id"]), fields_of(row["data"])):
            messages.setdefault(as_text(row["session_id"]), []).append(entry)
        elif not is_silent(kind):
            strange[kind] = strange.get(kind, 0) + 1
    if strange:
        names, count = ", ".join([*strange][:_MAX_KINDS]), sum(strange.values())
        verb = "was" if count == 1 else "were"
        content.problems.add(f"{plural(count, 'row')} of {_NEWER} {verb} left out: of the kinds {names}")
    return messages
