"""Values in the tables and records of memory libraries: texts, scopes and topics."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import orjson

from inspector.core.text import dumps
from inspector.formats.reading.databases import LooseRow, rows_of


def _table_name(name: str) -> str:
    """Return the name of a table for a query."""
    return '"' + name.replace('"', '""') + '"'


def table_rows(connection: sqlite3.Connection, table: str, order: str = "rowid") -> list[LooseRow]:
    return rows_of(connection, f"SELECT * FROM {_table_name(table)} ORDER BY {order}")


def cell_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def json_value(value: Any) -> Any:
    """Return the JSON value in a column, or the column itself if it is none."""
    try:
        return orjson.loads(value) if isinstance(value, str | bytes) else value
    except orjson.JSONDecodeError:
        return cell_text(value)


TEXT_FIELDS = ("content", "memory", "text", "data", "value", "fact", "summary", "observation", "document")
"""Fields in which libraries keep the text of a memory."""


def text_of_value(value: Any, depth: int = 0) -> str:
    """Return the text of a memory that is kept as a JSON value."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and depth < 4:
        for name in TEXT_FIELDS:
            if value.get(name) and (text := text_of_value(value[name], depth + 1)):
                return text
    return "" if value is None else dumps(value)


def topics_of(value: Any) -> tuple[str, ...]:
    value = json_value(value)
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),) if value else ()


def scope_text(row: Mapping[str, Any]) -> str:
    """Return the scope of a record by its ids of users, agents and so on: `user:ana/agent:shop`."""
    pairs = (("user", "user_id"), ("user", "userId"), ("agent", "agent_id"), ("team", "team_id"), ("run", "run_id"))
    return "/".join(f"{kind}:{row[name]}" for kind, name in pairs if row.get(name))


def first_cell(row: LooseRow, *names: str) -> str:
    return next((cell_text(row[name]) for name in names if row[name]), "")


def rows_if_any(connection: sqlite3.Connection, query: str) -> list[LooseRow]:
    """Return the rows of a query; none if the database lacks its table."""
    try:
        return rows_of(connection, query)
    except sqlite3.Error:
        return []
