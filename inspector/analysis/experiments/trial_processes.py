"""Processes that replay presets beside each other, each with the session at hand.

Where the program has one thread and the system copies processes cheaply, workers are forked: session, counts and all
that was worked out about its messages are there at once. Elsewhere (the app has threads, other systems have no safe
fork) they start afresh and are sent the session, whose texts stay in their file or their store until they are read.
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
"""Seconds between two looks at whether all is to stop."""
_SHARES = 50
"""Pieces of work for each worker, at least: small ones leave nobody waiting for the last."""
_LARGEST = 8
"""Presets in one piece of work, at most."""
_RARELY = 100_000
"""New objects after which a worker looks for circles among them: summaries are thousands of tuples, and no circle."""


class Cancel(Protocol):
    """A threading.Event, or whatever else says whether to stop."""

    def is_set(self) -> bool: ...


class SweepError(Exception):
    """A worker went away before its rows were made. Its text is one sentence."""


@dataclass
class _Desk:
    """The task of a worker process."""

    subject: TrialSetup
    stop: Event


_desks: list[_Desk] = []
"""At most one, and only in a worker process: there is no other way to hand a pool's processes something once."""


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_method(subject: TrialSetup) -> Start:
    """How workers are to start: forked, unless another thread may hold a lock or a connection to a store is open."""
    alone = sys.platform == "linux" and threading.active_count() == 1
    return "fork" if alone and not _from_store(subject) else "spawn"


def _from_store(subject: TrialSetup) -> bool:
    """Whether texts are read through a connection to a database, which no forked process may take over."""
    from inspector.store import StoreBody

    return any(isinstance(message.body, StoreBody) for message in subject.session.messages)


def side_by_side(
    subject: TrialSetup, presets: Sequence[Preset], workers: int, start: Start, cancel: Cancel | None = None
) -> Iterator[tuple[int, TrialResult]]:
    """Each preset's place and row, as they are made; fewer when it is cancelled. Raises SweepError.

    What is not asked for any more stops soon after the iterator is closed.
    """
    context = multiprocessing.get_context(start)
    start_tracker()
    stop = context.Event()
    pool = ProcessPoolExecutor(
        workers, context, _sit_down, (subject if start == "fork" else _strip_measures(subject), stop)
    )
    pieces = portions(len(presets), workers)
    try:
        with block_interrupts():
            futures_left = {pool.submit(_work, [(place, presets[place]) for place in piece]) for piece in pieces}
        while futures_left and not (cancel and cancel.is_set()):
            futures, futures_left = wait(futures_left, _POLL_INTERVAL, FIRST_COMPLETED)
            yield from _results(futures)
    except BrokenProcessPool as error:
        raise SweepError("A process that replayed the session ended before it was done: try one process.") from error
    finally:
        with block_interrupts():
            stop.set()
            pool.shutdown(cancel_futures=True)


def _strip_measures(subject: TrialSetup) -> TrialSetup:
    """The subject without its cache of measured sizes, which a worker fills again."""
    return replace(subject, sizes=replace(subject.sizes, cache={}))


def _results(futures: set[Future[list[tuple[int, TrialResult]]]]) -> Iterator[tuple[int, TrialResult]]:
    for future in futures:
        yield from future.result()


def portions(count: int, workers: int) -> Iterator[range]:
    """The places below `count` in pieces of work."""
    size = max(1, min(_LARGEST, count // (workers * _SHARES)))
    return (range(start, min(start + size, count)) for start in range(0, count, size))


def _sit_down(subject: TrialSetup, stop: Event) -> None:
    """Set up a worker process: it ignores SIGINT and ends with its parent."""
    begin_worker()
    gc.freeze()  # what is there already stays for good, and stays shared with the program where it was forked
    gc.set_threshold(_RARELY)
    _desks[:] = [_Desk(subject, stop)]


def _work(piece: Sequence[tuple[int, Preset]]) -> list[tuple[int, TrialResult]]:
    """The rows of a piece of work; fewer when all is to stop."""
    desk, rows = _desks[0], []
    try:
        for place, preset in piece:
            rows.append((place, run_trial(desk.subject, preset, desk.stop.is_set)))
    except ReplayCancelled:
        return rows
    return rows
