"""Sessions of Goose: its database, exports of `goose session export`, and the JSON lines of earlier versions.

https://github.com/block/goose: messages that a compaction removed stay as rows that the model does not see any more
(see `goose_log`). The usage of replies is in a separate ledger.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.core.text import plural
from inspector.formats.base import UNLIKE, Feature, FormatMatch, SessionHead
from inspector.formats.building.blocks import decode_json, fields_of, objects_of
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.readers.goose.goose_log import GooseLog, GooseMessage
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import rows_at_a_glance, rows_of
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_COLUMNS = frozenset({"session_id", "role", "content_json", "created_timestamp"})
_LIST = """
    SELECT * FROM sessions WHERE id IN (SELECT session_id FROM messages) ORDER BY id"""


class Goose(DatabaseFormat):
    """The database of Goose, its exports and its earlier files."""

    name = "goose"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", time="created")
    features: ClassVar[frozenset[Feature]] = frozenset({"usage", "times", "models", "thinking", "compactions"})
    page = "https://github.com/block/goose"
    place = "~/.local/share/goose/sessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        if sample.shape == "database":
            tables = sample.tables
            known = tables.get("messages", frozenset()) >= _COLUMNS and "working_dir" in tables.get("sessions", ())
            return FormatMatch(1.0, "tables of sessions with a working_dir, and of messages") if known else UNLIKE
        if sample.shape == "object":
            known = "working_dir" in sample.objects[0] and _has_messages(sample.objects[0].get("conversation"))
            return FormatMatch(0.95, "a working_dir and a conversation") if known else UNLIKE
        return _match_of_lines(sample)

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        if content.sample.shape == "database":
            return super().read(content, progress)
        if content.sample.shape == "object":
            content.coverage.records += 1
            return [_goose_session(content, content.value, objects_of(content.value["conversation"]), [])]
        return [_session_of_lines(content, progress)]

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        messages: dict[str, list[Fields]] = {}
        for row in rows_of(connection, "SELECT * FROM messages ORDER BY created_timestamp, rowid"):
            messages.setdefault(as_text(row["session_id"]), []).append(_message_of_row(row))
        has_ledger = {"session_id", "created_timestamp"} <= content.sample.tables.get("usage_ledger", frozenset())
        ledger: dict[str, list[Fields]] = {}
        for row in rows_of(connection, "SELECT * FROM usage_ledger ORDER BY rowid") if has_ledger else ():
            ledger.setdefault(as_text(row["session_id"]), []).append(row)
        infos = rows_of(connection, "SELECT * FROM sessions ORDER BY id")
        strays = messages.keys() - {as_text(info["id"]) for info in infos}
        kept = [
            info for info in [*infos, *({"id": name} for name in sorted(strays))] if as_text(info["id"]) in messages
        ]
        for line, info in enumerate(kept, 1):
            name = as_text(info["id"])
            if not any(message["content"] for message in messages[name]):
                content.problems.add(f"session {line} has no message in it")
                continue
            yield _goose_session(content, info, messages[name], ledger.get(name, []), line if len(kept) > 1 else 0)

    def heads(self, path: Path) -> list[SessionHead]:
        return [_head_of(row) for row in rows_at_a_glance(path, _LIST)]


def _has_messages(records: Any) -> bool:
    """Return True if some records are messages of Goose."""
    own = objects_of(records)
    return bool(own) and all("role" in record and isinstance(record.get("content"), list) for record in own)


def _match_of_lines(sample: Sample) -> FormatMatch:
    """Return the match of a session in lines. One without its head is known by its calls."""
    heads = [record for record in sample.objects if "working_dir" in record and "role" not in record]
    messages = [record for record in sample.objects if "role" in record]
    if heads and _has_messages(messages):
        return FormatMatch(0.95, "a record with a working_dir, and messages after it")
    known = bool(messages) and all(isinstance(message.get("created"), int) for message in messages)
    kinds = {as_text(block.get("type")) for message in messages for block in objects_of(message.get("content"))}
    known = known and not kinds.isdisjoint(("toolRequest", "toolResponse"))
    return FormatMatch(0.9, "messages with requests to tools and responses") if known else UNLIKE


def _message_of_row(row: Fields) -> Fields:
    """Return a row of the database as an exported message."""
    return {
        "id": row["message_id"] or as_text(row["id"]),
        "role": row["role"],
        "created": row["created_timestamp"],
        "content": decode_json(row["content_json"]),
        "metadata": fields_of(row["metadata_json"]),
    }


def _session_of_lines(content: Content, progress: Progress | None) -> Session:
    info: Fields = {}
    messages: list[Fields] = []
    for number, record in content.records(progress):
        match record:
            case {"role": str(), "content": list()}:
                messages.append(record)
            case {"working_dir": _}:
                info = record
            case _:
                content.reject(number, "is not a message of a Goose session")
    return _goose_session(content, info, messages, [])


def _goose_session(
    content: Content, info: Fields, records: Sequence[Fields], ledger: Sequence[Fields], line: int = 0
) -> Session:
    """Return the session of some messages. Raises UnreadableError if they have no content."""
    config = fields_of(info.get("model_config_json") or info.get("model_config"))
    messages = [*map(GooseMessage, records)]
    replied = (message.model for message in reversed(messages) if message.model)
    model = next(replied, "") or as_text(config.get("model_name"))
    builder = LogBuilder(dialect_for(model))
    log = GooseLog(builder, as_text(config.get("model_name")))
    log.add_all(messages)
    if strays := log.add_usage(ledger):
        content.problems.add(f"{plural(strays, 'report')} in the usage_ledger could not be matched to a reply")
    title = as_text(info.get("name") or info.get("description"))
    return builder.session(content, Goose.name, as_text(info.get("id")), title, model=model, line=line)


def _head_of(info: Fields) -> SessionHead:
    try:
        time = datetime.fromisoformat(as_text(info.get("updated_at"))).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        time = 0.0
    return SessionHead(as_text(info.get("name") or info.get("description")), as_text(info.get("working_dir")), time)
