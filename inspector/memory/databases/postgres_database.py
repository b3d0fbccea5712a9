"""A PostgreSQL database. Needs the extra `postgres`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.core.errors import InspectorError
from inspector.memory.databases.base import SQLDatabase, Steps, drive
from inspector.store import socket_deadline

if TYPE_CHECKING:
    from psycopg import AsyncConnection, Connection

_T = TypeVar("_T")
_CONNECT_TIMEOUT = 5
"""Seconds until opening a connection fails, unless the address sets them."""
_STATEMENT_TIMEOUT = 10.0
_DEADLINE = 3
"""Number of statement timeouts until a transaction fails although the server does not answer at all."""
_LOCK = """
    SELECT set_config('statement_timeout', %s, true),
        pg_advisory_xact_lock(hashtextextended(encode(%s::bytea, 'hex'), %s))"""


class PostgresDatabase(SQLDatabase):
    """A database that is opened by its address, or an open connection of psycopg.

    An address is opened by the first transaction, and again if the connection is lost. A connection whose server does
    not answer a transaction in time is closed.
    """

    bytes_type = "BYTEA"
    time_type = "TIMESTAMPTZ"
    serial_type = "BIGSERIAL PRIMARY KEY"

    def __init__(
        self,
        address: str | Connection[Any] | AsyncConnection[Any],
        schema: str,
        error: type[InspectorError],
        lock_group: int,
        timeout: float = _STATEMENT_TIMEOUT,
    ) -> None:
        """Create a database without opening it.

        Args:
            address: Address such as postgresql://user@host/name, or a connection. An asynchronous one works on the
                event loop that is running now.
            schema: Statements that create the tables, see `schema`.
            error: Type of the errors to raise.
            lock_group: Number that separates the locks of one kind of memory from those of others.
            timeout: Seconds until the server cancels a statement. If it does not answer at all, a transaction fails
                after three times as many.
        """
        connection: Any = None if isinstance(address, str) else address
        is_async = inspect.iscoroutinefunction(getattr(connection, "execute", None))
        self._address = address if isinstance(address, str) else ""
        self._shared: AsyncConnection[Any] | None = connection if is_async else None
        self._loop = _running_loop()
        self._deadline_seconds = _DEADLINE * timeout
        self._timeout = str(round(1000 * timeout))
        self._schema: Any = self.schema(schema)
        self._error = error
        self._group = lock_group
        self._connection: Connection[Any] | None = None if is_async else connection
        self._lock = Lock()
        self._task_lock = asyncio.Lock()
        self._has_schema = False

    def run(self, steps: Steps[_T], lock: bytes = b"") -> _T:
        if self._shared is not None:
            return self._run_on_loop(steps, lock)
        with self._errors(), self._lock:
            connection = self._connect()
            if not self._has_schema:
                with socket_deadline(connection, self._deadline_seconds), connection.transaction():
                    connection.execute(_LOCK, (self._timeout, b"schema", self._group))
                    connection.execute(self._schema)
                self._has_schema = True
            with socket_deadline(connection, self._deadline_seconds), connection.transaction():
                connection.execute(_LOCK, (self._timeout, lock, self._group))
                return drive(steps, partial(_execute, connection))

    def _connect(self) -> Connection[Any]:
        """Return the connection. An address is opened if it has none, or has lost it."""
        from psycopg import Connection
        from psycopg.conninfo import conninfo_to_dict

        if self._connection is None or (self._connection.closed and self._address):
            limits = {"connect_timeout": _CONNECT_TIMEOUT, **conninfo_to_dict(self._address)}
            options: Any = {"connect_timeout": limits["connect_timeout"], "autocommit": True}
            self._connection = Connection.connect(self._address, **options)
        return self._connection

    def _run_on_loop(self, steps: Steps[_T], lock: bytes) -> _T:
        """Run a transaction of a worker thread on the event loop of an asynchronous connection."""
        if self._loop is None or not self._loop.is_running() or self._loop is _running_loop():
            raise self._error("PostgreSQL cannot be used: an asynchronous connection needs its running event loop.")
        return asyncio.run_coroutine_threadsafe(self.run_in_task(steps, lock), self._loop).result()

    async def run_in_task(self, steps: Steps[_T], lock: bytes = b"") -> _T:
        if self._shared is None:
            return await super().run_in_task(steps, lock)
        connection = self._shared
        with self._errors():
            async with self._task_lock:
                if not self._has_schema:
                    with socket_deadline(connection, self._deadline_seconds):
                        async with connection.transaction():
                            await connection.execute(_LOCK, (self._timeout, b"schema", self._group))
                            await connection.execute(self._schema)
                    self._has_schema = True
                with socket_deadline(connection, self._deadline_seconds):
                    async with connection.transaction():
                        await connection.execute(_LOCK, (self._timeout, lock, self._group))
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


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


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
