"""A shared conversation as rows of a table: the same statements for SQLite and PostgreSQL."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any

from inspector.memory.shared.logs.base import MessageLog, SharedMessage, check_places, from_json, name_of, to_json

Execute = Callable[[str, Sequence[Any]], list[Any]]
"""(statement with ? for values, values) -> rows."""

SCHEMA = """
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


class SQLLog(MessageLog):
    """Messages of the conversation `name`."""

    def __init__(self, name: str) -> None:
        self._name = name.encode("utf-8", "surrogatepass")

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Execute]:
        """One step for all that use this conversation. Raises SharedMemoryError."""

    def append(self, messages: Sequence[SharedMessage], once: bool) -> int:
        rows = [(name_of(message), to_json(message)) for message in messages]
        known = "SELECT 1 FROM shared_message WHERE name = ? AND id = ? LIMIT 1"
        count = 0
        with self._transaction() as execute:
            for name, text in rows:
                if not (once and execute(known, (self._name, name))):
                    execute(_INSERT, (self._name, name, text))
                    count += 1
            if count:
                self._change(execute)
        return count

    def read(self, limit: int | None = None) -> list[SharedMessage]:
        newest = "" if limit is None else f" LIMIT {max(0, limit)}"
        select = f"SELECT message FROM shared_message WHERE name = ? ORDER BY number DESC{newest}"
        with self._transaction() as execute:
            rows = execute(select, (self._name,))
        return [from_json(bytes(row[0])) for row in reversed(rows)]

    def size(self) -> int:
        with self._transaction() as execute:
            return self._size(execute)

    def remove(self, indices: Collection[int]) -> None:
        numbers = "SELECT number FROM shared_message WHERE name = ? ORDER BY number"
        with self._transaction() as execute:
            rows = execute(numbers, (self._name,))
            check_places(indices, len(rows))
            for index in sorted(set(indices)):
                execute("DELETE FROM shared_message WHERE number = ?", rows[index])
            self._change(execute)

    def truncate(self, size: int) -> None:
        old = f"SELECT number FROM shared_message WHERE name = ? ORDER BY number DESC LIMIT 1 OFFSET {max(0, size)}"
        with self._transaction() as execute:
            rows = execute(old, (self._name,))
            if rows:
                execute("DELETE FROM shared_message WHERE name = ? AND number <= ?", (self._name, rows[0][0]))
                self._change(execute)

    def replace(self, messages: Sequence[SharedMessage]) -> None:
        rows = [(self._name, name_of(message), to_json(message)) for message in messages]
        with self._transaction() as execute:
            execute("DELETE FROM shared_message WHERE name = ?", (self._name,))
            for row in rows:
                execute(_INSERT, row)
            self._change(execute)

    def revision(self) -> int:
        with self._transaction() as execute:
            rows = execute("SELECT revision FROM shared_memory WHERE name = ?", (self._name,))
        return int(rows[0][0]) if rows else 0

    def _size(self, execute: Execute) -> int:
        return int(execute("SELECT count(*) FROM shared_message WHERE name = ?", (self._name,))[0][0])

    def _change(self, execute: Execute) -> None:
        execute(
            "INSERT INTO shared_memory (name, revision) VALUES (?, 1)"
            " ON CONFLICT (name) DO UPDATE SET revision = shared_memory.revision + 1",
            (self._name,),
        )


_INSERT = "INSERT INTO shared_message (name, id, message) VALUES (?, ?, ?)"
