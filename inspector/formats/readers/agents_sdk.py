"""Sessions of the OpenAI Agents SDK, in SQLite.

https://openai.github.io/openai-agents-python/sessions: `AdvancedSQLiteSession` adds tables with the branches of a
session and the usage of each turn of the user.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from inspector.core.conversation import Session
from inspector.core.text import plural
from inspector.formats.base import UNLIKE, Feature, FormatMatch
from inspector.formats.building.blocks import fields_of, time_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.building.traces import counted, usage_fields
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import LooseRow, rows_of
from inspector.llm.providers import as_text, placed_messages, token_count, usage_of

_STRUCTURE = frozenset({"session_id", "message_id", "branch_id", "sequence_number"})
_COSTS = frozenset({"session_id", "branch_id", "user_turn_number", "requests", "input_tokens", "output_tokens"})
_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?")
"""Timestamp format of SQLite."""


class _ItemRow(NamedTuple):
    """An item of the Responses API, with the row that contains it."""

    fields: Fields
    time: str
    row: Any


class _Branch(NamedTuple):
    """Content of a branch of a session."""

    name: str
    items: list[_ItemRow]
    turns: list[Any]
    """Number of the user's turn of each item."""


class AgentsSDK(DatabaseFormat):
    """Sessions of the OpenAI Agents SDK, with a row for each item of the Responses API."""

    name = "openai-agents"
    features: ClassVar[frozenset[Feature]] = frozenset({"usage", "times", "thinking", "branches"})
    page = "https://openai.github.io/openai-agents-python/sessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = any("message_data" in columns and "session_id" in columns for columns in sample.tables.values())
        return FormatMatch(1.0, "a table of message_data by session_id") if known else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        structure = _rows_by_session(connection, content, "message_structure", _STRUCTURE)
        costs = _rows_by_session(connection, content, "turn_usage", _COSTS)
        sessions = _items_by_session(connection, content)
        for line, (name, items) in enumerate(sessions.items(), 1):
            log = _SessionLog()
            branches = _branches_of(items, structure.get(name, []))
            for branch in branches:
                log.add_branch(branch, [row for row in costs.get(name, ()) if row["branch_id"] == branch.name])
            kept = {item.row for branch in branches for item in branch.items}
            if left_out := sum(item.row not in kept for item in items):
                content.problems.add(f"{plural(left_out, 'item')} of session {line} left out: in none of its branches")
            if log.sums:
                together = f"{plural(log.sums, 'turn')} of session {line}"
                content.problems.add(f"the usage of {together} covers several requests: no message has usage")
            if log.messages:
                yield log.session(content, self.name, name, line=line if len(sessions) > 1 else 0)


def _items_by_session(connection: sqlite3.Connection, content: Content) -> dict[str, list[_ItemRow]]:
    """Return the items of each session, in order. Raises sqlite3.Error."""
    tables = content.sample.tables
    table = next(name for name, columns in tables.items() if {"message_data", "session_id"} <= columns)
    quoted = '"' + table.replace('"', '""') + '"'
    items: dict[str, list[_ItemRow]] = {}
    for number, row in enumerate(rows_of(connection, f"SELECT * FROM {quoted} ORDER BY rowid"), 1):
        content.coverage.records += 1
        if fields := fields_of(row["message_data"]):
            key = number if row["id"] is None else row["id"]
            items.setdefault(as_text(row["session_id"]), []).append(_ItemRow(fields, _time_of(row["created_at"]), key))
        else:
            content.reject(number, "contains no item of the Responses API")
    return items


def _time_of(value: Any) -> str:
    """Convert a time to ISO text. Times of SQLite are in UTC."""
    time = time_of(value)
    return f"{time.replace(' ', 'T')}Z" if _UTC.fullmatch(time) else time


def _rows_by_session(
    connection: sqlite3.Connection, content: Content, table: str, columns: frozenset[str]
) -> dict[str, list[LooseRow]]:
    """Return the rows of an optional table. Raises sqlite3.Error."""
    rows: dict[str, list[LooseRow]] = {}
    if content.sample.tables.get(table, frozenset()) >= columns:
        for row in rows_of(connection, f"SELECT * FROM {table} ORDER BY rowid"):
            rows.setdefault(as_text(row["session_id"]), []).append(row)
    return rows


def _branches_of(items: list[_ItemRow], structure: list[LooseRow]) -> list[_Branch]:
    """Return the branches of a session, the most recently written one last.

    A session of which no structure was kept is one branch without a name.
    """
    if not structure:
        return [_Branch("", items, [None] * len(items))]
    by_row = {item.row: item for item in items}
    branches: dict[str, _Branch] = {}
    for row in sorted(structure, key=lambda row: token_count(row, "sequence_number")):
        name = as_text(row["branch_id"])
        branch = branches.pop(name, None) or _Branch(name, [], [])
        branches[name] = branch  # behind those that were written to before
        if row["message_id"] in by_row:
            branch.items.append(by_row[row["message_id"]])
            branch.turns.append(row["user_turn_number"])
    return list(branches.values())


class _SessionLog(LogBuilder):
    """Return the branches of a session, each from the item at which it diverges."""

    def __init__(self) -> None:
        super().__init__()
        self.sums = 0
        """Turns whose usage is a sum over several requests."""
        self._places: dict[tuple[int, Any], int] = {}
        """Position of a message by the position of the previous message and the row of its first item."""

    def add_branch(self, branch: _Branch, costs: Sequence[Fields]) -> None:
        """Add the items that only this branch has. `costs` are the rows with the usage of its turns."""
        after = -1
        replies: dict[Any, int] = {}
        for first, raw in placed_messages([item.fields for item in branch.items]):
            item, key = branch.items[first], (after, branch.items[first].row)
            if key not in self._places:
                name = f"m{len(self._places) + 1}"
                self._places[key] = self.add(name, raw, {}, after=after, time=item.time)
            after = self._places[key]
            if self.messages[after].is_reply:
                replies[branch.turns[first]] = after
        for row in costs:
            if (place := replies.get(row["user_turn_number"])) is not None:
                self._add_usage(place, row)

    def _add_usage(self, place: int, row: Fields) -> None:
        """Add the usage of a turn to its last reply, unless it is a sum over several requests."""
        if row["requests"] != 1:
            self.sums += 1
            return
        cached = counted(fields_of(row["input_tokens_details"]), "cached_tokens")
        counts = usage_fields(counted(row, "input_tokens"), counted(row, "output_tokens"), cached)
        self.change(place, usage=usage_of(counts))
