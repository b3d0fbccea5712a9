"""Working memory in one SQLite file, which several programs may use at once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from inspector.memory.sqlite_file import sqlite_transaction
from inspector.memory.working_memory.backends.base import HISTORY, MemoryManagerBase, now, to_bytes, to_text
from inspector.memory.working_memory.working_records import ConflictError, MemoryRecord, WorkingMemoryError

_NAME = "working-memory.db"
_T = TypeVar("_T")
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS memory_version (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation_id BLOB NOT NULL,  -- UTF-8
        memory BLOB NOT NULL,           -- UTF-8
        updated_at TEXT NOT NULL        -- ISO 8601, UTC
    );
    CREATE INDEX IF NOT EXISTS memory_version_by_conversation ON memory_version (conversation_id, number);
"""
_NEWEST = "SELECT max(number) FROM memory_version GROUP BY conversation_id"


def notes_path(store: Path) -> Path:
    """The file beside a store: what the app shows of the working memory of conversations stands there."""
    return store.with_name(_NAME)


def _default_path() -> Path:
    """The file in the user's data folder."""
    from platformdirs import user_data_path

    return user_data_path("inspector", appauthor=False) / _NAME


class SQLiteMemoryManager(MemoryManagerBase):
    """Keeps memories in a file that only its owner can read. Deleted text leaves no trace in it."""

    def __init__(self, path: Path | str | None = None, clock: Callable[[], datetime] = now) -> None:
        """`path` is the file, made by the first use; by default one in the user's data folder."""
        super().__init__(clock)
        self.path = Path(path).expanduser() if path is not None else _default_path()

    async def _get(self, conversation_id: str) -> MemoryRecord | None:
        where = "WHERE conversation_id = ? ORDER BY number DESC LIMIT 1"
        return next(iter(await self._select(where, (to_bytes(conversation_id),))), None)

    async def _put(self, record: MemoryRecord) -> None:
        await self._use(lambda connection: _insert(connection, record))

    async def _replace(self, record: MemoryRecord, previous: str | None) -> None:
        def replace(connection: sqlite3.Connection) -> None:
            row = connection.execute(
                "SELECT memory FROM memory_version WHERE conversation_id = ? ORDER BY number DESC LIMIT 1",
                (to_bytes(record.conversation_id),),
            ).fetchone()
            if (None if row is None else to_text(row[0])) != previous:
                raise ConflictError(record.conversation_id)
            _insert(connection, record)

        await self._use(replace)

    async def _remove(self, conversation_id: str) -> bool:
        delete = "DELETE FROM memory_version WHERE conversation_id = ?"
        return await self._use(lambda connection: connection.execute(delete, (to_bytes(conversation_id),)).rowcount > 0)

    async def _versions(self, conversation_id: str) -> Sequence[MemoryRecord]:
        return await self._select("WHERE conversation_id = ? ORDER BY number", (to_bytes(conversation_id),))

    async def _all(self) -> Sequence[MemoryRecord]:
        return await self._select(f"WHERE number IN ({_NEWEST})", ())

    async def _select(self, where: str, values: tuple[Any, ...]) -> list[MemoryRecord]:
        query = f"SELECT conversation_id, memory, updated_at FROM memory_version {where}"
        return await self._use(lambda connection: [_record(row) for row in connection.execute(query, values)])

    async def _use(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """What `work` gives, done in one transaction in another thread. Raises WorkingMemoryError."""
        return await asyncio.to_thread(self._transact, work)

    def _transact(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        try:
            with sqlite_transaction(self.path, _SCHEMA) as connection:
                return work(connection)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise WorkingMemoryError(f"The working memory in {self.path} cannot be used: {error}.") from error


def _insert(connection: sqlite3.Connection, record: MemoryRecord) -> None:
    name = to_bytes(record.conversation_id)
    connection.execute(
        "INSERT INTO memory_version (conversation_id, memory, updated_at) VALUES (?, ?, ?)",
        (name, to_bytes(record.working_memory), record.updated_at.isoformat()),
    )
    connection.execute(
        "DELETE FROM memory_version WHERE conversation_id = ?1 AND number <= (SELECT number FROM memory_version"
        " WHERE conversation_id = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
        (name, HISTORY),
    )


def _record(row: tuple[bytes, bytes, str]) -> MemoryRecord:
    name, memory, time = row
    return MemoryRecord(to_text(name), to_text(memory), datetime.fromisoformat(time))
