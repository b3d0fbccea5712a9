"""A shared conversation in one SQLite file, which several programs may use at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspector.memory.shared.logs.base import SharedMemoryError
from inspector.memory.shared.logs.sql import SCHEMA, Execute, SQLLog
from inspector.memory.sqlite_file import sqlite_transaction

_SCHEMA = SCHEMA.format(bytes="BLOB", serial="INTEGER PRIMARY KEY AUTOINCREMENT")


class SQLiteLog(SQLLog):
    """Keeps messages in a file that only its owner can read. Deleted text leaves no trace in it."""

    def __init__(self, path: Path | str, name: str = "shared") -> None:
        """`path` is the file, which the first use makes; `name` that of the conversation in it."""
        super().__init__(name)
        self.path = Path(path).expanduser()

    @contextmanager
    def _transaction(self) -> Iterator[Execute]:
        try:
            with sqlite_transaction(self.path, _SCHEMA) as connection:

                def execute(statement: str, values: Sequence[Any]) -> list[Any]:
                    return connection.execute(statement, values).fetchall()

                yield execute
        except (sqlite3.Error, OSError) as error:
            raise SharedMemoryError(f"The shared memory in {self.path} cannot be used: {error}.") from error
