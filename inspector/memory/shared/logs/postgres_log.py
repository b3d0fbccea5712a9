"""A shared conversation in PostgreSQL. Needs the extra `postgres`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from inspector.memory.shared.logs.base import SharedMemoryError
from inspector.memory.shared.logs.sql import SCHEMA, Execute, SQLLog

if TYPE_CHECKING:
    from psycopg import Connection

_SCHEMA = SCHEMA.format(bytes="BYTEA", serial="BIGSERIAL PRIMARY KEY")
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(encode(?::bytea, 'hex'), 1))"
"""Those that use one conversation wait for each other; those of others do not."""


class PostgresLog(SQLLog):
    """Keeps messages in the tables `shared_message` and `shared_memory`."""

    def __init__(self, address: str, name: str = "shared") -> None:
        """`address` is such as postgresql://user@host/name; `name` that of the conversation."""
        super().__init__(name)
        self._address = address
        self._connection: Connection[Any] | None = None
        self._lock = Lock()
        self._has_schema = False

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[Execute]:
        from psycopg import Connection, Error

        try:
            with self._lock:
                if self._connection is None or self._connection.closed:
                    self._connection = Connection.connect(self._address, autocommit=True)
                connection = self._connection

                def execute(statement: str, values: Sequence[Any]) -> list[Any]:
                    query: Any = statement.replace("?", "%s")
                    cursor = connection.execute(query, values)
                    return cursor.fetchall() if cursor.description else []

                if not self._has_schema:
                    with connection.transaction():
                        execute(_LOCK, (b"schema of shared_message",))
                        schema: Any = _SCHEMA
                        connection.execute(schema)
                    self._has_schema = True
                with connection.transaction():
                    execute(_LOCK, (self._name,))
                    yield execute
        except (Error, OSError) as error:
            sentence = " ".join(str(error).split())
            raise SharedMemoryError(f"PostgreSQL cannot be used: {sentence}.") from error
