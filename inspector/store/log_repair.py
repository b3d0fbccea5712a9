"""Repairs the messages of a session in a store that was copied from a damaged one.

Positions in a log do not change, because plans and bookmarks refer to them: a lost message leaves a placeholder.
Importing the session again replaces placeholders by the original messages.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.core.conversation import (
    MAIN,
    InMemoryBody,
    Message,
    Part,
    Problem,
    Raw,
    Session,
    Text,
    ToolCall,
    ToolResult,
    parts_of,
)
from inspector.llm.providers import DEFAULT_DIALECT, DIALECTS, count_characters, message_from_raw, text_message, wire_of
from inspector.store.damage import json_list, json_object, require_chain, require_message
from inspector.store.damaged_values import count_in, text_in
from inspector.store.importing import REPAIRED, Import
from inspector.store.serialization import HEAD, Row, column, message_of, settings_of
from inspector.store.session_reader import content_digest, digest_rules, problem_of, require_object

_MAX_LENGTH = 100_000
"""Longest log that is believed to be complete by the count of its session alone."""
_LOST = "[This message was lost when the store was damaged. Import the session again to restore it.]"
_LOST_END = "[the rest of this message was lost]"
_COLUMNS = (
    *("recorded_id", "title", "format", "dialect", "model", "path", "line", "records_system", "settings", "tools"),
    *("problems", "imported_at", "counter", "tokens", "peak", "messages", "digested_by"),
)
_DAMAGE = (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError)
"""Exceptions raised by decoding damaged values."""


@dataclass(slots=True)
class LogRepair:
    """A repaired log, and the numbers of messages by what happened to them."""

    title: str
    messages: int
    lost: int = 0
    cut: int = 0
    """Messages of which only the preview is left."""
    mended: int = 0
    """Messages with a text but without the rest of their record."""
    changed: int = 0
    """Messages whose text differs from what was stored."""


@dataclass(slots=True)
class LostHeads:
    """Messages without a readable row, found in the indexes of the damaged store."""

    keys: dict[str, dict[int, int]] = field(default_factory=dict)
    """By session and position, the key of a message."""
    ids: dict[int, str] = field(default_factory=dict)
    """By key, the id of a message."""

    @property
    def all_keys(self) -> Iterator[int]:
        """The keys of all messages."""
        for keys in self.keys.values():
            yield from keys.values()


def repair_log(connection: sqlite3.Connection, id: str, lost_heads: LostHeads) -> LogRepair:
    """Rewrite the messages of a session so that all of them are sound.

    Args:
        connection: The new store. It has a row for the session.
        id: Id of the session.
        lost_heads: Messages that the new store has no row for.
    """
    query = f"SELECT {', '.join(_COLUMNS)} FROM session WHERE id = ?"
    row = dict(zip(_COLUMNS, connection.execute(query, (column(id),)).fetchone(), strict=True))
    log = _Log(connection, id, row, lost_heads)
    log.build()
    _replace_log(connection, _session(id, row, log), row)
    return log.result


def _session(id: str, row: Mapping[str, Any], log: _Log) -> Session:
    """Return a session with a repaired log and whatever of its row can be decoded."""
    problems = list(_decoded(row["problems"], lambda text: [problem_of(value) for value in json_list(text)], []))
    for number, subject in ((log.result.lost, "messages"), (log.result.cut, "the ends of messages")):
        if number:
            problems.append(Problem(f"{subject} were lost when the store was damaged: {number:,}"))
    settings, sizes, capture = _decoded(row["settings"], settings_of, ({}, None, ""))
    title = text_in(row["title"]) or next((message.preview for message in log.messages if message.preview), id)
    log.result.title = title
    return Session(
        id,
        title,
        text_in(row["format"]),
        tuple(log.messages),
        text_in(row["model"]),
        tuple(_decoded(row["tools"], lambda text: [require_object(value) for value in json_list(text)], [])),
        log.dialect,
        settings,
        row["records_system"] != 0,
        tuple(problems),
        text_in(row["path"]),
        count_in(row["line"]),
        sizes,
        capture=capture,
    )


def _decoded(text: Any, decode: Any, default: Any) -> Any:
    try:
        return decode(text_in(text))
    except _DAMAGE:
        return default


def _replace_log(connection: sqlite3.Connection, session: Session, row: Mapping[str, Any]) -> None:
    """Write a repaired session in place of the damaged one."""
    key = column(session.id)
    connection.execute("DELETE FROM body WHERE key IN (SELECT key FROM message WHERE session_id = ?)", (key,))
    connection.execute("DELETE FROM message WHERE session_id = ?", (key,))
    connection.execute("DELETE FROM context WHERE session_id = ?", (key,))
    facts = {
        "recorded_id": column(text_in(row["recorded_id"], session.id)),
        "imported_at": column(text_in(row["imported_at"])),
        "counter": column(text_in(row["counter"])),
        "tokens": None,
        "peak": row["peak"] if count_in(row["peak"], -1) >= 0 else None,
        "digested_by": digest_rules(),
    }
    changes = ", ".join(f"{name} = :{name}" for name in facts)
    connection.execute(f"UPDATE session SET {changes} WHERE id = :id", facts | {"id": key})
    job = Import(connection, session, "", lambda _done, _total: None, lambda: False)
    job.write_session(session.id, new=False)
    job.write_messages(session.id, range(job.total))
    job.write_context(session.id)


class _Log:
    """Builds the messages of a session from the rows that are left of it."""

    def __init__(self, connection: sqlite3.Connection, id: str, row: Mapping[str, Any], lost_heads: LostHeads) -> None:
        self.connection = connection
        self.row = row
        self.dialect = text_in(row["dialect"])
        self.messages: list[Message] = []
        self.ids: set[str] = set()
        query = f"SELECT position, key, digest, {HEAD} FROM message WHERE session_id = ?"
        rows = connection.execute(query, (column(id),)).fetchall()
        self.heads: dict[int, Row] = {row[0]: row[1:] for row in rows if _is_position(row[0])}
        self.keys = lost_heads.keys.get(id, {}) | {position: head[0] for position, head in self.heads.items()}
        self.lost_ids = lost_heads.ids
        count = count_in(row["messages"])
        length = max(max(self.keys, default=-1) + 1, count if count <= max(_MAX_LENGTH, 2 * len(rows)) else 0)
        self.result = LogRepair("", length)

    def build(self) -> None:
        if self.dialect not in DIALECTS:
            self.dialect = next(
                (str(head[-1]) for head in self.heads.values() if head[-1] in DIALECTS), DEFAULT_DIALECT
            )
        for position in range(self.result.messages):
            message = self.message(position)
            if message.id in self.ids:
                message = replace(message, id=f"{message.id}-{position + 1}")
            self.ids.add(message.id)
            self.messages.append(message)
        try:
            require_chain([message.parent for message in self.messages])
        except ValueError:
            self.messages = [
                message if message.parent < position else replace(message, parent=position - 1)
                for position, message in enumerate(self.messages)
            ]

    def message(self, position: int) -> Message:
        """Return the message at a position, as complete as it can be read, or a placeholder."""
        head = self.heads.get(position)
        raw, record = self.body(self.keys.get(position, -1))
        if raw is None:
            cut = _cut_message(head[2:]) if head else None
            if cut:
                self.result.cut += 1
                return self.with_sound_parent(cut, position)
            self.result.lost += 1
            return self.placeholder(position)
        message = _sound_message(head[2:], raw, record or {}) if head else None
        if message is None:
            self.result.mended += 1
            return self.message_from_text(position, raw, record or {})
        if record is None or self.differs(message, head):
            self.result.changed += 1
        return self.with_sound_parent(message, position)

    def body(self, key: int) -> tuple[Raw | None, Raw | None]:
        """Return the raw message and the record of a message, or None for what cannot be read."""
        row = self.connection.execute("SELECT raw, record FROM body WHERE key = ?", (key,)).fetchone()
        raw, record = row or (None, None)
        return _decoded(raw, json_object, None), _decoded(record, json_object, None)

    def differs(self, message: Message, head: Row | None) -> bool:
        """Return True if a message has another digest than was stored with it."""
        return head is not None and self.row["digested_by"] == digest_rules() and content_digest(message) != head[1]

    def with_sound_parent(self, message: Message, position: int) -> Message:
        is_sound = -1 <= message.parent < self.result.messages and message.parent != position
        return message if is_sound else replace(message, parent=position - 1)

    def placeholder(self, position: int) -> Message:
        message = text_message(f"lost-{position + 1}", "user", _LOST, self.dialect, parent=position - 1, agent=MAIN)
        return replace(message, body=InMemoryBody(message.raw, {REPAIRED: "lost"}))

    def message_from_text(self, position: int, raw: Raw, record: Raw) -> Message:
        """Return a message made from its raw form alone, with its id if an index still has it."""
        head = self.heads.get(position)
        name = text_in(head[2]) if head else self.lost_ids.get(self.keys[position], "")
        dialect = str(head[-1]) if head and head[-1] in DIALECTS else self.dialect
        agent = text_in(head[3]) if head else ""
        agent = agent or (self.messages[-1].agent if self.messages else MAIN)
        body = InMemoryBody(raw, {**record, REPAIRED: "mended"})
        return message_from_raw(
            name or f"rescued-{position + 1}", raw, dialect, body=body, parent=position - 1, agent=agent
        )


def _is_position(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2 * _MAX_LENGTH


def _sound_message(head: Row, raw: Raw, record: Raw) -> Message | None:
    """Return the message of a sound row that does not contradict its text, or None."""
    with suppress(*_DAMAGE):
        message = require_message(message_of(head, InMemoryBody(raw, record)))
        if message.chars == sum(map(count_characters, parts_of(raw, message.dialect))):
            return message
    return None


def _cut_message(head: Row) -> Message | None:
    """Return a message with the preview as its text, or None if its row is damaged."""
    with suppress(*_DAMAGE):
        message = require_message(message_of(head, InMemoryBody({})))
        text = Text(message.preview if message.chars <= len(message.preview) else f"{message.preview} {_LOST_END}")
        parts: list[Part] = [text] if message.answers is None else [ToolResult(message.answers, (text,))]
        parts += [ToolCall(call.id, call.name, "{}") for call in message.calls]
        raw = wire_of(message.dialect).encode(message.role, parts, message.name)
        body = InMemoryBody(raw, {REPAIRED: "cut"})
        rest = message_from_raw(
            message.id, raw, message.dialect, body=body, role=message.role, name=message.name, kind=message.kind
        )
        facts = {name: getattr(message, name) for name in ("agent", "parent", "time", "model", "usage")}
        return replace(rest, **facts)
    return None
