"""Write sessions and totals to a team's store: whole batches or nothing of them, however often they are sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from hashlib import sha256
from typing import Any

import orjson

from inspector.core.conversation import Session
from inspector.core.sequences import common_start
from inspector.store.importing import session_facts
from inspector.store.rollup_rows import ROLLUP_COLUMNS, Rollup, RollupPart
from inspector.store.serialization import message_json, text_of
from inspector.store.socket_deadlines import PsycopgConnection
from inspector.store.team_connection import TeamClient, TeamConnection
from inspector.store.team_store import search_words

_MAX_INDEXED = 200_000
"""Characters of a message whose words are indexed. PostgreSQL refuses an index entry of more than a megabyte."""
_TIMEOUT = 300.0
"""Seconds that a batch may take."""
_MAX_ROWS = 2_000
_MAX_CHARS = 16_000_000
"""Messages that one statement adds, and their characters, of which one message may have more."""
LOCKS = 44
"""Number that separates the locks of pushes from those of other programs."""
_FACTS = (
    "title", "format", "dialect", "model", "line", "agents", "messages", "turns", "compactions", "peak", "changed",
    "settings", "tools", "problems",
)  # fmt: skip
LOCK_TOTALS = "SELECT pg_advisory_xact_lock(%s, 0)"
"""Lets pushes take turns, because they add to the same days."""
LOCK_IDS = """
    SELECT pg_advisory_xact_lock(%s, key)
    FROM (SELECT DISTINCT hashtext(name) AS key FROM unnest(%s::text[]) AS name ORDER BY 1) AS keys"""
"""Locks ids in one order, so that two pushes never wait for each other."""
_SESSION = ("id", "project", "origin", "source", "has_text", "folder", "records_system", "tokens", *_FACTS)
_MESSAGE = ("session_id", "position", "digest", "id", "agent", "role", "data", "words")
_DATA = _MESSAGE.index("data")
_PUSHED = ("session_id", "origin", "source", "has_text")
_PART = ("session_id", "project", "is_first", "ended", "agent", *(field.name for field in fields(RollupPart)))


@dataclass(frozen=True, slots=True)
class TeamSession:
    """A session to push, as the team may read it."""

    session: Session
    rollups: Sequence[Rollup]
    origin: bytes
    """Digest of the store that pushes it, and of its id there."""
    source: bytes
    """Keyed digest of what is pushed. An equal one is not sent again."""
    has_text: bool = True
    """False to push its totals alone."""
    folder: str = ""
    tokens: int | None = None
    peak: int | None = None

    @property
    def project(self) -> str:
        return self.rollups[0].project if self.rollups else ""

    @property
    def other_id(self) -> str:
        """Id under which the session is stored if another one has its own."""
        return f"{self.session.id}~{self.origin.hex()[:8]}"


@dataclass(frozen=True, slots=True)
class _Stored:
    """A session of the team's store that has the id of one to push."""

    origin: bytes
    project: str
    is_own: bool
    has_text: bool
    digests: Sequence[bytes]

    def is_same(self, item: TeamSession) -> bool:
        return self.is_own and self.origin == item.origin

    def contains(self, item: TeamSession, shared: int, total: int) -> bool:
        """Return True if `shared` is the number of messages to push, and the row of the session need not change."""
        is_part = item.has_text and self.has_text and shared == total
        return is_part and (len(self.digests) > total or not self.is_same(item))

    def is_replaced(self, item: TeamSession, shared: int) -> bool:
        """Return True if the session to push is a later state of this one. `shared` messages are equal."""
        goes_on = self.is_own and self.has_text and item.has_text and shared == len(self.digests)
        return goes_on or self.is_same(item)


class TeamWriter(TeamClient):
    """Writes to a team's store. If a method raises StoreError, it has written nothing."""

    def __init__(self, address: str) -> None:
        """Open a team's store for writing. See `TeamStore`."""
        super().__init__(TeamConnection(address, writes=True, timeout=_TIMEOUT))
        self._connection.query("SELECT 1")

    def sources(self, origins: Sequence[bytes]) -> dict[bytes, tuple[bytes, bool]]:
        """Return the source of each pushed session, and whether it has text, by origin. Unknown ones are missing.

        The source of a session that was removed is empty.
        """
        query = "SELECT origin, source, has_text FROM pushed WHERE origin = ANY (%s)"
        rows = self._connection.query(query, (list(origins),))
        return {bytes(origin): (bytes(source), has_text) for origin, source, has_text in rows}

    def write(self, batch: Sequence[TeamSession]) -> int:
        """Write sessions in one transaction, and return the number of messages that were sent.

        A session that is stored already, from any machine, is not written twice. One that has grown adds its new
        messages, and one of another origin with the same id becomes another session.

        Args:
            batch: The sessions. Their texts are stored as they are.
        """
        work = [_Work(item, [*_message_rows(item.session)] if item.has_text else []) for item in batch]
        with self._connection.transaction() as connection:
            names = sorted({_clean(name) for item in batch for name in (item.session.id, item.other_id)})
            connection.execute(LOCK_IDS, (LOCKS, names))
            stored = _stored(connection, names)
            changes = [change for one in work if (change := _change_of(one, stored))]
            _write_sessions(connection, changes)
            sent = _add_messages(connection, changes)
            _write_rollups(connection, changes)
            return sent


@dataclass(frozen=True, slots=True)
class _Work:
    """A session with the rows of its messages."""

    item: TeamSession
    messages: Sequence[tuple[Any, ...]]

    @property
    def digests(self) -> list[bytes]:
        return [row[1] for row in self.messages]


@dataclass(frozen=True, slots=True)
class _Change:
    """Rows of a session that are written."""

    work: _Work
    id: str
    is_new: bool
    kept: int = 0
    """Messages that are stored already and stay."""


def _change_of(work: _Work, stored: Mapping[str, _Stored]) -> _Change | None:
    """Return what is to be written of a session; None if the store has all of it."""
    item, digests = work.item, work.digests
    for name in (_clean(item.session.id), _clean(item.other_id)):
        there = stored.get(name)
        if there is None:
            return _Change(work, name, is_new=True)
        kept = common_start(there.digests, digests)
        if there.contains(item, kept, len(digests)):
            return None
        if there.is_replaced(item, kept):
            return _Change(work, name, is_new=False, kept=kept if there.project == _clean(item.project) else 0)
    return None


def _write_sessions(connection: PsycopgConnection, changes: list[_Change]) -> None:
    """Write the rows of sessions, and remove what they replace. A change gets another id if its own is taken.

    Args:
        connection: Connection inside a transaction.
        changes: The changes, whose ids are replaced in place.
    """
    old = [change for change in changes if not change.is_new]
    if old:
        with connection.cursor() as cursor:
            cuts = [(change.id, change.kept) for change in old]
            cursor.executemany("DELETE FROM message WHERE session_id = %s AND position >= %s", cuts)
            cursor.execute("DELETE FROM session WHERE id = ANY (%s)", ([change.id for change in old],))
    added = _insert(connection, "session", _SESSION, map(_session_row, changes))
    hidden = [place for place, change in enumerate(changes) if change.id not in added]
    for place in hidden:
        changes[place] = replace(changes[place], id=_clean(changes[place].work.item.other_id))
    _insert(connection, "session", _SESSION, [_session_row(changes[place]) for place in hidden])


def _session_row(change: _Change) -> tuple[object, ...]:
    item = change.work.item
    facts = session_facts(item.session)
    if item.peak is not None:
        facts["peak"] = item.peak
    row = (change.id, item.project, item.origin, item.source, item.has_text, item.folder, item.session.records_system)
    texts = (text_of(value) if isinstance(value, bytes) else value for value in (facts[name] for name in _FACTS))
    return (*row, item.tokens, *texts)


def _add_messages(connection: PsycopgConnection, changes: Sequence[_Change]) -> int:
    """Add the new messages of sessions, some at a time, and return their number."""
    rows = [(change.id, *row) for change in changes for row in change.work.messages[change.kept :]]
    for some in _batches(rows):
        ids = sorted({_clean(row[0]) for row in some})
        connection.execute("SELECT add_messages(%s::json, %s)", (_rows_json(_MESSAGE, some), ids))
    return len(rows)


def _batches(rows: Sequence[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield the rows of messages, as many at a time as one statement adds."""
    first = size = 0
    for place, row in enumerate(rows):
        size += len(row[_DATA])
        if place > first and (size > _MAX_CHARS or place - first >= _MAX_ROWS):
            yield rows[first:place]
            first, size = place, len(row[_DATA])
    if rows:
        yield rows[first:]


def _write_rollups(connection: PsycopgConnection, changes: Sequence[_Change]) -> None:
    """Replace the totals of sessions."""
    connection.execute(LOCK_TOTALS, (LOCKS + 1,))
    if old := [change.id for change in changes if not change.is_new]:
        connection.execute("DELETE FROM rollup WHERE session_id = ANY (%s)", (old,))
        connection.execute("DELETE FROM rollup_part WHERE session_id = ANY (%s)", (old,))
        connection.execute("DELETE FROM pushed WHERE session_id = ANY (%s)", (old,))
    rollups, parts = [], []
    for change in changes:
        seen: set[tuple[str, str]] = set()
        for rollup in change.work.item.rollups:
            rollups.append((change.id, *(getattr(rollup, name) for name in ROLLUP_COLUMNS[1:])))
            for part in rollup.parts:
                is_first = (part.kind, part.name) not in seen
                seen.add((part.kind, part.name))
                head = (change.id, change.work.item.project, int(is_first), rollup.ended, rollup.agent)
                parts.append((*head, *astuple(part)))
    _insert(connection, "rollup", ROLLUP_COLUMNS, rollups)
    _insert(connection, "rollup_part", _PART, parts)
    items = [(change.id, change.work.item) for change in changes]
    connection.execute("DELETE FROM pushed WHERE origin = ANY (%s)", ([item.origin for _, item in items],))
    _insert(connection, "pushed", _PUSHED, [(key, item.origin, item.source, item.has_text) for key, item in items])


def _insert(
    connection: PsycopgConnection, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> set[str]:
    """Insert rows with one statement.

    Args:
        connection: Connection inside a transaction.
        table: Name of the table.
        columns: Its columns.
        rows: Values of the columns.

    Returns:
        The values of the first column in the inserted rows. A row whose key is stored already is left out.
    """
    names = ", ".join(columns)
    statement: Any = (
        f"INSERT INTO {table} ({names}) SELECT {names} FROM json_populate_recordset(NULL::{table}, %s::json) "
        f"ON CONFLICT DO NOTHING RETURNING {columns[0]}"
    )
    return {str(key) for (key,) in connection.execute(statement, (_rows_json(columns, rows),))}


def _rows_json(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return orjson.dumps([dict(zip(columns, map(_json_value, row), strict=True)) for row in rows]).decode()


def _json_value(value: object) -> object:
    match value:
        case str():
            return _clean(value)
        case bytes():
            return f"\\x{value.hex()}"
    return value


def _stored(connection: PsycopgConnection, names: Sequence[str]) -> dict[str, _Stored]:
    """Return the visible sessions with some ids."""
    query = """
        SELECT id, origin, project, pushed_by = current_user, has_text,
            ARRAY (SELECT digest FROM message WHERE session_id = session.id ORDER BY position)
        FROM session WHERE id = ANY (%s)"""
    rows = connection.execute(query, (list(names),))
    return {
        name: _Stored(bytes(origin), project, own, text, [*map(bytes, digests)])
        for name, origin, project, own, text, digests in rows
    }


def _message_rows(session: Session) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a session's messages, without its id."""
    for position, message in enumerate(session.messages):
        data = message_json(replace(message, has_flaw=None))
        words = " ".join(search_words(message.text[:_MAX_INDEXED]))
        head = (_clean(message.id), _clean(message.agent), message.role)
        yield position, sha256(data.encode()).digest(), *head, data, words


def _clean(text: str) -> str:
    """Return a text that PostgreSQL can store."""
    return text.replace("\0", "�").encode("utf-8", "replace").decode()
