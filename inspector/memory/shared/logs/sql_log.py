"""A shared conversation in SQLite or PostgreSQL: a row for each message."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

from inspector.memory.databases.base import SQLDatabase, Steps
from inspector.memory.databases.postgres_database import PostgresDatabase
from inspector.memory.databases.sqlite_database import SQLiteDatabase
from inspector.memory.shared.logs.base import (
    MessageLog,
    SharedMemoryError,
    SharedMessage,
    check_places,
    from_json,
    name_of,
    to_json,
)

_T = TypeVar("_T")
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS shared_memory (
        name {bytes} PRIMARY KEY,         -- of the conversation, UTF-8
        revision BIGINT NOT NULL          -- grows with every change
    );
    CREATE TABLE IF NOT EXISTS shared_message (
        number {serial},                  -- the order in which they were added
        name {bytes} NOT NULL,            -- of the conversation
        id {bytes} NOT NULL,              -- of the message, UTF-8
        message {bytes} NOT NULL          -- JSON
    );
    CREATE INDEX IF NOT EXISTS shared_message_by_name ON shared_message (name, number);
    CREATE INDEX IF NOT EXISTS shared_message_by_id ON shared_message (name, id);
"""


class _SQLLog(MessageLog):
    """Keeps the messages of a conversation in the tables `shared_message` and `shared_memory`."""

    def __init__(self, database: SQLDatabase, name: str) -> None:
        self._database = database
        self._name = name.encode("utf-8", "surrogatepass")

    def append(self, messages: Sequence[SharedMessage], once: bool) -> int:
        rows = [(name_of(message), to_json(message)) for message in messages]

        def steps() -> Steps[int]:
            count = 0
            for name, text in rows:
                known = yield "SELECT 1 FROM shared_message WHERE name = ? AND id = ? LIMIT 1", (self._name, name)
                if not (once and known):
                    yield _INSERT, (self._name, name, text)
                    count += 1
            if count:
                yield from self._change()
            return count

        return self._run(steps())

    def read(self, limit: int | None = None) -> list[SharedMessage]:
        newest = "" if limit is None else f" LIMIT {max(0, limit)}"
        rows = self._select(f"SELECT message FROM shared_message WHERE name = ? ORDER BY number DESC{newest}")
        return [from_json(bytes(row[0])) for row in reversed(rows)]

    def size(self) -> int:
        return int(self._select("SELECT count(*) FROM shared_message WHERE name = ?")[0][0])

    def remove(self, indices: Collection[int]) -> None:
        def steps() -> Steps[None]:
            rows = yield "SELECT number FROM shared_message WHERE name = ? ORDER BY number", (self._name,)
            check_places(indices, len(rows))
            for index in sorted(set(indices)):
                yield "DELETE FROM shared_message WHERE number = ?", rows[index]
            yield from self._change()

        self._run(steps())

    def truncate(self, size: int) -> None:
        old = f"SELECT number FROM shared_message WHERE name = ? ORDER BY number DESC LIMIT 1 OFFSET {max(0, size)}"

        def steps() -> Steps[None]:
            rows = yield old, (self._name,)
            if rows:
                yield "DELETE FROM shared_message WHERE name = ? AND number <= ?", (self._name, rows[0][0])
                yield from self._change()

        self._run(steps())

    def replace(self, messages: Sequence[SharedMessage]) -> None:
        rows = [(self._name, name_of(message), to_json(message)) for message in messages]

        def steps() -> Steps[None]:
            yield "DELETE FROM shared_message WHERE name = ?", (self._name,)
            for row in rows:
                yield _INSERT, row
            yield from self._change()

        self._run(steps())

    def revision(self) -> int:
        rows = self._select("SELECT revision FROM shared_memory WHERE name = ?")
        return int(rows[0][0]) if rows else 0

    def close(self) -> None:
        self._database.close()

    def _select(self, query: str) -> list[Any]:
        """Return the rows of a query whose only value is the name of the conversation."""

        def steps() -> Steps[list[Any]]:
            rows = yield query, (self._name,)
            return rows

        return self._run(steps())

    def _change(self) -> Steps[None]:
        """Increase the revision."""
        statement = """
            INSERT INTO shared_memory (name, revision) VALUES (?, 1)
            ON CONFLICT (name) DO UPDATE SET revision = shared_memory.revision + 1"""
        yield statement, (self._name,)

    def _run(self, steps: Steps[_T]) -> _T:
        return self._database.run(steps, self._name)


class SQLiteLog(_SQLLog):
    """Keeps messages in a file that only its owner can read. Deleted text leaves no trace in it."""

    def __init__(self, path: Path | str, name: str = "shared") -> None:
        """Create a log of the conversation `name` in a file, which is created when needed."""
        super().__init__(SQLiteDatabase(path, _SCHEMA, SharedMemoryError, "The shared memory"), name)


class PostgresLog(_SQLLog):
    """Keeps messages in a PostgreSQL database. Needs the extra `postgres`."""

    def __init__(self, address: str | Any, name: str = "shared") -> None:
        """Create a log.

        Args:
            address: Address such as postgresql://user@host/name, or an open connection of psycopg. An asynchronous one
                works on the event loop that is running now.
            name: Name of the conversation.
        """
        super().__init__(PostgresDatabase(address, _SCHEMA, SharedMemoryError, lock_group=1), name)


_INSERT = "INSERT INTO shared_message (name, id, message) VALUES (?, ?, ?)"
