"""A lock for tasks of several event loops. asyncio's own belong to one loop."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future


class LoopLock:
    """A lock that tasks wait for without holding up their loops, whichever they run on: first come, first served."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._is_held = False
        self._turns: deque[Future[None]] = deque()

    @property
    def is_held(self) -> bool:
        return self._is_held

    async def __aenter__(self) -> None:
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return
            turn: Future[None] = Future()
            self._turns.append(turn)
        try:
            await asyncio.wrap_future(turn)
        except asyncio.CancelledError:
            if not turn.cancel():  # it came together with the cancellation: the next one's turn
                self._pass_on()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        """Give the lock to whoever has waited longest, past those who have given up."""
        with self._guard:
            while self._turns:
                turn = self._turns.popleft()
                if turn.set_running_or_notify_cancel():
                    turn.set_result(None)
                    return
            self._is_held = False
