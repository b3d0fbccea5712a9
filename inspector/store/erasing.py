"""Deleting so that no text stays in the file: not in its tables, its search indexes, its free pages or its log.

SQLite overwrites what it deletes (`PRAGMA secure_delete`, for every connection). A full-text index keeps the words of
a deleted text until its parts are merged, and the log beside the file keeps pages as they were: both are seen to here.
"""

from __future__ import annotations

import sqlite3
from typing import Literal

from inspector.store.connections import Connection


def erase_words(connection: sqlite3.Connection, *indexes: Literal["memory_search", "message_search"]) -> None:
    """Take the words of deleted texts out of search indexes, whose parts become one, inside the caller's transaction.

    Once that has ended, the log beside the file is emptied.
    """
    for index in indexes:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    if isinstance(connection, Connection):
        connection.traces = "new"
