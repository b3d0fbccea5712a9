"""The entries of the session tier and of the persistent tier, with their sources.

An expired entry is invisible to every reader, even before it is deleted. A key is unique: per session in the session
tier, and across sessions in the persistent tier. Writing an entry with the same key replaces it.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Any, Literal, get_args

from inspector.core.json_objects import Tokens, json_object
from inspector.engine.retrieval import rare_words
from inspector.store.damage import MAX_COUNT, StoreError, decoding, json_list
from inspector.store.erasing import erase_words
from inspector.store.injections import blank_injections
from inspector.store.serialization import Row, column, text_of, to_json
from inspector.store.session_reader import require

MemoryKind = Literal["archived", "summary", "fact", "profile", "preference", "state", "retrieval"]
StoredTierName = Literal["session", "persistent"]
MEMORY_KINDS: tuple[MemoryKind, ...] = get_args(MemoryKind)
STORED_TIERS: tuple[StoredTierName, ...] = get_args(StoredTierName)


@json_object(
    "Entry",
    "id tier kind key text tokens session=session_id agent messages=message_ids created=created_at used=used_at reason"
    " origin pinned=is_pinned expires=expires_at",
)
@dataclass(frozen=True, slots=True)
class Memory:
    """An entry of the session or of the persistent tier."""

    id: Annotated[int, "the number that commands take"]
    kind: MemoryKind
    text: str
    session_id: Annotated[str | None, "id of the session that it comes from; null if there is none or it was deleted"]
    message_id: str | None
    """The last message that it represents."""
    tokens: Annotated[Tokens | None, "null if not counted"]
    created_at: Annotated[str, "ISO time"]
    score: float = 0.0
    """BM25, larger is better; 0 where nothing was searched for."""
    tier: StoredTierName = "persistent"
    key: Annotated[str | None, "the name that it is set and read by"] = None
    agent: str = ""
    message_ids: Annotated[tuple[str, ...], "ids of the messages that it represents, the oldest first"] = ()
    used_at: Annotated[str, "ISO time at which it was last retrieved into a window; empty for never"] = ""
    reason: Annotated[str, "why it was put there"] = ""
    origin: Annotated[str, "what added it: a strategy, user, agent, manager, compaction; empty if unknown"] = ""
    is_pinned: bool = False
    """True if it never expires and survives an undone plan. It is deleted by its number only."""
    expires_at: Annotated[str | None, "ISO time; null for never"] = None
    plan_id: int | None = None
    """The plan that put it here."""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """A filter for entries. None matches any value."""

    tier: StoredTierName | None = None
    kind: MemoryKind | None = None
    session_id: str | None = None
    key: str | None = None
    is_pinned: bool | None = None
    key_start: str | None = None
    """Beginning of the key."""

    def where(self) -> tuple[str, list[Any]]:
        """Return an SQL condition for the matching entries, and its values."""
        names = ("tier", "kind", "session_id", "key", "is_pinned")
        own = zip(names, astuple(self)[: len(names)], strict=True)
        pairs = [(f"memory.{name} = ?", value) for name, value in own if value is not None]
        if self.key_start is not None:
            pairs += [("memory.key >= ?", self.key_start), ("memory.key < ?", f"{self.key_start}{chr(sys.maxunicode)}")]
        terms = " AND ".join(term for term, _ in pairs)
        return terms or "TRUE", [column(value) if isinstance(value, str) else int(value) for _, value in pairs]


@dataclass(frozen=True, slots=True)
class MemorySize:
    """Number and size of the entries of one kind in a tier."""

    tier: StoredTierName
    kind: MemoryKind
    entries: int
    tokens: int
    """Tokens of the counted entries."""
    uncounted: int
    """Number of entries without a count."""
    oldest: str
    newest: str


def _stamp(now: str, after: float = 0.0) -> str:
    """Return the UTC time `after` seconds after `now`, in the format in which times are compared."""
    moment = datetime.fromisoformat(now).astimezone(UTC) + timedelta(seconds=after)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def expiry_of(now: str, ttl: float | None) -> str | None:
    """Return the expiry time for a lifetime of `ttl` seconds, or None without one. Raises StoreError."""
    if ttl is None:
        return None
    try:
        if ttl > 0:
            return _stamp(now, ttl)
    except (OverflowError, ValueError) as error:
        raise StoreError(f"an entry cannot last for {ttl} seconds: give fewer, or none for good") from error
    raise StoreError(f"an entry cannot last for {ttl} seconds: give more than 0, or none for good")


_LASTING = "(memory.expires_at IS NULL OR memory.expires_at > ?)"
"""SQL that holds for an entry whose time is not over; its value is the present time."""
MEMORY_COLUMNS = (
    *("id", "kind", "text", "session_id", "message_id", "tokens", "created_at", "tier", "key", "agent", "message_ids"),
    *("used_at", "reason", "origin", "is_pinned", "expires_at", "plan_id"),
)
_ENTRY = ", ".join(f"memory.{name}" for name in MEMORY_COLUMNS)


# writing


def remember(
    connection: sqlite3.Connection,
    entry: Memory,
    once: bool,
) -> int:
    """Add an entry to its tier, inside the caller's transaction.

    Args:
        connection: Connection to the store.
        entry: The entry. Its number is ignored. One with a key replaces the entry with the same key.
        once: True to keep an equal entry of the same message instead.

    Returns:
        The number of the entry.

    Raises:
        StoreError: The session is not stored.
    """
    if entry.session_id is not None:
        require(connection, entry.session_id)
    elif entry.tier == "session":
        raise StoreError("an entry of the session tier belongs to a session: name one")
    if entry.kind not in MEMORY_KINDS or entry.tier not in STORED_TIERS:
        raise StoreError(f"there is no kind {entry.kind!r} or no tier {entry.tier!r} of memory")
    number = None
    if entry.key is not None:
        number = _number_of_key(connection, entry.tier, entry.kind, entry.key, entry.session_id)
    elif once:
        place = (entry.session_id, entry.message_id)
        number = find_memory(connection, entry.kind, entry.text, *place, entry.created_at, entry.tier)
        if number is not None:
            return number
    if number is None:
        return insert_memory(connection, entry)
    names = [name for name in MEMORY_COLUMNS if name not in ("id", "is_pinned", "used_at")]
    row = dict(zip(MEMORY_COLUMNS, _row_of(entry), strict=True))
    changes = ", ".join(f"{name} = :{name}" for name in names if name != "expires_at")
    lasting = "expires_at = CASE is_pinned WHEN 0 THEN :expires_at END"
    connection.execute(f"UPDATE memory SET {changes}, {lasting} WHERE id = :id", row | {"id": number})
    return number


_INSERTION = f"INSERT INTO memory ({', '.join(MEMORY_COLUMNS)}) VALUES ({', '.join('?' * len(MEMORY_COLUMNS))})"


def insert_memory(connection: sqlite3.Connection, entry: Memory) -> int:
    """Insert an entry inside the caller's transaction, and return its new number. The number in `entry` is ignored."""
    cursor = connection.execute(_INSERTION, (None, *_row_of(entry)[1:]))
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def restore_memory(connection: sqlite3.Connection, entry: Memory) -> None:
    """Insert an entry under its own number, without its key if another entry has that already."""
    if entry.key is not None and _number_of_key(connection, entry.tier, entry.kind, entry.key, entry.session_id):
        entry = replace(entry, key=None)
    connection.execute(_INSERTION, _row_of(entry))


def _row_of(entry: Memory) -> Row:
    """Return the columns of an entry."""
    ids = () if entry.message_ids in ((), (entry.message_id,)) else entry.message_ids
    texts = {name: getattr(entry, name) for name in MEMORY_COLUMNS}
    texts |= {"message_ids": to_json(list(ids), "the entry") if ids else "", "is_pinned": int(entry.is_pinned)}
    return tuple(column(value) if isinstance(value, str) else value for value in texts.values())


def _number_of_key(
    connection: sqlite3.Connection, tier: str, kind: str, key: str, session_id: str | None
) -> int | None:
    query = "SELECT id FROM memory WHERE tier = ? AND kind = ? AND key = ? AND (tier <> 'session' OR session_id = ?)"
    session = None if session_id is None else column(session_id)
    row = connection.execute(query, (tier, kind, column(key), session)).fetchone()
    return row[0] if row else None


def move(connection: sqlite3.Connection, id: int, tier: StoredTierName, now: str, session_id: str | None) -> Memory:
    """Move an entry to another tier, inside the caller's transaction, replacing an entry with the same key there.

    Args:
        connection: Connection to the store.
        id: Number of the entry.
        tier: Tier to move it to.
        now: Current time as ISO text.
        session_id: Session of the session tier. By default the session that the entry comes from.

    Raises:
        StoreError: There is no such entry or session.
    """
    entry = memory(connection, id, now)
    if entry.tier == tier and session_id in (None, entry.session_id):
        return entry
    session = session_id or entry.session_id
    if tier == "session" and session is None:
        raise StoreError(f"the memory {id} comes from no session: name the one to move it to")
    if session is not None:
        require(connection, session)
    if entry.key is not None:
        other = _number_of_key(connection, tier, entry.kind, entry.key, session)
        if other not in (None, id):
            forget(connection, [other])
    new = (tier, None if session is None else column(session), id)
    connection.execute("UPDATE memory SET tier = ?, session_id = ? WHERE id = ?", new)
    return memory(connection, id, now)


def set_expiry(connection: sqlite3.Connection, id: int, now: str, ttl: float | None) -> Memory:
    """Set the lifetime of an entry in seconds, inside the caller's transaction. Raises StoreError if it is pinned."""
    if ttl is not None and memory(connection, id, now).is_pinned:
        raise StoreError(f"the memory {id} is pinned, so it does not expire: unpin it first")
    return mark(connection, id, now, expires_at=expiry_of(now, ttl))


def mark(connection: sqlite3.Connection, id: int, now: str, **changes: Any) -> Memory:
    """Change columns of an entry, inside the caller's transaction. Raises StoreError if it does not exist."""
    memory(connection, id, now)
    names = ", ".join(f"{name} = :{name}" for name in changes)
    connection.execute(f"UPDATE memory SET {names} WHERE id = :id", changes | {"id": id})
    return memory(connection, id, now)


def touch(connection: sqlite3.Connection, ids: Iterable[int], now: str) -> None:
    """Record that entries were retrieved into a window."""
    connection.executemany("UPDATE memory SET used_at = ? WHERE id = ?", ((now, number) for number in ids))


def forget(connection: sqlite3.Connection, ids: Iterable[int]) -> int:
    """Delete entries and every trace of their text, inside the caller's transaction. Return their number."""
    numbers = frozenset(ids)
    count = sum(connection.execute("DELETE FROM memory WHERE id = ?", (number,)).rowcount for number in numbers)
    if count:
        blank_injections(connection, numbers)
        erase_words(connection, "memory_search")
    return count


def sweep(connection: sqlite3.Connection, now: str) -> int:
    """Delete expired entries, inside the caller's transaction. Return their number."""
    rows = connection.execute(f"SELECT id FROM memory WHERE NOT {_LASTING}", (_stamp(now),)).fetchall()
    return forget(connection, [number for (number,) in rows])


# reading


def find_memory(
    connection: sqlite3.Connection,
    kind: MemoryKind,
    text: str,
    session_id: str | None,
    message_id: str | None,
    now: str,
    tier: StoredTierName = "persistent",
) -> int | None:
    """Return the number of the oldest equal entry of the same message, or None."""
    names = [None if name is None else column(name) for name in (session_id, message_id)]
    row = connection.execute(
        f"""
        SELECT min(id) FROM memory
        WHERE kind = ? AND text = ? AND session_id IS ? AND message_id IS ? AND tier = ? AND {_LASTING}""",
        (kind, column(text), *names, tier, _stamp(now)),
    ).fetchone()
    number: int | None = row[0]
    return number


def memory(connection: sqlite3.Connection, id: int, now: str) -> Memory:
    """Return an entry by its number. Raises StoreError if it does not exist or has expired."""
    query = f"SELECT {_ENTRY}, 0.0 FROM memory WHERE id = ? AND {_LASTING}"
    row = connection.execute(query, (id, _stamp(now))).fetchone()
    if row is None:
        raise StoreError(f"there is no memory with the number {id}: see inspector memory ls")
    return entry_of(row)


def memories(
    connection: sqlite3.Connection, meant: MemoryFilter, now: str, limit: int = -1, offset: int = 0
) -> list[Memory]:
    """Return the matching entries, the newest first.

    Args:
        connection: Connection to the store.
        meant: Filter for the entries.
        now: UTC time. Expired entries are left out.
        limit: Maximum number of entries; negative for all.
        offset: Number of entries to skip.
    """
    terms, values = meant.where()
    query = f"SELECT {_ENTRY}, 0.0 FROM memory WHERE {terms} AND {_LASTING} ORDER BY id DESC LIMIT ? OFFSET ?"
    return [entry_of(row) for row in connection.execute(query, (*values, _stamp(now), limit, offset)).fetchall()]


def all_memories(connection: sqlite3.Connection) -> list[Memory]:
    """Return all entries, including expired ones, the oldest first."""
    return [entry_of(row) for row in connection.execute(f"SELECT {_ENTRY}, 0.0 FROM memory ORDER BY id").fetchall()]


def select(connection: sqlite3.Connection, ids: Sequence[int], meant: MemoryFilter, now: str) -> list[Memory]:
    """Return the entries with these numbers that exist and match the filter."""
    terms, values = meant.where()
    marks = ", ".join("?" * len(ids))
    query = f"SELECT {_ENTRY}, 0.0 FROM memory WHERE id IN ({marks}) AND {terms} AND {_LASTING}"
    return [entry_of(row) for row in connection.execute(query, (*ids, *values, _stamp(now))).fetchall()]


def sizes(connection: sqlite3.Connection, meant: MemoryFilter, now: str) -> list[MemorySize]:
    """Return the sizes of the matching entries by tier and kind."""
    terms, values = meant.where()
    query = f"""
        SELECT tier, kind, count(*), coalesce(sum(tokens), 0), count(*) - count(tokens),
            min(created_at), max(created_at)
        FROM memory WHERE {terms} AND {_LASTING} GROUP BY tier, kind ORDER BY tier, kind"""
    with decoding("the sizes of the tiers"):
        rows = connection.execute(query, (*values, _stamp(now))).fetchall()
        return [
            MemorySize(tier, kind, entries, tokens, uncounted, text_of(oldest), text_of(newest))
            for tier, kind, entries, tokens, uncounted, oldest, newest in rows
        ]


def recall(connection: sqlite3.Connection, words: str, limit: int, meant: MemoryFilter, now: str) -> list[Memory]:
    """Return the matching entries with any of the most specific words, the best first."""
    terms = [f'"{word}"' for word in rare_words(words, partial(count_word, connection))]
    if not terms:
        return []
    of_filter, values = meant.where()
    rows = connection.execute(
        f"""
        SELECT {_ENTRY}, -memory_search.rank
        FROM memory_search CROSS JOIN memory ON memory.id = memory_search.rowid
        WHERE memory_search MATCH ? AND {of_filter} AND {_LASTING} ORDER BY memory_search.rank LIMIT ?""",
        (" OR ".join(terms), *values, _stamp(now), limit),
    )
    return [entry_of(row) for row in rows.fetchall()]


def count_word(connection: sqlite3.Connection, word: str) -> int:
    """Return the number of entries of all tiers that contain a word. The word must not contain quotes."""
    rows = connection.execute("SELECT count(*) FROM memory_search WHERE memory_search MATCH ?", (f'"{word}"',))
    return int(rows.fetchone()[0])


def entry_of(row: Sequence[Any]) -> Memory:
    """Return the entry of a row: the columns `_ENTRY`, and a score. Raises DamagedError for invalid values."""
    facts = dict(zip(MEMORY_COLUMNS, row, strict=False))
    with decoding(f"the memory {facts['id']}"):
        for name in ("text", "created_at", "agent", "message_ids", "used_at", "reason", "origin"):
            facts[name] = text_of(facts[name])
        for name in ("session_id", "message_id", "key", "expires_at"):
            facts[name] = None if facts[name] is None else text_of(facts[name])
        tokens, is_pinned = facts["tokens"], facts["is_pinned"]
        if not (tokens is None or (type(tokens) is int and 0 <= tokens <= MAX_COUNT)) or is_pinned not in (0, 1):
            raise ValueError("this is not a number of tokens")
        if facts["kind"] not in MEMORY_KINDS or facts["tier"] not in STORED_TIERS:
            raise ValueError("there is no such kind or tier")
        ids = facts["message_ids"]
        facts["message_ids"] = (
            ids_from_json(ids) if ids else () if facts["message_id"] is None else (facts["message_id"],)
        )
        return Memory(**facts | {"is_pinned": is_pinned == 1, "score": row[-1]})


def ids_from_json(text: str) -> tuple[str, ...]:
    """Return the ids in the column `message_ids`. Raises ValueError or TypeError if it is not a list of ids."""
    ids = json_list(text)
    if not all(isinstance(name, str) for name in ids):
        raise TypeError("an id is not a string")
    return tuple(ids)
