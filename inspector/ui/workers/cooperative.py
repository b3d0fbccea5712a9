"""Letting keys through while a thread computes.

Python runs one thread at a time, and takes it away from one that computes only every few milliseconds. A key needs the
interpreter many times over; so who computes for seconds offers it by itself, often and briefly.
"""

from __future__ import annotations

import time
from typing import Protocol

_WORK, _REST = 0.003, 0.0003
"""Seconds of work after which it is offered, and for how long."""


class Stop(Protocol):
    """An event, or whatever else says whether to stop."""

    def is_set(self) -> bool: ...


class CooperativeStop:
    """Asks whether to stop, as often as one likes, and gives way while it is at it."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.rested = time.monotonic()

    def is_set(self) -> bool:
        now = time.monotonic()
        if now - self.rested > _WORK:
            time.sleep(_REST)
            self.rested = time.monotonic()
        return self.stop.is_set()
