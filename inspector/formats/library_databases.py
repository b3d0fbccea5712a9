"""Databases in which libraries keep conversations: the OpenAI Agents SDK's sessions, and the logs of `llm`."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from inspector.conversation import Part, Role, Session, Usage
from inspector.formats.base import UNLIKE, Format, Holding, Recognition, SessionHead
from inspector.formats.blocks import blocks_of, call_of, fields_of, result_of, thoughts_of
from inspector.formats.databases import open_database, rows_at_a_glance
from inspector.formats.ids import unique
from inspector.formats.log_builder import LogBuilder, dialect_for
from inspector.formats.sample import Content, Sample, Shape
from inspector.formats.source import Progress
from inspector.providers import as_text, chat_messages, token_count, usage_unless_zero

_Fields = dict[str, Any]
_ROLES: dict[str, Role] = {"system": "system", "assistant": "assistant"}

_THREADS = """
    SELECT name, '' AS prompt, (SELECT max(datetime_utc) FROM turns WHERE thread_id = threads.id) AS time
    FROM threads WHERE tip_message_hash IN (SELECT hash FROM messages) ORDER BY id"""
_CONVERSATIONS = """
    SELECT (SELECT name FROM conversations WHERE id = responses.conversation_id) AS name,
           substr(prompt, 1, 500) AS prompt, max(datetime_utc) AS time, min(id) AS first
    FROM responses GROUP BY coalesce(nullif(conversation_id, ''), id) ORDER BY first"""


class _LooseRow(dict[str, Any]):
    """A row of a table whose columns may be other ones than expected: what is missing is None."""

    def __missing__(self, column: str) -> None:
        return None


def _rows(connection: sqlite3.Connection, query: str) -> list[_LooseRow]:
    """The rows of a query. Raises sqlite3.Error."""
    return [_LooseRow(row) for row in map(dict, connection.execute(query))]


class DatabaseFormat(Format):
    """Sessions in the tables of a database."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({"database"})

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions: list[Session] = []
        try:
            with open_database(content.source.path) as connection:
                sessions.extend(self.sessions_in(connection, content))
        except sqlite3.Error as error:
            content.problems.add(f"the database could not be read to its end ({error})")
        return unique(sessions) or [LogBuilder().session(content, self.name)]

    @abstractmethod
    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        """The sessions that the tables hold. Raises sqlite3.Error."""


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


class LLMLogs(DatabaseFormat):
    """The log of the `llm` command line, in its older tables and in those where messages are kept by their hash."""

    name = "llm"
    title = "logs of llm"
    holds: ClassVar[frozenset[Holding]] = frozenset({"system prompt", "usage", "times", "models", "branches"})
    fields = frozenset({"conversations", "responses", "threads", "turns", "message_hash"})
    page = "https://llm.datasette.io/en/stable/logging.html"
    place = "~/.config/io.datasette.llm"

    def recognize(self, sample: Sample) -> Recognition:
        tables = sample.tables
        newer = tables.keys() >= {"threads", "turns", "messages", "parts"}
        older = "prompt" in tables.get("responses", ()) and "conversation_id" in tables.get("responses", ())
        return Recognition(1.0, "tables of threads and turns, or of responses") if newer or older else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        if "turns" in content.sample.tables:
            yield from _threads_in(connection, content)
        if "responses" in content.sample.tables:
            yield from _conversations_in(connection, content)

    def heads(self, path: Path) -> list[SessionHead]:
        return [
            SessionHead(as_text(row["name"] or row["prompt"]), time=_seconds_of(row["time"]))
            for query in (_THREADS, _CONVERSATIONS)
            for row in rows_at_a_glance(path, query)
        ]


def _seconds_of(time: Any) -> float:
    """A time of the database, in Unix seconds; 0 where it is none."""
    try:
        return datetime.fromisoformat(as_text(time)).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _threads_in(connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
    """The newer tables: a chain of messages for each thread, and the turn that each reply came in."""
    rows = _rows(connection, "SELECT hash, parent_hash, role FROM messages")
    messages: dict[str, _Fields] = {row["hash"]: row for row in rows}
    parts: dict[str, list[_Fields]] = {}
    for row in _rows(connection, "SELECT * FROM parts ORDER BY message_hash, position"):
        parts.setdefault(row["message_hash"], []).append(row)
    turns = _rows(connection, "SELECT * FROM turns ORDER BY id")
    by_tip = {turn["tip_message_hash"]: turn for turn in turns}
    for line, thread in enumerate(_rows(connection, "SELECT * FROM threads ORDER BY id"), 1):
        own = [turn for turn in turns if turn["thread_id"] == thread["id"]]
        model = next((as_text(turn["resolved_model"] or turn["model"]) for turn in reversed(own)), "")
        log = LogBuilder(dialect_for(model))
        for key in _chain(messages, thread["tip_message_hash"]):
            turn: _Fields = by_tip.get(key, {})
            _add_llm_message(log, key, messages[key]["role"], parts.get(key, []), turn)
        if log.messages:
            yield log.session(
                content, LLMLogs.name, as_text(thread["id"]), as_text(thread["name"]), model=model, line=line
            )


def _chain(messages: dict[str, _Fields], tip: Any) -> list[str]:
    """The messages up to one, oldest first."""
    keys: dict[str, None] = {}
    while tip in messages and tip not in keys:
        keys[tip] = None
        tip = messages[tip]["parent_hash"]
    return list(reversed(keys))


def _add_llm_message(log: LogBuilder, key: str, role: str, parts: list[_Fields], turn: _Fields) -> None:
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


def _llm_parts(part: _Fields) -> list[Part]:
    """What a row of parts says or calls; nothing of a result, which stands for itself."""
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
    """The older tables: a prompt and its response in each row."""
    conversations: dict[str, list[_Fields]] = {}
    for row in _rows(connection, "SELECT * FROM responses ORDER BY id"):
        conversations.setdefault(as_text(row["conversation_id"] or row["id"]), []).append(row)
    names = dict(connection.execute("SELECT id, name FROM conversations").fetchall())
    calls = _rows_by(connection, content, "tool_calls")
    results = _rows_by(connection, content, "tool_results")
    for line, (name, responses) in enumerate(conversations.items(), 1):
        model = as_text(responses[-1]["model"])
        log, system = LogBuilder(dialect_for(model)), ""
        for response in responses:
            key, time = as_text(response["id"]), as_text(response["datetime_utc"])
            if response["system"] and response["system"] != system:
                system = as_text(response["system"])
                log.add_parts(f"{key}-system", "system", blocks_of(system), {}, time=time)
            for output in results.get(key, ()):
                log.add_parts(key, "tool", [result_of(output["tool_call_id"], output["output"])], {}, time=time)
            if response["prompt"]:
                log.add_parts(f"{key}-prompt", "user", blocks_of(response["prompt"]), {}, time=time)
            own = [call_of(row["tool_call_id"], row["name"], row["arguments"]) for row in calls.get(key, ())]
            facts = {"time": time, "model": as_text(response["model"]), "usage": _llm_usage(response)}
            log.add_parts(key, "assistant", [*blocks_of(response["response"]), *own], {}, **facts)
        yield log.session(content, LLMLogs.name, name, as_text(names.get(name)), model=model, line=line)


def _rows_by(connection: sqlite3.Connection, content: Content, table: str) -> dict[str, list[_Fields]]:
    """The rows of a table that may be missing, by the response that they belong to."""
    rows: dict[str, list[_Fields]] = {}
    if "response_id" in content.sample.tables.get(table, ()):
        for row in _rows(connection, f"SELECT * FROM {table} ORDER BY id"):
            rows.setdefault(as_text(row["response_id"]), []).append(row)
    return rows


def _llm_usage(row: _Fields) -> Usage | None:
    details = fields_of(row.get("token_details"))
    cached = token_count(fields_of(details.get("prompt_tokens_details")), "cached_tokens")
    return usage_unless_zero(token_count(row, "input_tokens"), token_count(row, "output_tokens"), cached, 0)
