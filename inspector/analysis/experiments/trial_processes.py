"""Replay presets in several processes that share a session.

In a single-threaded program on a system with cheap process copies, workers are forked and inherit the session with its
counts and caches. Otherwise (the app has threads, and other systems have no safe fork) they are spawned and receive the
session, whose texts stay in their file or store until they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.analysis.experiments.sweep import SweepError
from inspector.analysis.experiments.trials import TrialResult, TrialSetup, run_trial
from inspector.core.local_processes import LocalProcesses, safe_start
from inspector.core.work_pool import Cancel, OnSteps, Start, Stop, WorkError
from inspector.engine.compression import Preset

_SHARES = 50
"""Minimum number of work items per worker. Small items keep all workers busy until the end."""
_LARGEST = 8
"""Maximum number of presets in one work item."""


def start_method(subject: TrialSetup) -> Start:
    """Return the start method: fork, unless another thread could have a lock or a store connection is open."""
    return "spawn" if _from_store(subject) else safe_start()


def _from_store(subject: TrialSetup) -> bool:
    """Return True if texts are read through a database connection, which a forked process must not use."""
    from inspector.store import StoreBody

    return any(isinstance(message.body, StoreBody) for message in subject.session.messages)


def side_by_side(
    subject: TrialSetup,
    presets: Sequence[Preset],
    workers: int,
    start: Start,
    cancel: Cancel | None = None,
    on_steps: OnSteps | None = None,
) -> Iterator[tuple[int, TrialResult]]:
    """Yield the index of each preset with its row, as soon as it is finished; fewer after a cancellation.

    Closing the iterator stops the remaining work soon afterwards.

    Args:
        subject: Session and settings of the replays.
        presets: Presets to run.
        workers: Number of processes.
        start: Start method of the processes.
        cancel: Stops the work when it is set.
        on_steps: Called with the number of turns that have been replayed.

    Raises:
        SweepError: If a worker process ends unexpectedly.
    """
    subject = replace(subject, facts=subject.known_facts, read_facts=None)  # read once, before processes share them
    shared = subject if start == "fork" else _strip_caches(subject)
    pieces = ([(place, presets[place]) for place in piece] for piece in portions(len(presets), workers))
    try:
        for _, rows in LocalProcesses(workers, start, on_steps).results(_run_piece, shared, pieces, cancel):
            yield from rows
    except WorkError as error:
        raise SweepError(f"{error} Try one process.") from error


def _strip_caches(subject: TrialSetup) -> TrialSetup:
    """Return the setup without its cache of measured sizes, which a worker fills again, and without kept results."""
    return replace(subject, sizes=replace(subject.sizes, cache={}), kept=None)


def portable_setup(subject: TrialSetup) -> TrialSetup:
    """Return the setup for a worker on another machine, which reads the facts itself. Loads the texts of all messages.

    Raises:
        OSError: If the source can no longer be read.
    """
    return replace(_strip_caches(subject), session=subject.session.in_memory(), facts=None, read_facts=None)


def portions(count: int, workers: int) -> Iterator[range]:
    """Return the places below `count`, divided into work items."""
    size = max(1, min(_LARGEST, count // (workers * _SHARES)))
    return (range(start, min(start + size, count)) for start in range(0, count, size))


def _run_piece(
    subject: TrialSetup, piece: Sequence[tuple[int, Preset]], stop: Stop
) -> Sequence[tuple[int, TrialResult]]:
    """Return the rows of a work item. Raises ReplayCancelled."""
    return [(place, run_trial(subject, preset, stop)) for place, preset in piece]
