"""Chats in the state databases of Cursor, `state.vscdb`: in the global storage, and in older ones of a workspace.

https://cursor.com/docs/agent: the table `cursorDiskKV` has a composer for each chat, `composerData:ID`, with the order
of its bubbles, `bubbleId:ID:BUBBLE`. Earlier versions stored composers with all bubbles, and chats in tabs, in
`ItemTable`. A summary replaces the bubbles up to one that it names.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from inspector.core.conversation import Part, Session, Text, Thinking, Usage
from inspector.formats.base import UNLIKE, Feature, FormatMatch
from inspector.formats.building.blocks import call_of, fields_of, objects_of, result_of, time_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import open_database, rows_of
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_ITEMS, _STATE = "ItemTable", "cursorDiskKV"
_COMPOSERS, _TABS = "composer.composerData", "workbench.panel.aichat.view.aichat.chatdata"
_USER = (1, "user")
_FAILED = ("error", "rejected", "cancelled")


class CursorState(DatabaseFormat):
    """Chats in the state databases of Cursor."""

    name = "cursor-state"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"usage", "times", "models", "thinking", "compactions", "context window"}
    )
    page = "https://cursor.com/docs/agent"
    place = "~/.config/Cursor/User/globalStorage"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(_rows_in(record) for record in sample.objects):
            return FormatMatch(0.9, "rows of the state of an editor")
        names = {*sample.tables}
        known = bool(names & {_ITEMS, _STATE}) and all("value" in columns for columns in sample.tables.values())
        return FormatMatch(0.9, "a table of the state of an editor") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        path = content.source.path
        sessions: list[Session] = []
        if content.value is not None:
            return unique(_sessions_of(_chats_of(_rows_in(content.value), content), content))
        try:
            with open_database(path) as connection:
                sessions.extend(self.sessions_in(connection, content))
        except sqlite3.Error as error:
            content.problems.add(f"the database could not be read to its end ({error})")
        if not sessions:
            raise UnreadableError(
                path, f"{path} is the state of an editor, without a chat of Cursor: open another one."
            )
        return unique(sessions)

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        yield from _sessions_of(
            [*_stored_composers(connection, content), *_workspace_chats(connection, content)], content
        )


def _sessions_of(chats: Iterable[tuple[Fields, list[Fields]]], content: Content) -> Iterator[Session]:
    """Yield the sessions of chats with their bubbles."""
    chats = [*chats]
    lines = range(1, len(chats) + 1) if len(chats) > 1 else [0]
    for line, (chat, bubbles) in zip(lines, chats, strict=False):
        log = _ChatLog(chat)
        for number, bubble in enumerate(bubbles, 1):
            log.add_bubble(bubble, number)
        if log.messages:
            yield log.session_of(content, line)


def _rows_in(record: Any) -> dict[str, Fields]:
    """Return the chats by key in the result of a query that was exported as JSON; {} for any other record."""
    fields = fields_of(record)
    rows, names = fields.get("rows"), fields.get("columns")
    if not isinstance(rows, list) or not isinstance(names, list) or not {"key", "value"} <= {*map(as_text, names)}:
        return {}
    named = [row if isinstance(row, dict) else dict(zip(names, row, strict=False)) for row in rows if row]
    values = {as_text(row.get("key")): row.get("value") for row in named}
    return {key: _object(value) for key, value in values.items() if key in (_COMPOSERS, _TABS)}


def _values_under(connection: sqlite3.Connection, table: str, prefix: str) -> Iterator[tuple[str, Fields]]:
    """Yield the keys with a prefix that ends with a colon, and the JSON objects under them. Raises sqlite3.Error."""
    end = f"{prefix[:-1]};"  # the character after the colon
    query = f"SELECT key, value FROM {table} WHERE key >= '{prefix}' AND key < '{end}'"
    for row in rows_of(connection, query):
        yield as_text(row["key"]), _object(row["value"])


def _object(value: Any) -> Fields:
    return fields_of(value.decode("utf-8", "replace") if isinstance(value, bytes) else value)


def _stored_composers(connection: sqlite3.Connection, content: Content) -> Iterator[tuple[Fields, list[Fields]]]:
    """Yield the chats of the global storage, oldest first. Raises sqlite3.Error."""
    if _STATE not in content.sample.tables:
        return
    chats = [chat for _, chat in _values_under(connection, _STATE, "composerData:") if chat]
    bubbles: dict[str, dict[str, Fields]] = {}
    for key, bubble in _values_under(connection, _STATE, "bubbleId:"):
        _, owner, own = [*key.split(":", 2), "", ""][:3]
        bubbles.setdefault(owner, {})[own] = bubble
    for chat in sorted(chats, key=lambda chat: token_count(chat, "createdAt")):
        known = bubbles.get(as_text(chat.get("composerId")), {})
        heads = objects_of(chat.get("fullConversationHeadersOnly"))
        content.coverage.records += 1
        if missing := sum(as_text(head.get("bubbleId")) not in known for head in heads):
            title = as_text(chat.get("name")) or as_text(chat.get("composerId"))
            content.problems.add(f"of the chat {title[:60]!r} {missing:,} of its {len(heads):,} bubbles are missing")
        stored = [
            {"bubbleId": name, **known[name]} for head in heads if (name := as_text(head.get("bubbleId"))) in known
        ]
        yield chat, stored or objects_of(chat.get("conversation"))


def _workspace_chats(connection: sqlite3.Connection, content: Content) -> Iterator[tuple[Fields, list[Fields]]]:
    """Yield the chats that a workspace stores itself. Raises sqlite3.Error."""
    if _ITEMS not in content.sample.tables:
        return
    query = f"SELECT key, value FROM {_ITEMS} WHERE key IN ('{_COMPOSERS}', '{_TABS}')"
    yield from _chats_of({as_text(row["key"]): _object(row["value"]) for row in rows_of(connection, query)}, content)


def _chats_of(values: dict[str, Fields], content: Content) -> Iterator[tuple[Fields, list[Fields]]]:
    """Yield the chats in the values of a workspace."""
    for chat in objects_of(values.get(_COMPOSERS, {}).get("allComposers")):
        content.coverage.records += 1
        yield chat, objects_of(chat.get("conversation"))
    for tab in objects_of(values.get(_TABS, {}).get("tabs")):
        content.coverage.records += 1
        chat = {"composerId": tab.get("tabId"), "name": tab.get("chatTitle"), "lastUpdatedAt": tab.get("lastSendTime")}
        yield chat, objects_of(tab.get("bubbles"))


class _ChatLog(LogBuilder):
    """The log of a chat."""

    def __init__(self, chat: Fields) -> None:
        super().__init__()
        self.chat = chat
        self.model = as_text(fields_of(chat.get("modelConfig")).get("modelName"))
        summary = fields_of(chat.get("latestConversationSummary")).get("summary")
        self.summary = fields_of(summary)
        self.last_dropped = as_text(self.summary.get("truncationLastBubbleIdInclusive"))

    def add_bubble(self, bubble: Fields, number: int) -> None:
        """Add a bubble: words of the user, or a piece of a reply, which may be a call with its result."""
        name = as_text(bubble.get("bubbleId") or bubble.get("id")) or f"b{number}"
        facts: Fields = {"time": time_of(bubble.get("createdAt"))}
        said = [Text(text)] if (text := as_text(bubble.get("rawText") or bubble.get("text"))) else []
        record = {key: value for key, value in bubble.items() if value and key not in ("text", "rawText", "richText")}
        if bubble.get("type") in _USER:
            self.add_parts(name, "user", said, record, **facts)
        else:
            self._add_reply(name, bubble, said, record, facts)
        if name == self.last_dropped and (text := as_text(self.summary.get("summary"))):
            self.begin_anew()
            self.add_parts(f"{name} summary", "user", [Text(text)], self.summary, kind="summary", **facts)

    def _add_reply(self, name: str, bubble: Fields, said: list[Text], record: Fields, facts: Fields) -> None:
        thoughts = as_text(fields_of(bubble.get("thinking")).get("text"))
        parts: list[Part] = [*([Thinking(thoughts)] if thoughts else []), *said]
        tool = fields_of(bubble.get("toolFormerData"))
        call = as_text(tool.get("toolCallId")) or f"{name} call"
        if tool.get("name"):
            parts.append(call_of(call, tool["name"], tool.get("rawArgs") or tool.get("params")))
        model = as_text(fields_of(bubble.get("modelInfo")).get("modelName") or bubble.get("modelType")) or self.model
        if parts:
            self.add_parts(name, "assistant", parts, record, model=model, usage=_usage_of(bubble), **facts)
        if tool.get("name") and (tool.get("result") or tool.get("error")):
            is_error = as_text(tool.get("status")) in _FAILED
            answer = as_text(tool.get("result") or tool.get("error"))
            self.add_parts(f"{name} result", "tool", [result_of(call, answer, is_error=is_error)], {}, **facts)

    def session_of(self, content: Content, line: int) -> Session:
        """Return the session of the chat."""
        self.note_limit(token_count(self.chat, "contextTokenLimit"))
        self.note_window(token_count(self.chat, "contextTokensUsed"))
        facts: Fields = {"line": line, "sizes": self.size_facts, "model": self.model}
        name, title = as_text(self.chat.get("composerId")), as_text(self.chat.get("name"))
        return self.session(content, CursorState.name, name, title, **facts)


def _usage_of(bubble: Fields) -> Usage | None:
    counts = fields_of(bubble.get("tokenCount"))
    return usage_unless_zero(token_count(counts, "inputTokens"), token_count(counts, "outputTokens"), 0, 0)
