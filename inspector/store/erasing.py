"""Deletes text so that none of it is left in tables, search indexes, free pages or the log of the file.

SQLite overwrites deleted content (`PRAGMA secure_delete` in every connection). A full-text index keeps the words of
deleted texts until its parts are merged, and the log keeps old pages. This module removes both.
"""

from __future__ import annotations

import sqlite3
from typing import Literal

from inspector.store.connections import Connection


def erase_words(connection: sqlite3.Connection, *indexes: Literal["memory_search", "message_search"]) -> None:
    """Remove the words of deleted texts from search indexes, inside the caller's transaction.

    The log is emptied, and the automatic backups are deleted, after the transaction.
    """
    for index in indexes:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    if isinstance(connection, Connection):
        connection.traces = "new"
