"""Map work over items in processes of this machine. See `core.work_pool`."""

from __future__ import annotations

import gc
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

from inspector.core.processes import begin_worker, block_interrupts, start_tracker
from inspector.core.work_pool import Cancel, OnSteps, Start, Work, WorkCancelled, WorkError

_POLL_INTERVAL = 0.1
"""Seconds between two checks for a cancellation."""
_QUEUED = 64
"""Maximum number of items per worker that are taken before their results are needed."""
_RARELY = 100_000
"""Allocations between garbage collections in a worker. The work creates thousands of objects and no cycles."""
S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class LocalProcesses:
    """Worker processes of this machine, which exist while there are items. See `WorkPool`."""

    workers: int
    start: Start = "spawn"
    """Start method. Forked workers share the memory of the program, see `safe_start`."""
    on_steps: OnSteps | None = None

    def results(
        self, work: Work[S, T, R], shared: S, items: Iterable[T], cancel: Cancel | None = None
    ) -> Iterator[tuple[int, R]]:
        """See `WorkPool.results`."""
        context = multiprocessing.get_context(self.start)
        start_tracker()
        stop, steps = context.Event(), context.Value("Q", 0)
        pool = ProcessPoolExecutor(self.workers, context, _begin_work, (work, shared, stop, steps))

        def check() -> None:
            if self.on_steps:
                self.on_steps(steps.value)

        try:
            yield from results_of(pool, _do_work, items, self.workers * _QUEUED, cancel, check)
        except BrokenProcessPool as error:
            raise WorkError("A worker process died.") from error
        finally:
            with block_interrupts():
                stop.set()
                pool.shutdown(cancel_futures=True)


def safe_start() -> Start:
    """Return the start method: fork, unless another thread could have a lock."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def results_of(
    executor: Executor,
    work: Callable[[int, T], tuple[int, R] | None],
    items: Iterable[T],
    most: int,
    cancel: Cancel | None = None,
    check: Callable[[], None] = lambda: None,
) -> Iterator[tuple[int, R]]:
    """Yield the results of an executor. See `WorkPool.results`.

    Args:
        executor: Runs the work.
        work: Returns the index of an item with its result; None if it was cancelled.
        items: Items to work on.
        most: Maximum number of items that wait for a worker.
        cancel: Stops the work when it is set.
        check: Called regularly. Raises an exception if no more results will come.
    """
    queue, left = enumerate(items), set[Future[tuple[int, R] | None]]()
    while not (cancel and cancel.is_set()):
        taken = list(islice(queue, max(0, most - len(left))))
        with block_interrupts() if taken else nullcontext():
            left |= {executor.submit(work, place, item) for place, item in taken}
        if not left:
            return
        done, left = wait(left, _POLL_INTERVAL, FIRST_COMPLETED)
        for future in done:
            if (result := future.result()) is not None:
                yield result
        check()


@dataclass
class _WorkerTask:
    """Work of this worker process."""

    work: Work[Any, Any, Any]
    shared: Any
    stop: Event
    steps: Synchronized[int]

    def stops(self) -> bool:
        """Count a step, and return True if the work should end."""
        with self.steps.get_lock():
            self.steps.value += 1
        return self.stop.is_set()


_tasks: list[_WorkerTask] = []
"""Work of this process. A pool can pass data to its processes only once, through a global variable."""


def _begin_work(work: Work[Any, Any, Any], shared: Any, stop: Event, steps: Synchronized[int]) -> None:
    """Initialise a worker process: it ignores SIGINT and ends with its parent."""
    begin_worker()
    gc.freeze()  # existing objects are permanent, and a forked worker keeps sharing their memory
    gc.set_threshold(_RARELY)
    _tasks[:] = [_WorkerTask(work, shared, stop, steps)]


def _do_work(place: int, item: Any) -> tuple[int, Any] | None:
    [task] = _tasks
    if task.stop.is_set():
        return None
    try:
        return place, task.work(task.shared, item, task.stops)
    except WorkCancelled:
        return None
