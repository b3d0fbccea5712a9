"""The files that Inspector wrote for a person, by name and content: those it may write again without asking."""

from __future__ import annotations

import sqlite3

from inspector.store.columns import column
from inspector.store.connections import transaction


def note_written(connection: sqlite3.Connection, path: str, digest: bytes, now: str) -> None:
    """Keep the digest of a file that was just written, in place of what was written there before."""
    with transaction(connection):
        connection.execute("INSERT OR REPLACE INTO output VALUES (?, ?, ?)", (column(path), digest, now))


def has_written(connection: sqlite3.Connection, path: str, digest: bytes) -> bool:
    """Whether a file with this content was the last that was written there."""
    row = connection.execute("SELECT 1 FROM output WHERE path = ? AND digest = ?", (column(path), digest)).fetchone()
    return row is not None
