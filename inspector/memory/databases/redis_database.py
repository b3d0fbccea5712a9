"""A Redis server. Needs the extra `redis`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from inspector.core.errors import InspectorError

_T = TypeVar("_T")


class RedisDatabase:
    """A server that is connected to by the first command. Threads and tasks may share it."""

    def __init__(self, address: str, error: type[InspectorError]) -> None:
        """Create a database without connecting.

        Args:
            address: Address such as redis://localhost:6379/0.
            error: Type of the errors to raise.
        """
        from redis import Redis

        self.client: Any = Redis.from_url(address)
        self._error = error

    def run(self, work: Callable[[Any], _T]) -> _T:
        """Return the result of a function of the client.

        Raises:
            InspectorError: The server cannot be used. The owner of the database chooses the type of the error.
        """
        from redis.exceptions import RedisError

        try:
            return work(self.client)
        except (RedisError, OSError) as error:
            raise self._error(f"Redis cannot be used: {error}.") from error

    async def run_in_task(self, work: Callable[[Any], _T]) -> _T:
        """Return the result of a function of the client without blocking the event loop. See `run`."""
        return await asyncio.to_thread(self.run, work)

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


def milliseconds(time: timedelta) -> int:
    """Return a time to live in milliseconds, at least 1."""
    return max(1, round(time / timedelta(milliseconds=1)))
