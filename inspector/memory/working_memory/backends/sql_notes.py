"""Working memory in SQLite or PostgreSQL: a row for each version of a conversation's memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.memory.databases.base import SQLDatabase, Steps
from inspector.memory.databases.postgres_database import PostgresDatabase
from inspector.memory.databases.sqlite_database import SQLiteDatabase
from inspector.memory.working_memory.backends.base import HISTORY, MemoryManagerBase, now, to_bytes, to_text
from inspector.memory.working_memory.working_records import ConflictError, MemoryRecord, WorkingMemoryError

if TYPE_CHECKING:
    from psycopg import AsyncConnection

_NAME = "working-memory.db"
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS TABLE_NAME (
        number {serial},
        conversation_id {bytes} NOT NULL,  -- UTF-8: a text of PostgreSQL holds no zero
        memory {bytes} NOT NULL,           -- UTF-8
        updated_at {time} NOT NULL         -- ISO 8601, UTC
    );
    CREATE INDEX IF NOT EXISTS INDEX_NAME ON TABLE_NAME (conversation_id, number);
"""


def notes_path(store: Path) -> Path:
    """Return the file next to a store with the working memories that the app shows."""
    return store.with_name(_NAME)


def _default_path() -> Path:
    from platformdirs import user_data_path

    return user_data_path("inspector", appauthor=False) / _NAME


def _schema(table: str, index: str) -> str:
    return _SCHEMA.replace("TABLE_NAME", table).replace("INDEX_NAME", index)


class _SQLMemoryManager(MemoryManagerBase):
    """Keeps memories in a table. The newest row of a conversation is its present memory."""

    def __init__(self, database: SQLDatabase, table: str, clock: Callable[[], datetime]) -> None:
        super().__init__(clock)
        self._database = database
        self._table = table

    async def _get(self, conversation_id: str) -> MemoryRecord | None:
        where = "WHERE conversation_id = ? ORDER BY number DESC LIMIT 1"
        return next(iter(await self._select(where, to_bytes(conversation_id))), None)

    async def _put(self, record: MemoryRecord) -> None:
        await self._database.run_in_task(self._insertion(record), to_bytes(record.conversation_id))

    async def _replace(self, record: MemoryRecord, previous: str | None) -> None:
        name = to_bytes(record.conversation_id)

        def replacement() -> Steps[None]:
            newest = f"SELECT memory FROM {self._table} WHERE conversation_id = ? ORDER BY number DESC LIMIT 1"
            rows = yield newest, (name,)
            if (to_text(rows[0][0]) if rows else None) != previous:
                raise ConflictError(record.conversation_id)
            yield from self._insertion(record)

        await self._database.run_in_task(replacement(), name)

    async def _remove(self, conversation_id: str) -> bool:
        name = to_bytes(conversation_id)

        def removal() -> Steps[bool]:
            rows = yield f"SELECT 1 FROM {self._table} WHERE conversation_id = ? LIMIT 1", (name,)
            yield f"DELETE FROM {self._table} WHERE conversation_id = ?", (name,)
            return bool(rows)

        return await self._database.run_in_task(removal(), name)

    async def _versions(self, conversation_id: str) -> Sequence[MemoryRecord]:
        return await self._select("WHERE conversation_id = ? ORDER BY number", to_bytes(conversation_id))

    async def _all(self) -> Sequence[MemoryRecord]:
        return await self._select(f"WHERE number IN (SELECT max(number) FROM {self._table} GROUP BY conversation_id)")

    async def _select(self, where: str, *values: bytes) -> list[MemoryRecord]:
        def selection() -> Steps[list[Any]]:
            rows = yield f"SELECT conversation_id, memory, updated_at FROM {self._table} {where}", values
            return rows

        rows = await self._database.run_in_task(selection(), *values)
        try:
            return [MemoryRecord(to_text(name), to_text(memory), _time(time)) for name, memory, time in rows]
        except ValueError as error:
            raise WorkingMemoryError(f"The working memory cannot be read: {error}.") from error

    def _insertion(self, record: MemoryRecord) -> Steps[None]:
        """Insert a version and delete those that are too old."""
        name = to_bytes(record.conversation_id)
        insert = f"INSERT INTO {self._table} (conversation_id, memory, updated_at) VALUES (?, ?, ?)"
        yield insert, (name, to_bytes(record.working_memory), record.updated_at.isoformat())
        too_old = f"SELECT number FROM {self._table} WHERE conversation_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?"
        delete = f"DELETE FROM {self._table} WHERE conversation_id = ? AND number <= ({too_old})"
        yield delete, (name, name, HISTORY)

    async def close(self) -> None:
        await self._database.close_in_task()


def _time(value: datetime | str) -> datetime:
    time = datetime.fromisoformat(value) if isinstance(value, str) else value
    return time.astimezone(UTC)


class SQLiteMemoryManager(_SQLMemoryManager):
    """Keeps memories in a file that only its owner can read. Deleted text leaves no trace in it."""

    def __init__(self, path: Path | str | None = None, clock: Callable[[], datetime] = now) -> None:
        """Create a manager. `path` is the file, which is created when needed; by default in the user's data folder."""
        schema = _schema("memory_version", "memory_version_by_conversation")
        file = _default_path() if path is None else path
        database = SQLiteDatabase(file, schema, WorkingMemoryError, "The working memory")
        super().__init__(database, "memory_version", clock)
        self.path = database.path


class DatabaseMemoryManager(_SQLMemoryManager):
    """Keeps memories in the PostgreSQL table `conversation_memory`. Needs the extra `postgres`."""

    def __init__(self, db_connection: str | AsyncConnection[Any], clock: Callable[[], datetime] = now) -> None:
        """Create a manager. `db_connection` is an address or an open connection of psycopg."""
        schema = _schema("conversation_memory", "conversation_memory_by_id")
        database = PostgresDatabase(db_connection, schema, WorkingMemoryError, lock_group=0)
        super().__init__(database, "conversation_memory", clock)
