"""Reading the store: the list of sessions, one session with its messages' bodies left where they are, and counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, cast

from inspector.core.conversation import MAIN, Body, InMemoryBody, Message, Part, Problem, Raw, Session
from inspector.store.connections import Connections, snapshot, transaction
from inspector.store.damage import (
    SOUND_COUNT,
    SOUND_MESSAGE,
    SOUND_SESSION,
    DamagedError,
    StoreError,
    decoding,
    json_list,
    json_object,
    refuse,
    require_chain,
)
from inspector.store.erasing import erase_words
from inspector.store.rollup_rows import blank_rollups, drop_rollups
from inspector.store.serialization import HEAD, JOINED, column, message_of, settings_of, text_of

_CHUNK = 500
"""Digests that are asked for in one statement."""
_MAX_TAIL_LENGTH = 5_000
"""Messages that are looked through for the beginning of the newest context; with fewer before it all is read."""


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
    """Tokens of the whole log. None until they are counted, and after the log has grown."""
    peak: int | None
    """Tokens of the largest window, reported or counted; None when neither is known."""
    compactions: int
    changed: str
    """Time of the last message, as recorded; empty when the source records no times."""
    path: str
    folder: str = ""
    """The folder that the agent worked in; empty where the source does not record it."""
    damage: int = 0
    """How many parts of the source could not be read."""
    is_joined: bool = False
    """True if it has its captured requests."""


@dataclass(frozen=True, slots=True)
class StoreBody:
    """A raw record that stays in the store until it is read. Raises StoreError when its session was removed."""

    connections: Connections
    key: int

    def load(self) -> tuple[Raw, Raw]:
        with self.connections.use() as connection:
            return body_of(connection, self.key)


def body_of(connection: sqlite3.Connection, key: int) -> tuple[Raw, Raw]:
    """Return the raw message and its record. Raises StoreError if the message was removed, and DamagedError."""
    row = connection.execute("SELECT raw, record FROM body WHERE key = ?", (key,)).fetchone()
    if row is None and connection.execute("SELECT 1 FROM message WHERE key = ?", (key,)).fetchone():
        raise DamagedError(f"the text of the message with the key {key} is missing")
    if row is None:
        raise StoreError("this message is no longer in the store: its session was removed")
    try:
        return json_object(row[0]), json_object(row[1])
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedError(f"the text of the message with the key {key} cannot be read") from error


def sessions(connection: sqlite3.Connection, limit: int = -1, id: str | None = None) -> list[SessionRow]:
    """Return sessions, the one with the newest message first. Without recorded times, the import time counts.

    Args:
        connection: Connection to the store.
        limit: Maximum number of sessions; -1 for all.
        id: Id of the only session to return; None for all.
    """
    refuse(connection, f"SELECT id FROM session WHERE NOT coalesce({SOUND_SESSION}, 0) LIMIT 1", (), "the session")
    only = ""
    values: list[str | bytes | int] = [limit]
    if id is not None:
        only, values = "WHERE id = ?", [column(id), limit]
    query = f"""
        SELECT id, title, format, model, agents, messages, turns, tokens, peak, compactions, changed, path,
            coalesce((SELECT json_extract(record, '$.cwd') FROM message JOIN body ON body.key = message.key
                WHERE session_id = session.id AND position < 3 AND json_valid(record)
                    AND json_type(record, '$.cwd') = 'text' ORDER BY position LIMIT 1), ''),
            CASE WHEN json_valid(problems) THEN json_array_length(problems) ELSE 0 END,
            instr(settings, '"{JOINED}"') > 0
        FROM session {only}
        ORDER BY CASE changed WHEN '' THEN imported_at ELSE changed END DESC, rowid DESC LIMIT ?"""
    rows = connection.execute(query, values)
    with decoding("the list of sessions"):
        return [_session_row(row) for row in rows]


def _session_row(row: Sequence[Any]) -> SessionRow:
    """Return a row with valid numbers. Raises AttributeError for invalid text."""
    texts: list[Any] = [text_of(row[place]) for place in (0, 1, 2, 3, 10, 11, 12)]
    return SessionRow(*texts[:4], *row[4:10], *texts[4:], *row[13:14], *map(bool, row[14:]))


def find(connection: sqlite3.Connection, prefix: str) -> str:
    """Return the id of the session with this id or unique prefix. Raises StoreError."""
    with decoding("the ids of the sessions"):
        ids = [text_of(key) for (key,) in connection.execute("SELECT id FROM session ORDER BY rowid")]
    return only_match(prefix, [key for key in ids if key == prefix or (prefix and key.startswith(prefix))])


def only_match(prefix: str, matches: Sequence[str]) -> str:
    """Return the id that is the prefix, or the only one of the ids that begin with it. Raises StoreError."""
    if prefix in matches:
        return prefix
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise StoreError(f"no stored session has an id that begins with {prefix!r}")
    some = ", ".join(matches[:3]) + (", …" if len(matches) > 3 else "")
    raise StoreError(f"{len(matches)} stored sessions have an id that begins with {prefix!r} ({some}): give more of it")


def ids_under(connection: sqlite3.Connection, id: str) -> list[str]:
    """Return the ids of the sessions whose recorded or stored id is `id`, the oldest import first."""
    rows = "SELECT id FROM session WHERE recorded_id = ? OR id = ? ORDER BY rowid"
    with decoding("the ids of the sessions"):
        return [text_of(row_id) for (row_id,) in connection.execute(rows, (column(id),) * 2)]


def load(connections: Connections, id: str) -> Session:
    """Return a session with the heads of its messages. Bodies are read when they are needed. Raises StoreError."""
    with connections.use() as connection, snapshot(connection):
        return session_of(connection, id, lambda key: StoreBody(connections, key))[0]


def session_of(connection: sqlite3.Connection, id: str, body: Callable[[int], Body]) -> tuple[Session, list[int]]:
    """Return a session and the keys of its messages.

    Args:
        connection: Connection to the store.
        id: Id of the session.
        body: Returns the body of a message by its key.

    Returns:
        The session, and the keys by position.

    Raises:
        DamagedError: A value is invalid.
    """
    require_sound(connection, id)
    head = _session_head(connection, id)
    heads = f"SELECT {HEAD}, key FROM message WHERE session_id = ? ORDER BY position"
    rows = connection.execute(heads, (column(id),)).fetchall()
    with decoding(f"the session {id!r}"):
        messages = tuple([message_of(row, body(row[-1])) for row in rows])
        _require_log(messages, head[10])
        session = _session_with(id, head, messages)
    return session, [row[-1] for row in rows]


def load_tail(connections: Connections, id: str) -> Session | None:
    """Return the newest context of a long session, or None if that is the whole session. Raises StoreError.

    It is shown while the rest is being read. Ids of messages are those of the whole session, positions are not.
    """
    with connections.use() as connection, snapshot(connection):
        newest = "SELECT position, parent, agent FROM message WHERE session_id = ? ORDER BY position DESC LIMIT ?"
        places = connection.execute(newest, (column(id), _MAX_TAIL_LENGTH)).fetchall()
        first = next((place for place, parent, agent in places if parent == -1 and agent == MAIN), 0)
        if first < _MAX_TAIL_LENGTH:
            return None
        unsound = (
            "SELECT position FROM message WHERE session_id = ? AND position >= ? "
            f"AND NOT coalesce({SOUND_MESSAGE}, 0) LIMIT 1"
        )
        refuse(connection, unsound, (column(id), first), f"the session {id!r}: the message at position")
        head = _session_head(connection, id)
        heads = f"SELECT {HEAD}, key FROM message WHERE session_id = ? AND position >= ? ORDER BY position"
        rows = connection.execute(heads, (column(id), first)).fetchall()
        with decoding(f"the session {id!r}"):
            whole = [message_of(row, StoreBody(connections, row[-1])) for row in rows]
            messages = tuple([replace(message, parent=max(-1, message.parent - first)) for message in whole])
            require_chain([message.parent for message in messages])
            return _session_with(id, head, messages)


def _session_head(connection: sqlite3.Connection, id: str) -> Sequence[Any]:
    """Return the columns of a session, for `_session_with`. Raises StoreError."""
    columns = "title, format, model, tools, dialect, settings, records_system, problems, path, line, messages"
    head = connection.execute(f"SELECT {columns} FROM session WHERE id = ?", (column(id),)).fetchone()
    if head is None:
        raise StoreError(f"no stored session has the id {id!r}")
    return cast(Sequence[Any], head)


def _session_with(id: str, head: Sequence[Any], messages: tuple[Message, ...]) -> Session:
    title, source_format, model, tools, dialect, settings, records_system, problems, path, line = head[:10]
    plain_settings, sizes, capture = settings_of(settings)
    return Session(
        id,
        text_of(title),
        text_of(source_format),
        messages,
        text_of(model),
        tuple([require_object(tool) for tool in json_list(tools)]),
        dialect,
        plain_settings,
        bool(records_system),
        tuple([problem_of(problem) for problem in json_list(problems)]),
        text_of(path),
        line,
        sizes,
        capture=capture,
    )


def require_sound(connection: sqlite3.Connection, id: str) -> None:
    """Raise DamagedError if a number or keyword in the columns of a session is invalid."""
    session = (column(id),)
    unsound = f"SELECT id FROM session WHERE id = ? AND NOT coalesce({SOUND_SESSION}, 0)"
    refuse(connection, unsound, session, "the session")
    unsound = f"SELECT position FROM message WHERE session_id = ? AND NOT coalesce({SOUND_MESSAGE}, 0) LIMIT 1"
    refuse(connection, unsound, session, f"the session {id!r}: the message at position")
    places = "SELECT count(*), min(position), max(position) FROM message WHERE session_id = ?"
    number, first, last = connection.execute(places, session).fetchone()
    if number and (first, last) != (0, number - 1):
        raise DamagedError(f"the session {id!r} has lost messages")


def _require_log(messages: Sequence[Message], number: int) -> None:
    """Raise ValueError for messages that are no whole log of `number` messages."""
    if len(messages) != number:
        raise ValueError(f"{len(messages)} of {number} messages are there")
    if len({message.id for message in messages}) != number:
        raise ValueError("two messages have one id")
    require_chain([message.parent for message in messages])


def require_object(value: Any) -> dict[str, Any]:
    """Return a value that is a JSON object. Raises TypeError for any other."""
    if not isinstance(value, dict):
        raise TypeError("this is not a JSON object")
    return value


def problem_of(value: dict[str, Any]) -> Problem:
    """Return a problem that was found in the source. Raises TypeError for unknown fields."""
    problem = Problem(**value)
    kinds = ((problem.text, str), (problem.line, int | None), (problem.message, str | None))
    if not all(isinstance(field, kind) for field, kind in kinds):
        raise TypeError("a field of a problem has the wrong type")
    return problem


def remove(connection: sqlite3.Connection, id: str, with_rollups: bool = True) -> None:
    """Remove a session and its plans. Its entries in the persistent tier are kept. Raises StoreError."""
    with transaction(connection):
        require(connection, id)
        (drop_rollups if with_rollups else blank_rollups)(connection, id)
        connection.execute("DELETE FROM session WHERE id = ?", (column(id),))
        erase_words(connection, "message_search", "memory_search")


def require(connection: sqlite3.Connection, id: str) -> None:
    if connection.execute("SELECT 1 FROM session WHERE id = ?", (column(id),)).fetchone() is None:
        raise StoreError(f"no stored session has the id {id!r}")


def digests(connection: sqlite3.Connection, id: str) -> list[bytes]:
    """Return the digest of each message by position. Those of an older version are computed again."""
    rules = digest_rules()
    row = connection.execute("SELECT digested_by FROM session WHERE id = ?", (column(id),)).fetchone()
    if row is None:
        raise StoreError(f"no stored session has the id {id!r}")
    if row[0] != rules:
        _redigest(connection, id, rules)
    require_sound(connection, id)
    rows = connection.execute("SELECT digest FROM message WHERE session_id = ? ORDER BY position", (column(id),))
    return [digest for (digest,) in rows]


def _redigest(connection: sqlite3.Connection, id: str, rules: str) -> None:
    heads = f"SELECT {HEAD}, key FROM message WHERE session_id = ?"
    require_sound(connection, id)
    with transaction(connection), decoding(f"the session {id!r}"):
        for row in connection.execute(heads, (column(id),)).fetchall():
            digest = content_digest(message_of(row, InMemoryBody(*body_of(connection, row[-1]))))
            connection.execute("UPDATE message SET digest = ? WHERE key = ?", (digest, row[-1]))
        connection.execute("UPDATE session SET digested_by = ? WHERE id = ?", (rules, column(id)))


def content_digest(message: Message, parts: Sequence[Part] | None = None) -> bytes:
    """See `inspector.llm.tokens.digest`."""
    from inspector.llm.tokens import digest

    return digest(message, parts)


def digest_rules() -> str:
    """Return the version of the rules for digests. Digests of other versions are not used."""
    from inspector.llm.tokens import RULES

    return RULES.decode()


def counts(connection: sqlite3.Connection, digests: Iterable[bytes], counter: str) -> dict[bytes, int]:
    """Return known token counts of a counter by content. Invalid counts are ignored, and counted again later.

    Args:
        connection: Connection to the store.
        digests: Digests of contents.
        counter: Name of the counter.
    """
    tokens: dict[bytes, int] = {}
    for chunk in _chunks(dict.fromkeys(digests)):
        marks = ", ".join("?" * len(chunk))
        rows = connection.execute(
            f"SELECT digest, tokens FROM token_count WHERE digest IN ({marks}) AND counter = ? AND {SOUND_COUNT}",
            (*chunk, counter),
        )
        tokens.update(rows.fetchall())
    return tokens


def save_counts(connection: sqlite3.Connection, counter: str, tokens: Mapping[bytes, int]) -> None:
    """Store the token counts of a counter, by digest.

    Args:
        connection: Connection to the store, inside a transaction.
        counter: Name of the counter.
        tokens: Tokens by digest.
    """
    with transaction(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO token_count (digest, counter, tokens) VALUES (?, ?, ?)",
            ((digest, counter, number) for digest, number in tokens.items()),
        )


def set_size(
    connection: sqlite3.Connection, id: str, tokens: int, peak: int, counter: str, messages: int | None
) -> None:
    """Store the size of a session and its largest window in tokens. Raises StoreError if the session does not exist.

    Args:
        connection: Connection to the store, inside a transaction.
        id: Id of the session.
        tokens: Tokens of its current window.
        peak: Tokens of its largest window.
        counter: Name of the counter.
        messages: Number of messages that were counted; None for all.
    """
    with transaction(connection):
        require(connection, id)
        connection.execute(
            "UPDATE session SET tokens = :tokens, peak = :peak, counter = :counter WHERE id = :id AND "
            "coalesce(:messages, -1) IN (-1, (SELECT count(*) FROM message WHERE session_id = :id))",
            {"tokens": tokens, "peak": peak, "counter": counter, "id": column(id), "messages": messages},
        )


def _chunks(digests: Iterable[bytes]) -> Iterator[list[bytes]]:
    rest = iter(digests)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk
