"""Working memory in PostgreSQL. Needs the extra `postgres`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from inspector.memory.working_memory.backends.base import HISTORY, MemoryManagerBase, now, to_bytes, to_text
from inspector.memory.working_memory.working_records import ConflictError, MemoryRecord, WorkingMemoryError

if TYPE_CHECKING:
    from psycopg import AsyncConnection

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS conversation_memory (
        number BIGSERIAL PRIMARY KEY,
        conversation_id BYTEA NOT NULL,  -- UTF-8: a text of PostgreSQL holds no zero
        memory BYTEA NOT NULL,           -- UTF-8
        updated_at TIMESTAMPTZ NOT NULL
    );
    CREATE INDEX IF NOT EXISTS conversation_memory_by_id ON conversation_memory (conversation_id, number);
"""
_COLUMNS = "conversation_id, memory, updated_at"
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(encode(%s::bytea, 'hex'), 0))"
"""Writers of one conversation wait for each other; those of others do not."""


class DatabaseMemoryManager(MemoryManagerBase):
    """Keeps memories in the table `conversation_memory`, a row for each version; the newest is the present one."""

    def __init__(self, db_connection: str | AsyncConnection[Any], clock: Callable[[], datetime] = now) -> None:
        """`db_connection` is an address such as postgresql://user@host/name, or an open connection of psycopg."""
        super().__init__(clock)
        self._address = db_connection if isinstance(db_connection, str) else ""
        self._connection = None if isinstance(db_connection, str) else db_connection
        self._lock = asyncio.Lock()
        self._has_schema = False

    async def _get(self, conversation_id: str) -> MemoryRecord | None:
        where = "WHERE conversation_id = %s ORDER BY number DESC LIMIT 1"
        return next(iter(await self._select(where, to_bytes(conversation_id))), None)

    async def _put(self, record: MemoryRecord) -> None:
        async with self._transaction() as connection:
            await _insert(connection, record)

    async def _replace(self, record: MemoryRecord, previous: str | None) -> None:
        name = to_bytes(record.conversation_id)
        async with self._transaction() as connection:
            await connection.execute(_LOCK, (name,))
            newest = "SELECT memory FROM conversation_memory WHERE conversation_id = %s ORDER BY number DESC LIMIT 1"
            row = await (await connection.execute(newest, (name,))).fetchone()
            if (None if row is None else to_text(row[0])) != previous:
                raise ConflictError(record.conversation_id)
            await _insert(connection, record)

    async def _remove(self, conversation_id: str) -> bool:
        async with self._transaction() as connection:
            delete = "DELETE FROM conversation_memory WHERE conversation_id = %s"
            return bool((await connection.execute(delete, (to_bytes(conversation_id),))).rowcount)

    async def _versions(self, conversation_id: str) -> Sequence[MemoryRecord]:
        return await self._select("WHERE conversation_id = %s ORDER BY number", to_bytes(conversation_id))

    async def _all(self) -> Sequence[MemoryRecord]:
        return await self._select(
            "WHERE number IN (SELECT max(number) FROM conversation_memory GROUP BY conversation_id)"
        )

    async def _select(self, where: str, *values: bytes) -> list[MemoryRecord]:
        query: Any = f"SELECT {_COLUMNS} FROM conversation_memory {where}"
        async with self._transaction() as connection:
            rows = await (await connection.execute(query, values)).fetchall()
        return [MemoryRecord(to_text(name), to_text(memory), time.astimezone(UTC)) for name, memory, time in rows]

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncConnection[Any]]:
        """The connection, for one task at a time; opened again where it was lost. Raises WorkingMemoryError."""
        from psycopg import AsyncConnection, Error

        try:
            async with self._lock:
                if self._connection is None or (self._address and self._connection.closed):
                    self._connection = await AsyncConnection.connect(self._address, autocommit=True)
                if not self._has_schema:
                    await _make_schema(self._connection)
                    self._has_schema = True
                async with self._connection.transaction():
                    yield self._connection
        except (Error, OSError) as error:
            raise WorkingMemoryError(f"PostgreSQL cannot be used: {' '.join(str(error).split())}.") from error


async def _make_schema(connection: AsyncConnection[Any]) -> None:
    """Make the table where there is none, whatever becomes of what is done next; programs do it one after the other."""
    async with connection.transaction():
        await connection.execute(_LOCK, (b"schema of conversation_memory",))
        await connection.execute(_SCHEMA)


async def _insert(connection: AsyncConnection[Any], record: MemoryRecord) -> None:
    name = to_bytes(record.conversation_id)
    await connection.execute(
        f"INSERT INTO conversation_memory ({_COLUMNS}) VALUES (%s, %s, %s)",
        (name, to_bytes(record.working_memory), record.updated_at),
    )
    await connection.execute(
        "DELETE FROM conversation_memory WHERE conversation_id = %(name)s AND number <= (SELECT number"
        " FROM conversation_memory WHERE conversation_id = %(name)s ORDER BY number DESC LIMIT 1 OFFSET %(most)s)",
        {"name": name, "most": HISTORY},
    )
