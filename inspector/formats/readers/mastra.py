"""Databases of Mastra, whose messages have parts in the notation of the AI SDK.

https://mastra.ai/docs/memory: the content of a message is JSON with a `format` and `parts`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Feature, FormatMatch
from inspector.formats.building.blocks import fields_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import rows_of
from inspector.llm.providers import as_text


class Mastra(DatabaseFormat):
    """Threads of Mastra's memory."""

    name = "mastra"
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "thinking"})
    page = "https://mastra.ai/docs/memory"

    def recognize(self, sample: Sample) -> FormatMatch:
        is_own = {"thread_id", "content", "role"} <= sample.tables.get("mastra_messages", frozenset())
        return FormatMatch(1.0, "a table mastra_messages") if is_own else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        logs: dict[str, LibraryLog] = {}
        for row in rows_of(connection, "SELECT * FROM mastra_messages ORDER BY createdAt, rowid"):
            log = logs.setdefault(as_text(row["thread_id"]), LibraryLog())
            fields = fields_of(row["content"]) or {"content": row["content"]}
            if "parts" in fields:
                fields.pop("toolInvocations", None)  # repeats of the parts
            notes: dict[str, Any] = {name: value for name, value in row.items() if name != "content"}
            log.add_message(as_text(row["id"]), role_of(as_text(row["role"])) or "user", fields, notes)
        has_threads = "mastra_threads" in content.sample.tables
        heads = rows_of(connection, "SELECT * FROM mastra_threads") if has_threads else []
        titles = {as_text(row["id"]): as_text(row["title"]) for row in heads}
        for line, (name, log) in enumerate(logs.items(), 1):
            if log.messages:
                yield log.session(content, self.name, name, titles.get(name, ""), line=line if len(logs) > 1 else 0)
