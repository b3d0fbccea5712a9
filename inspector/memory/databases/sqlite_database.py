"""A small SQLite file that several programs share, without a trace of deleted text."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from inspector.core.errors import InspectorError
from inspector.core.text import make_private_file, make_private_folder
from inspector.memory.databases.base import SQLDatabase, Steps, drive

_T = TypeVar("_T")
_LOCK_TIMEOUT = 30.0
"""Seconds to wait while another program writes."""


class SQLiteDatabase(SQLDatabase):
    """A file that only its owner can read. The first transaction creates it."""

    bytes_type = "BLOB"
    time_type = "TEXT"
    serial_type = "INTEGER PRIMARY KEY AUTOINCREMENT"

    def __init__(self, path: Path | str, schema: str, error: type[InspectorError], subject: str) -> None:
        """Create a database without opening it.

        Args:
            path: The file.
            schema: Statements that create the tables, see `schema`.
            error: Type of the errors to raise.
            subject: Name of the content for error messages, such as "The shared memory".
        """
        self.path = Path(path).expanduser()
        self._schema = self.schema(schema)
        self._error = error
        self._subject = subject

    def run(self, steps: Steps[_T], lock: bytes = b"") -> _T:
        try:
            make_private_folder(self.path.parent)
            make_private_file(self.path)
            connection = sqlite3.connect(self.path, timeout=_LOCK_TIMEOUT, isolation_level=None)
            with closing(connection):  # a transaction that is not committed is rolled back
                connection.execute("PRAGMA secure_delete = ON")
                if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                    connection.executescript(f"BEGIN IMMEDIATE; {self._schema} PRAGMA user_version = 1; COMMIT")
                connection.execute("BEGIN IMMEDIATE")
                result = drive(steps, lambda statement, values: connection.execute(statement, values).fetchall())
                connection.execute("COMMIT")
                return result
        except (sqlite3.Error, OSError) as error:
            raise self._error(f"{self._subject} in {self.path} cannot be used: {error}.") from error
