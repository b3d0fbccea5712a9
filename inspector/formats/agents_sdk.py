"""Sessions of the OpenAI Agents SDK, in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.conversation import Session
from inspector.formats.base import UNLIKE, Holding, Recognition
from inspector.formats.blocks import fields_of
from inspector.formats.database_format import DatabaseFormat
from inspector.formats.log_builder import LogBuilder
from inspector.formats.sample import Content, Sample
from inspector.providers import as_text, chat_messages

_Fields = dict[str, Any]


class AgentsSDK(DatabaseFormat):
    """Sessions that the OpenAI Agents SDK keeps: a row for each item of the Responses interface."""

    name = "openai-agents"
    title = "OpenAI Agents SDK sessions"
    holds: ClassVar[frozenset[Holding]] = frozenset({"times", "thinking"})
    fields = frozenset({"agent_messages", "agent_sessions", "message_data"})
    page = "https://openai.github.io/openai-agents-python/sessions"

    def recognize(self, sample: Sample) -> Recognition:
        known = any("message_data" in columns and "session_id" in columns for columns in sample.tables.values())
        return Recognition(1.0, "a table of message_data by session_id") if known else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        tables = content.sample.tables
        table = next(name for name, columns in tables.items() if {"message_data", "session_id"} <= columns)
        quoted = '"' + table.replace('"', '""') + '"'
        rows: dict[str, list[_Fields]] = {}
        for number, row in enumerate(connection.execute(f"SELECT * FROM {quoted} ORDER BY rowid"), 1):
            content.coverage.records += 1
            item = fields_of(row["message_data"])
            if item:
                time = as_text(row["created_at"]) if "created_at" in row.keys() else ""  # noqa: SIM118  a row's values
                rows.setdefault(as_text(row["session_id"]), []).append({"item": item, "time": time})
            else:
                content.reject(number, "holds no item of the Responses interface")
        for line, (name, items) in enumerate(rows.items(), 1):
            log = LogBuilder()
            for number, raw in enumerate(chat_messages([row["item"] for row in items]), 1):
                log.add(f"m{number}", raw, {}, time="")
            if log.messages:
                yield log.session(content, self.name, name, line=line if len(rows) > 1 else 0)
