"""A PostgreSQL database. Needs the extra `postgres`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.core.errors import InspectorError
from inspector.memory.databases.base import SQLDatabase, Steps, drive

if TYPE_CHECKING:
    from psycopg import AsyncConnection, Connection

_T = TypeVar("_T")
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(encode(%s::bytea, 'hex'), %s))"


class PostgresDatabase(SQLDatabase):
    """A database that is opened by its address, or an open asynchronous connection.

    An address is opened by the first transaction, and again if the connection is lost.
    """

    bytes_type = "BYTEA"
    time_type = "TIMESTAMPTZ"
    serial_type = "BIGSERIAL PRIMARY KEY"

    def __init__(
        self, address: str | AsyncConnection[Any], schema: str, error: type[InspectorError], lock_group: int
    ) -> None:
        """Create a database without opening it.

        Args:
            address: Address such as postgresql://user@host/name, or a connection for `run_in_task`.
            schema: Statements that create the tables, see `schema`.
            error: Type of the errors to raise.
            lock_group: Number that separates the locks of one kind of memory from those of others.
        """
        self._address = address if isinstance(address, str) else ""
        self._shared = None if isinstance(address, str) else address
        self._schema: Any = self.schema(schema)
        self._error = error
        self._group = lock_group
        self._connection: Connection[Any] | None = None
        self._lock = Lock()
        self._task_lock = asyncio.Lock()
        self._has_schema = False

    def run(self, steps: Steps[_T], lock: bytes = b"") -> _T:
        from psycopg import Connection

        with self._errors(), self._lock:
            if self._connection is None or self._connection.closed:
                self._connection = Connection.connect(self._address, autocommit=True)
            connection = self._connection
            if not self._has_schema:
                with connection.transaction():
                    connection.execute(_LOCK, (b"schema", self._group))
                    connection.execute(self._schema)
                self._has_schema = True
            with connection.transaction():
                connection.execute(_LOCK, (lock, self._group))
                return drive(steps, partial(_execute, connection))

    async def run_in_task(self, steps: Steps[_T], lock: bytes = b"") -> _T:
        if self._shared is None:
            return await super().run_in_task(steps, lock)
        connection = self._shared
        with self._errors():
            async with self._task_lock:
                if not self._has_schema:
                    async with connection.transaction():
                        await connection.execute(_LOCK, (b"schema", self._group))
                        await connection.execute(self._schema)
                    self._has_schema = True
                async with connection.transaction():
                    await connection.execute(_LOCK, (lock, self._group))
                    return await _drive_in_task(connection, steps)

    async def close_in_task(self) -> None:
        if self._shared is not None:
            await self._shared.close()
        self.close()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn an error of the database into one of the owner's type, in one sentence."""
        from psycopg import Error

        try:
            yield
        except (Error, OSError) as error:
            raise self._error(f"PostgreSQL cannot be used: {' '.join(str(error).split())}.") from error


def _execute(connection: Connection[Any], statement: str, values: Sequence[Any]) -> list[Any]:
    query: Any = statement.replace("?", "%s")
    cursor = connection.execute(query, values)
    return cursor.fetchall() if cursor.description else []


async def _drive_in_task(connection: AsyncConnection[Any], steps: Steps[_T]) -> _T:
    try:
        statement, values = next(steps)
        while True:
            query: Any = statement.replace("?", "%s")
            cursor = await connection.execute(query, values)
            statement, values = steps.send(await cursor.fetchall() if cursor.description else [])
    except StopIteration as end:
        result: _T = end.value
        return result
