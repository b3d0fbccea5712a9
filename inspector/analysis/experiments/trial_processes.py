"""Replay presets in several processes that share a session.

In a single-threaded program on a system with cheap process copies, workers are forked and inherit the session with its
counts and caches. Otherwise (the app has threads, and other systems have no safe fork) they are spawned and receive the
session, whose texts stay in their file or store until they are read.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing.synchronize import Event
from typing import Literal, Protocol

from inspector.analysis.experiments.trials import TrialResult, TrialSetup, run_trial
from inspector.analysis.replay import ReplayCancelled
from inspector.core.processes import begin_worker, block_interrupts, start_tracker
from inspector.engine.compression import Preset

Start = Literal["fork", "spawn"]
_POLL_INTERVAL = 0.1
"""Seconds between two checks for a cancellation."""
_SHARES = 50
"""Minimum number of work items per worker. Small items keep all workers busy until the end."""
_LARGEST = 8
"""Maximum number of presets in one work item."""
_RARELY = 100_000
"""Allocations between garbage collections in a worker. Summaries create thousands of tuples and no reference cycles."""


class Cancel(Protocol):
    """A threading.Event, or another object that signals a cancellation."""

    def is_set(self) -> bool: ...


class SweepError(Exception):
    """Raised if a worker process ends before its rows are finished. The text is one sentence."""


@dataclass
class _WorkerTask:
    """Task of a worker process."""

    subject: TrialSetup
    stop: Event


_desks: list[_WorkerTask] = []
"""Task of this worker process. A pool can pass data to its processes only once, through a global variable."""


def cores() -> int:
    """Return the number of processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_method(subject: TrialSetup) -> Start:
    """Return the start method: fork, unless another thread could have a lock or a store connection is open."""
    alone = sys.platform == "linux" and threading.active_count() == 1
    return "fork" if alone and not _from_store(subject) else "spawn"


def _from_store(subject: TrialSetup) -> bool:
    """Return True if texts are read through a database connection, which a forked process must not use."""
    from inspector.store import StoreBody

    return any(isinstance(message.body, StoreBody) for message in subject.session.messages)


def side_by_side(
    subject: TrialSetup, presets: Sequence[Preset], workers: int, start: Start, cancel: Cancel | None = None
) -> Iterator[tuple[int, TrialResult]]:
    """Yield the index of each preset with its row, as soon as it is finished; fewer after a cancellation.

    Closing the iterator stops the remaining work soon afterwards.

    Args:
        subject: Session and settings of the replays.
        presets: Presets to run.
        workers: Number of processes.
        start: Start method of the processes.
        cancel: Stops the work when it is set.

    Raises:
        SweepError: If a worker process ends unexpectedly.
    """
    context, facts = multiprocessing.get_context(start), subject.known_facts  # read once, before processes share them
    subject = replace(subject, facts=facts, read_facts=None)
    start_tracker()
    stop = context.Event()
    pool = ProcessPoolExecutor(
        workers, context, _init_worker, (subject if start == "fork" else _strip_measures(subject), stop)
    )
    pieces = portions(len(presets), workers)
    try:
        with block_interrupts():
            futures_left = {pool.submit(_work, [(place, presets[place]) for place in piece]) for piece in pieces}
        while futures_left and not (cancel and cancel.is_set()):
            futures, futures_left = wait(futures_left, _POLL_INTERVAL, FIRST_COMPLETED)
            yield from _results(futures)
    except BrokenProcessPool as error:
        raise SweepError("A worker process died. Try one process.") from error
    finally:
        with block_interrupts():
            stop.set()
            pool.shutdown(cancel_futures=True)


def _strip_measures(subject: TrialSetup) -> TrialSetup:
    """Return the setup without its cache of measured sizes, which a worker fills again, and without kept results."""
    return replace(subject, sizes=replace(subject.sizes, cache={}), kept=None)


def _results(futures: set[Future[list[tuple[int, TrialResult]]]]) -> Iterator[tuple[int, TrialResult]]:
    for future in futures:
        yield from future.result()


def portions(count: int, workers: int) -> Iterator[range]:
    """Return the places below `count`, divided into work items."""
    size = max(1, min(_LARGEST, count // (workers * _SHARES)))
    return (range(start, min(start + size, count)) for start in range(0, count, size))


def _init_worker(subject: TrialSetup, stop: Event) -> None:
    """Initialise a worker process: it ignores SIGINT and ends with its parent."""
    begin_worker()
    gc.freeze()  # existing objects are permanent, and a forked worker keeps sharing their memory
    gc.set_threshold(_RARELY)
    _desks[:] = [_WorkerTask(subject, stop)]


def _work(piece: Sequence[tuple[int, Preset]]) -> list[tuple[int, TrialResult]]:
    """Return the rows of a work item; fewer after a cancellation."""
    desk, rows = _desks[0], []
    try:
        for place, preset in piece:
            rows.append((place, run_trial(desk.subject, preset, desk.stop.is_set)))
    except ReplayCancelled:
        return rows
    return rows
