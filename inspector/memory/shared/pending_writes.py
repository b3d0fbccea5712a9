"""Messages that a memory could not store: kept in order, and stored as soon as it works again."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspector.core.text import plural
from inspector.memory.loop_lock import LoopLock

logger = logging.getLogger(__name__)
_MAX_WAITING = 500


class PendingWrites:
    """Stores messages in a memory that may be unavailable for a while.

    A message that cannot be stored waits, and is stored before later ones. When `limit` messages wait, a new one
    replaces the oldest, which is lost. Waiting messages are in memory only.

    Args:
        write: Stores a message.
        action: The action for warnings, such as "add to shared conversation memory".
        limit: Maximum number of waiting messages.
    """

    def __init__(
        self, write: Callable[[dict[str, Any]], Awaitable[Any]], action: str, limit: int = _MAX_WAITING
    ) -> None:
        self._write, self._action, self._limit = write, action, limit
        self._queue: deque[Mapping[str, Any]] = deque()
        self._lock = LoopLock()
        self.lost = 0
        """Number of messages that were never stored."""

    @property
    def waiting(self) -> int:
        """Number of messages that have yet to be stored."""
        return len(self._queue)

    async def store(self, *messages: Mapping[str, Any]) -> bool:
        """Store messages after those that wait. Return True if none waits any more. Never raises."""
        self._queue.extend(messages)
        while len(self._queue) > self._limit:
            self._queue.popleft()
            self._note_loss(f"more than {self._limit:,} messages wait")
        return await self.flush()

    async def flush(self) -> bool:
        """Store the messages that wait. Return True if none waits any more. Never raises."""
        async with self._lock:
            while self._queue:
                message = self._queue[0]
                try:
                    await self._write(dict(message))
                except NotImplementedError:  # the memory does not record
                    self._queue.clear()
                    break
                except (TypeError, ValueError) as error:  # the message is invalid, and will be
                    self._note_loss(error)
                except Exception as error:  # a memory is somebody else's
                    waiting = plural(self.waiting, "message")
                    logger.warning("Failed to %s: %s (waiting: %s)", self._action, error, waiting)
                    return False
                if self._queue and self._queue[0] is message:
                    self._queue.popleft()
        return True

    def _note_loss(self, reason: object) -> None:
        self.lost += 1
        logger.warning("Failed to %s: %s (lost: %s)", self._action, reason, plural(self.lost, "message"))
