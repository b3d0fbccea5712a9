"""Remove sessions from a store for good, and count their rows before that."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated

from inspector.core.json_objects import json_object
from inspector.store.connections import transaction
from inspector.store.damage import decoding
from inspector.store.serialization import column, text_of
from inspector.store.session_reader import remove, require

_TABLES = ("plan", "bookmark", "memory")
_REMOVE_TRANSCRIPTS = """
    DELETE FROM transcript WHERE session = (SELECT recorded_id FROM session WHERE id = ?1) AND NOT EXISTS (
        SELECT 1 FROM session AS other WHERE other.recorded_id = transcript.session AND other.id <> ?1)"""


@json_object("Stored session", "id title messages plans bookmarks memories source")
@dataclass(frozen=True, slots=True)
class SessionContent:
    """A session in a store, with the numbers of its rows."""

    id: str
    title: str
    messages: int
    plans: int
    bookmarks: int
    memories: Annotated[int, "entries of all tiers that come from it"]
    source: Annotated[str, "file that it was imported from; empty if it was not"]


class SessionRemovals:
    """Removals of sessions from a store. Methods raise StoreError, one sentence, when the file cannot be used."""

    def __init__(self, settled: Callable[[], AbstractContextManager[sqlite3.Connection]]) -> None:
        """Create the removals of a store.

        Args:
            settled: Opens a connection with all journals moved to the log.
        """
        self._settled = settled

    def content(self, session_id: str) -> SessionContent:
        """Return the numbers of rows of a session, zeros if only its totals are stored. Raises StoreError."""
        with self._settled() as connection, decoding(f"the session {session_id!r}"):
            alone = "SELECT title, path FROM rollup WHERE session_id = ?1 AND place = 0"
            alone += " AND NOT EXISTS (SELECT 1 FROM session WHERE id = ?1)"
            if row := connection.execute(alone, (column(session_id),)).fetchone():
                return SessionContent(session_id, text_of(row[0]), 0, 0, 0, 0, text_of(row[1]))
            require(connection, session_id)
            query = "SELECT title, messages, path FROM session WHERE id = ?"
            title, messages, path = connection.execute(query, (column(session_id),)).fetchone()
            plans, bookmarks, memories = (_count(connection, table, session_id) for table in _TABLES)
            return SessionContent(session_id, text_of(title), int(messages), plans, bookmarks, memories, text_of(path))

    def ids_before(self, time: str) -> list[str]:
        """Return the sessions whose last message, or else whose import, is older than an ISO time, oldest first."""
        query = """
            SELECT id FROM (SELECT id, coalesce(nullif(changed, ''), imported_at) AS time FROM session)
            WHERE time < ? ORDER BY time, id"""
        with self._settled() as connection:
            return [text_of(key) for (key,) in connection.execute(query, (time,))]

    def remove(self, session_id: str, with_memories: bool = True, with_rollups: bool = True) -> None:
        """Remove a session with its plans, bookmarks, extracts and transcripts, and the words of all of them.

        Transcripts are kept while another stored session has the same recorded id.

        Args:
            session_id: Id of the session.
            with_memories: True to remove the entries of all tiers that come from it, also pinned ones; False to keep
                those of the persistent tier.
            with_rollups: True to remove its totals, too; False to keep them without the title and the path.

        Raises:
            StoreError: There is no such session.
        """
        key = (column(session_id),)
        with self._settled() as connection, transaction(connection):
            require(connection, session_id)
            connection.execute(_REMOVE_TRANSCRIPTS, key)
            of_session = "json_valid(sessions) AND EXISTS (SELECT 1 FROM json_each(sessions) WHERE value = ?)"
            connection.execute(f"DELETE FROM source WHERE {of_session}", key)
            if with_memories:
                connection.execute("DELETE FROM memory WHERE session_id = ?", key)
            remove(connection, session_id, with_rollups)


def _count(connection: sqlite3.Connection, table: str, session_id: str) -> int:
    query = f"SELECT count(*) FROM {table} WHERE session_id = ?"
    return int(connection.execute(query, (column(session_id),)).fetchone()[0])
