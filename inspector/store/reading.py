"""Reading the store: the list of sessions, one session with its messages' bodies left where they are, and counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inspector.conversation import Body, Held, Message, Problem, Raw, Session
from inspector.dialects.encoding import loads
from inspector.store.columns import HEAD, column, message_of, text_of
from inspector.store.connecting import Connections, StoreError, transaction

CHUNK = 500
"""Digests that are asked for in one statement."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as the list of sessions shows it."""

    id: str
    title: str
    format: str
    model: str
    agents: int
    messages: int
    turns: int
    """Replies of the main agent."""
    tokens: int | None
    """Of the whole log; None until it was counted, and again when the log has grown."""
    peak: int | None
    """Tokens of the largest window, reported or counted; None when neither is known."""
    compactions: int
    changed: str
    """Time of the last message, as recorded; empty when the source records no times."""
    path: str


@dataclass(frozen=True, slots=True)
class StoreBody:
    """A raw record that stays in the store until it is read. Raises StoreError when its session was removed."""

    connections: Connections
    key: int

    def load(self) -> tuple[Raw, Raw]:
        with self.connections.using() as connection:
            return body_of(connection, self.key)


def body_of(connection: sqlite3.Connection, key: int) -> tuple[Raw, Raw]:
    row = connection.execute("SELECT raw, record FROM body WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise StoreError("this message is no longer in the store: its session was removed")
    return loads(row[0]), loads(row[1])


def sessions(connection: sqlite3.Connection) -> list[SessionRow]:
    """Every session, the one with the newest message first; those without times by when they were imported."""
    rows: Iterable[tuple[Any, ...]] = connection.execute("""
        SELECT id, title, format, model, agents, messages, turns, tokens, peak, compactions, changed, path
        FROM session ORDER BY CASE changed WHEN '' THEN imported_at ELSE changed END DESC, rowid DESC""")
    return [SessionRow(*map(plain, row)) for row in rows]


def plain(value: Any) -> Any:
    return text_of(value) if isinstance(value, bytes) else value


def find(connection: sqlite3.Connection, prefix: str) -> str:
    """The id of the session with this id, or the only one whose id begins so. Raises StoreError."""
    ids = [text_of(each) for (each,) in connection.execute("SELECT id FROM session ORDER BY rowid")]
    if prefix in ids:
        return prefix
    found = [each for each in ids if each.startswith(prefix)] if prefix else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise StoreError(f"no stored session has an id that begins with {prefix!r}")
    some = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
    raise StoreError(f"{len(found)} stored sessions have an id that begins with {prefix!r} ({some}): give more of it")


def named(connection: sqlite3.Connection, id: str) -> list[str]:
    """The stored sessions that were recorded under an id, or have it as their own, the oldest import first."""
    rows = "SELECT id FROM session WHERE recorded_id = ? OR id = ? ORDER BY rowid"
    return [text_of(each) for (each,) in connection.execute(rows, (column(id),) * 2)]


def load(connections: Connections, id: str) -> Session:
    """A session with every message's head; bodies are read when they are asked for. Raises StoreError."""
    with connections.using() as connection:
        return session_of(connection, id, lambda key: StoreBody(connections, key))[0]


def session_of(connection: sqlite3.Connection, id: str, body: Callable[[int], Body]) -> tuple[Session, list[int]]:
    """A session whose messages have bodies made of their keys, and the keys by position."""
    columns = "title, format, model, tools, dialect, settings, records_system, problems, path, line"
    found = connection.execute(f"SELECT {columns} FROM session WHERE id = ?", (column(id),)).fetchone()
    if found is None:
        raise StoreError(f"no stored session has the id {id!r}")
    heads = f"SELECT {HEAD}, key FROM message WHERE session_id = ? ORDER BY position"
    rows = connection.execute(heads, (column(id),)).fetchall()
    title, source_format, model, tools, dialect, settings, records_system, problems, path, line = found
    session = Session(
        id,
        text_of(title),
        text_of(source_format),
        tuple([message_of(row, body(row[20])) for row in rows]),
        text_of(model),
        tuple(loads(tools)),
        dialect,
        loads(settings),
        bool(records_system),
        tuple([Problem(**problem) for problem in loads(problems)]),
        text_of(path),
        line,
    )
    return session, [row[20] for row in rows]


def remove(connection: sqlite3.Connection, id: str) -> None:
    """Remove a session and its plans. What it left in the persistent tier stays. Raises StoreError."""
    with transaction(connection):
        require(connection, id)
        connection.execute("DELETE FROM session WHERE id = ?", (column(id),))


def require(connection: sqlite3.Connection, id: str) -> None:
    if connection.execute("SELECT 1 FROM session WHERE id = ?", (column(id),)).fetchone() is None:
        raise StoreError(f"no stored session has the id {id!r}")


def digests(connection: sqlite3.Connection, id: str) -> list[bytes]:
    """The digest of each message by position; made anew when they come from a version that made them otherwise."""
    rules = digest_rules()
    found = connection.execute("SELECT digested_by FROM session WHERE id = ?", (column(id),)).fetchone()
    if found is None:
        raise StoreError(f"no stored session has the id {id!r}")
    if found[0] != rules:
        redigest(connection, id, rules)
    rows = connection.execute("SELECT digest FROM message WHERE session_id = ? ORDER BY position", (column(id),))
    return [digest for (digest,) in rows]


def redigest(connection: sqlite3.Connection, id: str, rules: str) -> None:
    heads = f"SELECT {HEAD}, key FROM message WHERE session_id = ?"
    with transaction(connection):
        for row in connection.execute(heads, (column(id),)).fetchall():
            digest = content_digest(message_of(row, Held(*body_of(connection, row[20]))))
            connection.execute("UPDATE message SET digest = ? WHERE key = ?", (digest, row[20]))
        connection.execute("UPDATE session SET digested_by = ? WHERE id = ?", (rules, column(id)))


def content_digest(message: Message) -> bytes:
    from inspector.tokens.sizes import digest

    return digest(message)


def digest_rules() -> str:
    """What digests are made by now; others are of no use."""
    from inspector.tokens.batches import RULES

    return RULES.decode()


def counts(connection: sqlite3.Connection, digests: Iterable[bytes], counter: str) -> dict[bytes, int]:
    """Tokens of the contents that `counter` has counted before."""
    found: dict[bytes, int] = {}
    for chunk in chunks(dict.fromkeys(digests)):
        marks = ", ".join("?" * len(chunk))
        rows = connection.execute(
            f"SELECT digest, tokens FROM token_count WHERE digest IN ({marks}) AND counter = ?", (*chunk, counter)
        )
        found.update(rows.fetchall())
    return found


def save_counts(connection: sqlite3.Connection, counter: str, tokens: Mapping[bytes, int]) -> None:
    with transaction(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO token_count (digest, counter, tokens) VALUES (?, ?, ?)",
            ((digest, counter, number) for digest, number in tokens.items()),
        )


def set_size(connection: sqlite3.Connection, id: str, tokens: int, peak: int, counter: str) -> None:
    with transaction(connection):
        require(connection, id)
        connection.execute(
            "UPDATE session SET tokens = ?, peak = ?, counter = ? WHERE id = ?", (tokens, peak, counter, column(id))
        )


def chunks(digests: Iterable[bytes]) -> Iterator[list[bytes]]:
    rest = iter(digests)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk
