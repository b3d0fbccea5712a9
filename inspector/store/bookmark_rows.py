"""Bookmarks of messages, with notes. They belong to their session, and of a note that is gone no text stays."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated, Any

from inspector.core.json_objects import json_object
from inspector.store.connections import transaction
from inspector.store.damage import SOUND_BOOKMARK, StoreError, decoding, refuse
from inspector.store.erasing import erase_words
from inspector.store.serialization import column, text_of
from inspector.store.session_reader import require

_ROWS = """
    SELECT b.session_id, b.position, m.id, b.note, b.created_at, b.changed_at
    FROM bookmark b JOIN message m ON m.session_id = b.session_id AND m.position = b.position"""


@json_object(keys="note created_at changed_at")
@dataclass(frozen=True, slots=True)
class Bookmark:
    """A message that a person wants to find again."""

    session_id: str
    position: int
    """Position of the message in the log, from 0."""
    message_id: str
    note: str
    created_at: Annotated[str, "ISO time"]
    changed_at: Annotated[str, "ISO time; when the note was written last"]


class Bookmarks:
    """The bookmarks of a store. Every method raises StoreError, one sentence, when the file cannot be used."""

    def __init__(
        self, settled: Callable[[], AbstractContextManager[sqlite3.Connection]], clock: Callable[[], str]
    ) -> None:
        """Create the bookmarks of a store.

        Args:
            settled: Opens a connection with all journals moved to the log.
            clock: Returns the current time as ISO text.
        """
        self._settled = settled
        self._clock = clock

    def of(self, session_id: str) -> list[Bookmark]:
        """Return the bookmarks of a session, in the order of its log."""
        with self._settled() as connection:
            return all_bookmarks(connection, session_id)

    def all(self) -> list[Bookmark]:
        """Return the bookmarks of all sessions, grouped by session."""
        with self._settled() as connection:
            return all_bookmarks(connection)

    def put(self, session_id: str, message_id: str, note: str = "") -> None:
        """Bookmark a message, or replace the note of its bookmark.

        Args:
            session_id: Id of the session.
            message_id: Id of the message.
            note: Text of the note.

        Raises:
            StoreError: There is no such session or message.
        """
        with self._settled() as connection, transaction(connection):
            require(connection, session_id)
            key = (column(session_id), column(message_id))
            row = connection.execute("SELECT position FROM message WHERE session_id = ? AND id = ?", key).fetchone()
            if row is None:
                raise StoreError(f"the session {session_id!r} has no message {message_id!r}")
            now = self._clock()
            place = (column(session_id), row[0])
            old = connection.execute(
                "SELECT note FROM bookmark WHERE session_id = ? AND position = ?", place
            ).fetchone()
            connection.execute(
                """
                INSERT INTO bookmark (session_id, position, note, created_at, changed_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (session_id, position) DO UPDATE SET note = excluded.note, changed_at = excluded.changed_at
                WHERE note <> excluded.note""",
                (*place, column(note), now, now),
            )
            if old is not None:
                erase_words(connection)

    def remove(self, session_id: str, message_id: str) -> bool:
        """Remove the bookmark of a message.

        Args:
            session_id: Id of the session.
            message_id: Id of the message.

        Returns:
            False if the message has no bookmark.
        """
        with self._settled() as connection, transaction(connection):
            require(connection, session_id)
            place = "SELECT position FROM message WHERE session_id = ? AND id = ?"
            statement = f"DELETE FROM bookmark WHERE session_id = ? AND position = ({place})"
            key = column(session_id)
            is_removed = connection.execute(statement, (key, key, column(message_id))).rowcount > 0
            if is_removed:
                erase_words(connection)
            return is_removed


def all_bookmarks(connection: sqlite3.Connection, session_id: str | None = None) -> list[Bookmark]:
    """Return the bookmarks of a session, or of all if `session_id` is None. Raises DamagedError."""
    only, values = ("", ()) if session_id is None else (" WHERE b.session_id = ?", (column(session_id),))
    query = f"SELECT b.id FROM bookmark b{only}{' AND' if only else ' WHERE'} NOT coalesce({SOUND_BOOKMARK}, 0) LIMIT 1"
    refuse(connection, query, values, "the bookmark")
    rows = connection.execute(f"{_ROWS}{only} ORDER BY b.session_id, b.position", values)
    with decoding("a bookmark"):
        return [_bookmark_of(row) for row in rows]


def _bookmark_of(row: tuple[Any, ...]) -> Bookmark:
    """Return the bookmark of a row. Raises AttributeError or ValueError for invalid text."""
    session_id, position, message_id, note, created_at, changed_at = row
    return Bookmark(
        text_of(session_id), position, text_of(message_id), text_of(note), text_of(created_at), text_of(changed_at)
    )
