"""Interface of the SQL databases that keep memories, for callers in threads and in tasks."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

_T = TypeVar("_T")
Steps = Generator[tuple[str, Sequence[Any]], list[Any], _T]
"""A transaction: yields statements with `?` for each value, and their values. Receives the rows of each."""


def drive(steps: Steps[_T], execute: Callable[[str, Sequence[Any]], list[Any]]) -> _T:
    """Run the statements of a transaction one after the other, and return its result.

    Args:
        steps: Statements of the transaction.
        execute: Runs a statement with its values and returns its rows.
    """
    try:
        statement = next(steps)
        while True:
            statement = steps.send(execute(*statement))
    except StopIteration as end:
        result: _T = end.value
        return result


class SQLDatabase(ABC):
    """A database that runs transactions. Threads and tasks may share it."""

    bytes_type: str
    time_type: str
    serial_type: str

    @abstractmethod
    def run(self, steps: Steps[_T], lock: bytes = b"") -> _T:
        """Run a transaction and return its result. If the steps raise, nothing is written.

        Args:
            steps: Statements of the transaction.
            lock: Transactions with the same lock wait for each other.

        Raises:
            InspectorError: The database cannot be used. The owner of the database chooses the type of the error.
        """

    async def run_in_task(self, steps: Steps[_T], lock: bytes = b"") -> _T:
        """Run a transaction without blocking the event loop. See `run`."""
        return await asyncio.to_thread(self.run, steps, lock)

    async def close_in_task(self) -> None:
        """Close the connection without blocking the event loop."""
        self.close()

    def close(self) -> None:  # noqa: B027  SQLite keeps no connection
        """Close the connection."""

    def schema(self, template: str) -> str:
        """Return a schema with the names of the types in place of `{bytes}`, `{time}` and `{serial}`."""
        return template.format(bytes=self.bytes_type, time=self.time_type, serial=self.serial_type)
