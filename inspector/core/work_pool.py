"""Map work over items: in this process, in others (`core.local_processes`) or on other machines (`core.cluster`)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from inspector.core.errors import InspectorError
from inspector.core.text import lazy_pattern

Start = Literal["fork", "spawn"]
Stop = Callable[[], bool]
"""Returns True if the work should end."""
OnSteps = Callable[[int], object]
"""Called now and then with the number of times that the work has called its `Stop`."""
_REPORTED = 4
"""Steps in this process between two calls."""
ProgressCallback = Callable[[str, int, int], None]
"""Called with the activity in one word, the number of processed items, and their total; 0 if they are not counted."""
_Shared = TypeVar("_Shared", contravariant=True)
_Item = TypeVar("_Item", contravariant=True)
_Result = TypeVar("_Result", covariant=True)
S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")


class Cancel(Protocol):
    """A threading.Event, or another object that signals a cancellation."""

    def is_set(self) -> bool: ...


class WorkError(InspectorError):
    """Raised if work cannot be finished. The text is one sentence."""


class WorkCancelled(Exception):  # noqa: N818  what was asked for, not a fault
    """Raised by work that ends early because its `Stop` returned True."""


class Work(Protocol[_Shared, _Item, _Result]):
    """Work on one item: a function of a module, which all workers can import."""

    def __call__(self, shared: _Shared, item: _Item, stop: Stop, /) -> _Result: ...


class WorkPool(Protocol):
    """Workers that share the items of some work."""

    def results(
        self, work: Work[S, T, R], shared: S, items: Iterable[T], cancel: Cancel | None = None
    ) -> Iterator[tuple[int, R]]:
        """Yield the index of each item with its result, as soon as it is finished; fewer after a cancellation.

        Items are taken when workers are free, not all at once. An exception of the work or of the items ends the
        results. Closing the iterator stops the remaining work soon afterwards.

        Args:
            work: Work on one item. May raise WorkCancelled.
            shared: Argument that is the same for all items.
            items: Items to work on.
            cancel: Stops the work when it is set.

        Raises:
            WorkError: If workers are lost, so that results are missing.
        """


def processor_count() -> int:
    """Return the number of processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_memory() -> int:
    """Return the bytes of memory that programs can still take, as far as the system states it."""
    return min(_number_in(path, pattern) for path, pattern in _MEMORY_FILES)


def _number_in(path: str, pattern: re.Pattern[str]) -> int:
    """Return the bytes that a file of the system states; a very large number without it."""
    with suppress(OSError):
        if match := pattern.search(Path(path).read_text(encoding="ascii", errors="replace")):
            return int(match[1]) * (1024 if match.lastindex == 2 else 1)
    return sys.maxsize


_MEMORY_FILES = (
    ("/proc/meminfo", lazy_pattern(r"MemAvailable: {0,20}(\d{1,18}) (kB)")),
    ("/sys/fs/cgroup/memory.max", lazy_pattern(r"\A(\d{1,18})\s")),
)
"""Files of Linux with the free memory of the machine and the limit of the container."""


@dataclass(frozen=True)
class ThisProcess:
    """Work in this process, one item after the other. See `WorkPool`."""

    on_steps: OnSteps | None = None

    def results(
        self, work: Work[S, T, R], shared: S, items: Iterable[T], cancel: Cancel | None = None
    ) -> Iterator[tuple[int, R]]:
        """See `WorkPool.results`."""
        steps = count(1)

        def stop() -> bool:
            if self.on_steps and (step := next(steps)) % _REPORTED == 0:
                self.on_steps(step)
            return cancel is not None and cancel.is_set()

        for place, item in enumerate(items):
            if stop():
                return
            try:
                yield place, work(shared, item, stop)
            except WorkCancelled:
                return
