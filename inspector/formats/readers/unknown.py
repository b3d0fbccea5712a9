"""Files of an unknown shape with values that look like messages. The guess is reported first.

A message is an object, or a row of a table, with a speaker and words. The longest list of them in a record is its
conversation. Messages are read in the notations of many libraries; see `library_blocks`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Role, Session
from inspector.core.text import clip
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, SessionHead
from inspector.formats.building.blocks import decode_json
from inspector.formats.building.ids import unique
from inspector.formats.building.library_log import LibraryLog, model_in
from inspector.formats.building.list_heuristics import (
    GuessedMessages,
    MessageShape,
    guess_conversations,
    guess_loose,
    guess_messages,
    lists_beside,
    role_of,
)
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.building.message_heuristics import said_parts
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_SYSTEMS = ("system", "systemInstruction", "system_instruction", "system_prompt", "systemPrompt", "instructions")
_REQUEST_FIELDS = frozenset({"generationConfig", "systemInstruction", "inferenceConfig", "toolConfig"})
_TITLES = ("title", "name", "description")

_CONVERSATIONS = ("session_id", "conversation_id", "thread_id", "chat_id", "sessionId", "conversationId", "chatId")
"""Columns with the id of a conversation."""
_COLUMNS = {"content_json": "content", "message_json": "message", "parts_json": "parts"}
"""Columns that contain JSON, with their meaning."""


class UnknownJSON(Format):
    """JSON with a list of messages."""

    name = "unknown"
    order: ClassVar[RecordOrder] = RecordOrder(calls=False)
    features: ClassVar[frozenset[Feature]] = frozenset()

    def recognize(self, sample: Sample) -> FormatMatch:
        loose = guess_loose(sample.records)
        messages = loose or next((own for record in sample.records for own in guess_conversations(record)), None)
        if messages is None:
            return UNLIKE
        wrapper, speaker, words = messages.shape
        place = messages.place + (f"[].{wrapper}" if wrapper else "")
        fields = messages.pairs or f"the fields {speaker} and {words}"
        return FormatMatch(0.1, f"entries {f'in {place} ' if place else ''}with {fields}")

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        records = list(content.records(progress))
        if messages := guess_loose([record for _, record in records]):
            return [_guessed_session(content, self.name, messages, 0)]
        conversations: list[tuple[GuessedMessages, int]] = []
        for number, record in records:
            if own := guess_conversations(record):
                conversations += ((messages, number) for messages in own)
                for place, count in lists_beside(record, own):
                    text = f"the list {place} of {count:,} entries was left out: it looks like messages, too"
                    content.problems.add(text)
            else:
                content.reject(number, "contains no list of messages")
        alone = len(conversations) == 1
        sessions = [
            _guessed_session(content, self.name, messages, 0 if alone else number) for messages, number in conversations
        ]
        return unique(sessions) or [LogBuilder().session(content, self.name)]


class UnknownDatabase(DatabaseFormat):
    """Databases with a table of messages, with a column for their conversation."""

    name = "unknown-database"
    order: ClassVar[RecordOrder] = RecordOrder(calls=False)
    features: ClassVar[frozenset[Feature]] = frozenset()

    def recognize(self, sample: Sample) -> FormatMatch:
        table, conversation = _message_table(sample)
        reason = f"a table {table} with a message in each row, by {conversation}"
        return FormatMatch(0.1, reason) if table else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        table, conversation = _message_table(content.sample)
        rows: dict[str, list[Fields]] = {}
        for row in connection.execute(f"SELECT * FROM {_quoted(table)}"):
            rows.setdefault(as_text(row[conversation]), []).append(_decoded_row(row))
        messages = guess_messages([entry for entries in rows.values() for entry in entries], table, has_roles=True)
        if messages is None:
            content.problems.add(f"no row of its table {table} names a user and another one an assistant")
            return
        heads = _heads_in(connection, content.sample)
        for line, (name, entries) in enumerate(rows.items(), 1):
            own = messages._replace(entries=entries, around={**heads.get(name, {}), "id": name})
            if any(map(own.shape.who, entries)):
                yield _guessed_session(content, self.name, own, line if len(rows) > 1 else 0)

    def heads(self, path: Path) -> list[SessionHead]:
        """Return one head for the whole database, whose tables are only guessed at when it is opened."""
        return [SessionHead(path.stem)]


def _message_table(sample: Sample) -> tuple[str, str]:
    """Return the table that looks like messages, and its conversation column, or ""."""
    for table, columns in sample.tables.items():
        names = {_COLUMNS.get(name, name) for name in columns}
        conversation = next((name for name in _CONVERSATIONS if name in columns), "")
        is_whole = {"role", "author", "sender"} & names and {"content", "parts", "text", "message", "body"} & names
        if conversation and (is_whole or "message" in names):
            return table, conversation
    return "", ""


def _decoded_row(row: sqlite3.Row) -> Fields:
    """Return a row with its JSON decoded."""
    return {_COLUMNS.get(name, name): decode_json(row[name]) for name in row.keys() if not isinstance(row[name], bytes)}  # noqa: SIM118  a row's values


def _heads_in(connection: sqlite3.Connection, sample: Sample) -> dict[str, Fields]:
    """Return the fields of conversations in the other tables, by their ids."""
    heads: dict[str, Fields] = {}
    for table, columns in sample.tables.items():
        if "id" in columns and columns & {"title", "name", "description"} and _message_table(sample)[0] != table:
            for row in connection.execute(f"SELECT * FROM {_quoted(table)}"):
                heads.setdefault(as_text(row["id"]), _decoded_row(row))
    return heads


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


def _guessed_session(content: Content, format: str, messages: GuessedMessages, line: int) -> Session:
    """Return a list of messages as a session."""
    around = messages.around
    log = _GuessedLog(messages.shape)
    if log.role(messages.entries[0]) != "system":
        log.add_prompt(around)
    for number, entry in enumerate(messages.entries, 1):
        if not log.add_entry(entry, f"m{number}"):
            content.problems.add(f"entry {number} of the messages was left out: it has no speaker")
    if unread := _unread_fields(messages, log):
        content.problems.add(f"fields of its entries that were not read: {', '.join(unread)}")
    title = next((as_text(around[name]) for name in _TITLES if isinstance(around.get(name), str)), "")
    facts = {
        "model": model_in(around),
        "line": line,
        "records_system": bool(log.messages) and log.messages[0].role == "system",
        "is_sent": _is_request(messages) and not log.messages[-1].is_reply,
    }
    return log.session(content, format, as_text(around.get("id")), title, **facts)


def _is_request(messages: GuessedMessages) -> bool:
    """Return True if a list of messages is the body of a request to the API of Gemini or of Amazon Bedrock."""
    return messages.place == "contents" or not _REQUEST_FIELDS.isdisjoint(messages.around)


def _unread_fields(messages: GuessedMessages, log: LogBuilder) -> list[str]:
    """Return the names of fields of the entries whose longer texts and values are in no message."""
    text_of_log = "\n".join(message.text for message in log.messages)
    names: dict[str, None] = {}
    for entry in messages.entries:
        for name, value in entry.items() if isinstance(entry, dict) else ():
            if name not in names and not all(text in text_of_log for text in _texts_in(value)):
                names[name] = None
    return [clip(name, _NAME) for name in [*names][:_MAX_NAMES]]


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the longer texts in a value."""
    if isinstance(value, str) and len(value) >= _LONG:
        yield value.strip()
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(inner)


_LONG = 30
"""Minimum number of characters of a text that may be part of a conversation."""
_NAME, _MAX_NAMES = 40, 8


class _GuessedLog(LibraryLog):
    """The messages of entries of one shape."""

    def __init__(self, shape: MessageShape) -> None:
        super().__init__()
        self._shape = shape
        self._strangers: dict[str, Role] = {}
        """Speakers whose names are not roles, and the roles they get."""

    def role(self, entry: Any) -> Role | None:
        """Return the role of an entry: the first unknown speaker is the user. None if there is no speaker."""
        speaker = self._shape.who(entry)
        if not speaker:
            return None
        return role_of(speaker) or self._strangers.setdefault(speaker, "assistant" if self._strangers else "user")

    def add_prompt(self, around: Fields) -> None:
        """Add the system prompt, if there is one next to the messages."""
        prompt = next((around[name] for name in _SYSTEMS if around.get(name)), None)
        for role, parts in said_parts(prompt if isinstance(prompt, dict) else {"content": prompt}, "system"):
            self.add_parts("system", role, parts)

    def add_entry(self, entry: Any, name: str) -> bool:
        """Add what an entry says, and asks of tools; whether it says anything. `name` is for one without an id."""
        role = self.role(entry)
        if role is None:
            return False
        message, record = self._shape.message(entry), self._shape.record(entry)
        name = as_text(entry.get("id") or message.get("id")) or name
        return self.add_message(name, role, self._shape.said_fields(entry), record)
