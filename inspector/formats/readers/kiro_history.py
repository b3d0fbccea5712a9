"""Conversations of Kiro CLI and Amazon Q: the values of their database, or JSON with one.

https://kiro.dev/docs/cli: an entry has what the user sent (a prompt, or results of tools) and what the model answered.
The entries outside of `valid_history_range` are no longer sent, and `latest_summary` replaces them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Session, SizeFacts
from inspector.formats.base import UNLIKE, Feature, FormatMatch, SessionHead
from inspector.formats.building.blocks import decode_json, fields_of, objects_of, time_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import rows_at_a_glance, rows_of
from inspector.formats.reading.history_format import History, HistoryFormat
from inspector.llm.providers import as_text, token_count

_TABLES = ("conversations_v2", "conversations")
_FEATURES: frozenset[Feature] = frozenset({"times", "models", "compactions", "context window"})


class KiroHistory(HistoryFormat):
    """Exported conversations of Kiro CLI and Amazon Q."""

    name = "kiro-history"
    features: ClassVar[frozenset[Feature]] = _FEATURES
    page = "https://kiro.dev/docs/cli"
    mark = "a history of a user and an assistant"
    kind = "conversation"

    def is_history(self, record: Fields) -> bool:
        return bool(_entries_in(record)) or bool(_messages_in(record))

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        yield _history_of(record)


def _entries_in(record: Fields) -> list[Fields]:
    """Return the entries of a conversation, in which each has a user and an assistant."""
    rows = objects_of(record.get("history")) if "conversation_id" in record else []
    return rows if any(isinstance(fields_of(row.get("user")).get("content"), dict) for row in rows) else []


def _messages_in(record: Fields) -> list[Fields]:
    """Return the messages in the value of a row."""
    value = decode_json(record.get("value")) if "conversation_id" in record else None
    rows = objects_of(fields_of(value).get("messages"))
    return rows if rows and all("role" in row for row in rows) else []


def _history_of(record: Fields) -> History:
    log = LibraryLog()
    for number, message in enumerate(_messages_in(record), 1):
        log.add_message(f"m{number}", role_of(as_text(message["role"])) or "user", message, {})
    entries = _entries_in(record)
    info = fields_of(record.get("model_info"))
    model, limit = as_text(info.get("model_id") or record.get("model")), token_count(info, "context_window_tokens")
    start = _first_sent(record, len(entries))
    for number, entry in enumerate(entries):
        if number == start:
            log.begin_anew()
            _add_summary(log, record)
        _add_entry(log, entry, number + 1, model)
    facts: Fields = {"model": model} | ({"sizes": SizeFacts(limit=limit)} if limit else {})
    return History(log, as_text(record["conversation_id"]), facts=facts)


def _first_sent(record: Fields, count: int) -> int:
    """Return the position of the first entry that is still sent, or -1 if all are."""
    match record.get("valid_history_range"):
        case [int(start), int()] if 0 < start < count:
            return start
    return -1


def _add_summary(log: LibraryLog, record: Fields) -> None:
    summary = record.get("latest_summary")
    text = summary[0] if isinstance(summary, list) and summary else summary
    if isinstance(text, str):
        log.add_message("summary", "user", {"content": text}, {}, kind="summary")


def _add_entry(log: LibraryLog, entry: Fields, number: int, model: str) -> None:
    """Add what the user sent and what the model answered."""
    user = fields_of(entry.get("user"))
    time = time_of(user.get("timestamp"))
    sent = fields_of(user.get("content"))
    results = fields_of(sent.get("ToolUseResults") or sent.get("CancelledToolUses"))
    blocks: list[Any] = [_kiro_result(row) for row in objects_of(results.get("tool_use_results"))]
    prompt = fields_of(sent.get("Prompt") or sent.get("CancelledToolUses")).get("prompt")
    context = as_text(user.get("additional_context"))
    blocks += [text for text in (context, prompt) if isinstance(text, str) and text]
    log.add_message(f"e{number}-user", "user", {"content": blocks}, {"env": user.get("env_context")}, time=time)
    said = fields_of(entry.get("assistant"))
    answer = fields_of(said.get("Response") or said.get("ToolUse"))
    calls = [_kiro_call(row) for row in objects_of(answer.get("tool_uses"))]
    text = as_text(answer.get("content"))
    metadata = fields_of(entry.get("request_metadata"))
    ended = time_of(metadata.get("stream_end_timestamp_ms"))
    name = as_text(answer.get("message_id")) or f"e{number}"
    fields = {"content": [*([text] if text else []), *calls]}
    own = as_text(metadata.get("model_id")) or model
    log.add_message(name, "assistant", fields, metadata, time=ended or time, model=own)


def _kiro_call(row: Fields) -> Fields:
    return {"type": "tool_call", "id": row.get("id"), "name": row.get("name"), "input": row.get("args")}


def _kiro_result(row: Fields) -> Fields:
    content = [fields_of(block).get("Text", fields_of(block).get("Json")) for block in objects_of(row.get("content"))]
    text = "\n".join(as_text(block) for block in content if block is not None)
    is_error = as_text(row.get("status")).lower() == "error"
    return {"type": "tool_result", "tool_use_id": row.get("tool_use_id"), "content": text, "is_error": is_error}


class KiroDatabase(DatabaseFormat):
    """Databases of Kiro CLI and Amazon Q."""

    name = "kiro-database"
    features: ClassVar[frozenset[Feature]] = _FEATURES
    page = "https://kiro.dev/docs/cli"
    place = "~/.local/share/kiro-cli"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = any({"key", "value"} <= sample.tables.get(table, frozenset()) for table in _TABLES)
        return FormatMatch(1.0, "conversations with a key and a value") if known else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        tables = [table for table in _TABLES if table in content.sample.tables]
        rows = [row for table in tables for row in rows_of(connection, f"SELECT * FROM {table} ORDER BY rowid")]
        for line, row in enumerate(rows, 1):
            value = fields_of(row["value"])
            value.setdefault("conversation_id", row["conversation_id"] or f"c{line}")
            if not _entries_in(value):
                continue
            one = _history_of(value)
            if one.log.messages:
                yield one.log.session(content, self.name, one.id, line=line if len(rows) > 1 else 0, **one.facts)

    def heads(self, path: Path) -> list[SessionHead]:
        """Return one head for the whole database: what its values contain is only known when they are read."""
        rows = rows_at_a_glance(path, f"SELECT key FROM {_TABLES[0]}")
        return [SessionHead(path.stem, as_text(row["key"])) for row in rows] if len(rows) == 1 else []
