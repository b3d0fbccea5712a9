"""Logs of the `llm` command-line tool, in SQLite.

https://llm.datasette.io/en/stable/logging.html#sql-schema
"""

from __future__ import annotations

import sqlite3
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, ClassVar

from inspector.core.conversation import Document, Image, Part, Role, Session, Thinking, ToolResult, Usage
from inspector.formats.base import UNLIKE, Feature, FormatMatch, SessionHead
from inspector.formats.building.blocks import Block, blocks_of, call_of, fields_of, result_of, thoughts_of
from inspector.formats.building.log_builder import LogBuilder, definition_of, dialect_for
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import rows_at_a_glance, rows_of
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_ROLES: dict[str, Role] = {"system": "system", "assistant": "assistant"}
_OLDEST = frozenset({"prompt", "system", "response", "chat_id"})
"""Columns of the table of the first versions."""

_THREADS = """
    SELECT name, '' AS prompt, (SELECT max(datetime_utc) FROM turns WHERE thread_id = threads.id) AS time
    FROM threads WHERE tip_message_hash IN (SELECT hash FROM messages) ORDER BY id"""
_CONVERSATIONS = """
    SELECT (SELECT name FROM conversations WHERE id = responses.conversation_id) AS name,
           substr(prompt, 1, 500) AS prompt, max(datetime_utc) AS time, min(id) AS first
    FROM responses GROUP BY coalesce(nullif(conversation_id, ''), id) ORDER BY first"""


class LLMLogs(DatabaseFormat):
    """Logs of the `llm` command-line tool, in the tables of all its versions."""

    name = "llm"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking", "branches"}
    )
    page = "https://llm.datasette.io/en/stable/logging.html"
    place = "~/.config/io.datasette.llm"

    def recognize(self, sample: Sample) -> FormatMatch:
        tables = sample.tables
        newer = tables.keys() >= {"threads", "turns", "messages", "parts"}
        older = "prompt" in tables.get("responses", ()) and "conversation_id" in tables.get("responses", ())
        if newer or older:
            return FormatMatch(1.0, "tables of threads and turns, or of responses")
        oldest = any(tables.get(name, frozenset()) >= _OLDEST for name in ("log", "logs"))
        return FormatMatch(0.9, "a table of logs with prompts and responses") if oldest else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        if "turns" in content.sample.tables:
            yield from _threads_in(connection, content)
        if "responses" in content.sample.tables:
            yield from _conversations_in(connection, content)
        for table in ("log", "logs"):
            if content.sample.tables.get(table, frozenset()) >= _OLDEST:
                yield from _chats_in(connection, content, table)

    def heads(self, path: Path) -> list[SessionHead]:
        return [
            SessionHead(as_text(row["name"] or row["prompt"]), time=_seconds_of(row["time"]))
            for query in (_THREADS, _CONVERSATIONS)
            for row in rows_at_a_glance(path, query)
        ]


def _seconds_of(time: Any) -> float:
    """Return a time of the database as Unix time in seconds, or 0."""
    try:
        return datetime.fromisoformat(as_text(time)).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _threads_in(connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
    """Read the newer tables: a chain of messages for each thread, and the turn of each reply."""
    rows = rows_of(connection, "SELECT hash, parent_hash, role FROM messages")
    messages: dict[str, Fields] = {row["hash"]: row for row in rows}
    parts: dict[str, list[Fields]] = {}
    for row in rows_of(connection, "SELECT * FROM parts ORDER BY message_hash, position"):
        parts.setdefault(row["message_hash"], []).append(row)
    turns = rows_of(connection, "SELECT * FROM turns ORDER BY id")
    by_tip = {turn["tip_message_hash"]: turn for turn in turns}
    for line, thread in enumerate(rows_of(connection, "SELECT * FROM threads ORDER BY id"), 1):
        own = [turn for turn in turns if turn["thread_id"] == thread["id"]]
        model = next((as_text(turn["resolved_model"] or turn["model"]) for turn in reversed(own)), "")
        log = LogBuilder(dialect_for(model))
        for key in _chain(messages, thread["tip_message_hash"]):
            turn: Fields = by_tip.get(key, {})
            _add_llm_message(log, key, messages[key]["role"], parts.get(key, []), turn)
        if log.messages:
            yield log.session(
                content, LLMLogs.name, as_text(thread["id"]), as_text(thread["name"]), model=model, line=line
            )


def _chain(messages: dict[str, Fields], tip: Any) -> list[str]:
    """Return the messages up to one, oldest first."""
    keys: dict[str, None] = {}
    while tip in messages and tip not in keys:
        keys[tip] = None
        tip = messages[tip]["parent_hash"]
    return list(reversed(keys))


def _add_llm_message(log: LogBuilder, key: str, role: str, parts: list[Fields], turn: Fields) -> None:
    facts: dict[str, Any] = {"time": as_text(turn.get("datetime_utc")).replace(" ", "T")}
    for part in parts:
        if part["type"] == "tool_result":
            payload = fields_of(part["payload"])
            text = part["text"] or payload.get("output") or ""
            log.add_parts(key, "tool", [result_of(payload.get("tool_call_id") or part["id"], text)], {}, **facts)
    own = [piece for part in parts for piece in _llm_parts(part)]
    if own and role == "assistant":
        facts |= {"usage": _llm_usage(turn), "model": as_text(turn.get("resolved_model") or turn.get("model"))}
    if own:
        log.add_parts(key, _ROLES.get(role, "user"), own, {}, **facts)


def _llm_parts(part: Fields) -> list[Part]:
    """Convert a row of parts, except results."""
    payload = fields_of(part["payload"])
    match part["type"]:
        case "tool_call":
            arguments = payload.get("arguments", payload)
            return [call_of(payload.get("tool_call_id") or part["id"], part["tool_name"], arguments)]
        case "reasoning" | "thinking":
            return [*thoughts_of(part["text"])]
        case "tool_result":
            return []
    return [*blocks_of(part["text"] or payload or None)]


def _conversations_in(connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
    """Read the older tables: a prompt and its response in each row, with details in other tables."""
    conversations: dict[str, list[Fields]] = {}
    for row in rows_of(connection, "SELECT * FROM responses ORDER BY id"):
        conversations.setdefault(as_text(row["conversation_id"] or row["id"]), []).append(row)
    names = dict(connection.execute("SELECT id, name FROM conversations").fetchall())
    extras = _Extras(connection, content)
    for line, (name, responses) in enumerate(conversations.items(), 1):
        model = as_text(responses[-1]["model"])
        log = LogBuilder(dialect_for(model))
        tools = _add_responses(log, responses, extras)
        facts = {"model": model, "tools": tools, "line": line}
        yield log.session(content, LLMLogs.name, name, as_text(names.get(name)), **facts)


def _add_responses(log: LogBuilder, responses: list[Fields], extras: _Extras) -> tuple[Fields, ...]:
    """Add the messages of a conversation. Return the tools of the newest response that had any."""
    system, tools = "", tuple[Fields, ...]()
    for response in responses:
        key, time = as_text(response["id"]), as_text(response["datetime_utc"])
        prompt = _with_fragments(extras.fragments("system_fragments", key), response["system"])
        if prompt and prompt != system:
            system = prompt
            log.add_parts(f"{key}-system", "system", blocks_of(system), {}, time=time)
        for result in extras.results(key):
            log.add_parts(key, "tool", [result], {}, time=time)
        words = _with_fragments(extras.fragments("prompt_fragments", key), response["prompt"])
        if asked := [*blocks_of(words), *extras.attachments("prompt_attachments", "response_id", key)]:
            log.add_parts(f"{key}-prompt", "user", asked, {}, time=time)
        calls = [call_of(row["tool_call_id"], row["name"], row["arguments"]) for row in extras.rows("tool_calls", key)]
        said = [*extras.thoughts(key), *blocks_of(response["response"]), *calls]
        model = as_text(response["resolved_model"] or response["model"])
        log.add_parts(key, "assistant", said, {}, time=time, model=model, usage=_llm_usage(response))
        tools = tuple(definition_of(tool, log.dialect) for tool in extras.tools(key)) or tools
    return tools


def _with_fragments(fragments: list[str], text: Any) -> str:
    """Return a prompt after its fragments, as `llm` sends them."""
    return "\n".join([*fragments, *([as_text(text)] if text else [])])


class _Extras:
    """Rows of other tables that belong to responses. Missing tables have no rows."""

    def __init__(self, connection: sqlite3.Connection, content: Content) -> None:
        self._connection = connection
        self._tables = content.sample.tables
        self._by_key: dict[tuple[str, str], dict[str, list[Fields]]] = {}

    def rows(self, table: str, key: str, column: str = "response_id") -> list[Fields]:
        """Return the rows of a table that belong to a response, or to the value of another column, in order."""
        if (table, column) not in self._by_key:
            rows: dict[str, list[Fields]] = {}
            columns = self._tables.get(table, frozenset())
            order = '"order"' if "order" in columns else "rowid"
            for row in (
                rows_of(self._connection, f"SELECT * FROM {table} ORDER BY {order}") if column in columns else ()
            ):
                rows.setdefault(as_text(row[column]), []).append(row)
            self._by_key[table, column] = rows
        return self._by_key[table, column].get(key, [])

    def fragments(self, table: str, key: str) -> list[str]:
        """Return the fragments of a response's prompt, or of its system prompt."""
        ids = [as_text(row["fragment_id"]) for row in self.rows(table, key)]
        return [as_text(row["content"]) for one in ids for row in self.rows("fragments", one, "id")]

    def attachments(self, table: str, column: str, key: str) -> list[Block]:
        """Return the images and documents of a response or a result."""
        ids = [as_text(row["attachment_id"]) for row in self.rows(table, key, column)]
        return [_attachment(row) for one in ids for row in self.rows("attachments", one, "id")]

    def results(self, key: str) -> Iterator[ToolResult]:
        """Yield the tool results that were part of a request."""
        for row in self.rows("tool_results", key):
            files = self.attachments("tool_results_attachments", "tool_result_id", as_text(row["id"]))
            result = result_of(row["tool_call_id"], row["output"], is_error=bool(row["exception"]))
            yield replace(result, parts=(*result.parts, *files))

    def thoughts(self, key: str) -> list[Thinking]:
        """Return the thinking of a response, from the newest of these tables."""
        parts = [row for row in self.rows("parts", key) if row["direction"] == "output"]
        return thoughts_of(*(row["content"] for row in parts if row["part_type"] == "reasoning"))

    def tools(self, key: str) -> list[Fields]:
        """Return the tool definitions of a request."""
        ids = [as_text(row["tool_id"]) for row in self.rows("tool_responses", key)]
        rows = [row for one in ids for row in self.rows("tools", one, "id")]
        return [{**row, "parameters": fields_of(row["input_schema"])} for row in rows]


def _attachment(row: Fields) -> Block:
    """Return an image or a document, with its bytes or its URL."""
    kind, data = as_text(row["type"]), row["content"]
    place = as_text(row["url"] or row["path"])
    source = f"data:{kind};base64,{b64encode(data).decode()}" if isinstance(data, bytes) and data else place
    return (
        Image(kind, source=source) if kind.startswith("image/") else Document(kind, PurePath(place).name, source=source)
    )


def _chats_in(connection: sqlite3.Connection, content: Content, table: str) -> Iterator[Session]:
    """Read the tables of the first versions: rows with a prompt and its response, which name the first of the chat."""
    chats: dict[str, list[Fields]] = {}
    for entry in rows_of(connection, f"SELECT rowid AS number, * FROM {table} ORDER BY rowid"):
        chats.setdefault(as_text(entry["chat_id"] or entry["number"]), []).append(entry)
    for line, (name, rows) in enumerate(chats.items(), 1):
        model, system = as_text(rows[-1]["model"]), ""
        log = LogBuilder(dialect_for(model))
        for row in rows:
            key, time = as_text(row["number"]), as_text(row["datetime_utc"] or row["timestamp"])
            if row["system"] and row["system"] != system:
                system = as_text(row["system"])
                log.add_parts(f"{key}-system", "system", blocks_of(system), {}, time=time)
            log.add_parts(f"{key}-prompt", "user", blocks_of(row["prompt"]), {}, time=time)
            log.add_parts(key, "assistant", blocks_of(row["response"]), {}, time=time, model=as_text(row["model"]))
        yield log.session(content, LLMLogs.name, f"{table}-{name}", model=model, line=line)


def _llm_usage(row: Fields) -> Usage | None:
    details = fields_of(row.get("token_details"))
    cached = token_count(fields_of(details.get("prompt_tokens_details")), "cached_tokens")
    return usage_unless_zero(token_count(row, "input_tokens"), token_count(row, "output_tokens"), cached, 0)
