"""A small SQLite file that several programs share: one transaction at a time, and no trace of what was deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspector.core.text import make_private_file, make_private_folder

_LOCK_TIMEOUT = 30.0
"""Seconds to wait while another program writes."""


@contextmanager
def sqlite_transaction(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """A connection to a file that only its owner can read, inside a transaction that is committed at the end.

    The first use makes the file, with the statements of `schema`. What is not committed is rolled back. Raises
    sqlite3.Error and OSError where the file cannot be used.
    """
    make_private_folder(path.parent)
    make_private_file(path)
    connection = sqlite3.connect(path, timeout=_LOCK_TIMEOUT, isolation_level=None)
    try:
        connection.execute("PRAGMA secure_delete = ON")
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            connection.executescript(f"BEGIN IMMEDIATE; {schema} PRAGMA user_version = 1; COMMIT")
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")
    finally:
        connection.close()  # what was not committed is rolled back
