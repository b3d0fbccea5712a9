"""Run many presets on one session in parallel, with progress, a time estimate and cancellation.

A sweep gives the same rows as running its presets one by one, and keeps them between runs. Presets are run in a mixed
order, so that the finished ones are representative of the remaining ones and the estimate is reliable from the start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.analysis import experiments as face
from inspector.analysis.experiments.corpus import PresetFigures, figures_of
from inspector.analysis.experiments.kept_results import keep_result, load_results, result_keys
from inspector.analysis.experiments.trials import TrialResult, TrialSetup, mark_front, run_trial
from inspector.core.work_pool import Cancel, OnSteps, Start, Stop, ThisProcess, available_memory, processor_count
from inspector.engine.compression import Preset
from inspector.engine.facts import FactIndex

__all__ = ["Cancel", "Progress", "SweepError", "run_sweep", "sweep_results"]

GOLDEN = 0.618033988749895
WORTH_IT = 8_000
"""Number of messages times presets from which starting processes saves time."""


class SweepError(Exception):
    """Raised if a worker process ends before its rows are finished. The text is one sentence."""


_LEAST_SHARE = 0.1
"""Share of the work before which its time is unknown: at first, facts are read for all rows."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a sweep. Times are in seconds."""

    count: int
    """Finished rows."""
    total: int
    elapsed: float
    part: float = 0.0
    """Share of the turns that have been replayed."""

    @property
    def share(self) -> float:
        """Finished share of the work, of rows or of turns."""
        return max(self.part, self.count / self.total if self.total else 1.0)

    @property
    def remaining(self) -> float | None:
        """Expected time until the end; None at the beginning."""
        return self.elapsed * (1 / self.share - 1) if self.share >= _LEAST_SHARE else None


ProgressCallback = Callable[[Progress], None]


def run_sweep(
    subject: TrialSetup,
    presets: Sequence[Preset],
    *,
    on_progress: ProgressCallback | None = None,
    cancel: Cancel | None = None,
    workers: int = 0,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[TrialResult, ...]:
    """Return a row for each preset, in order, with the Pareto front marked.

    After a cancellation, only the finished rows are returned.

    Args:
        subject: Session and settings of the replays.
        presets: Presets to run.
        on_progress: Called in the calling thread after each row, and often in between.
        cancel: Stops the sweep when it is set.
        workers: Number of processes. 1 uses only the current one, and 0 as many as save time.
        clock: Returns the time in seconds.

    Raises:
        SweepError: If a worker process ends unexpectedly.
        ValueError: If a preset is invalid.
    """
    began, rows, most = clock(), dict[int, TrialResult](), 0.0

    def report(part: float = 0.0) -> None:
        nonlocal most
        most = max(most, part)
        if on_progress:
            on_progress(Progress(len(rows), len(presets), clock() - began, most))

    for place, row in sweep_results(subject, presets, cancel=cancel, workers=workers, on_part=report):
        rows[place] = row
        report()
    return mark_front([rows[place] for place in sorted(rows)])


def replay_figures(presets: Sequence[Preset], subject: TrialSetup, stop: Stop) -> dict[str, PresetFigures]:
    """Return the figures of presets on one session, in this process. The facts of the session are read here.

    Raises:
        ReplayCancelled: If `stop` returned True.
        OSError: If the source can no longer be read.
    """
    subject = replace(subject, facts=subject.facts or FactIndex(subject.session))
    return figures_of(mark_front([run_trial(subject, preset, stop) for preset in presets]))


def sweep_results(
    subject: TrialSetup,
    presets: Sequence[Preset],
    *,
    cancel: Cancel | None = None,
    workers: int = 0,
    start: Start | None = None,
    on_part: Callable[[float], object] | None = None,
) -> Iterator[tuple[int, TrialResult]]:
    """Yield the index of each preset with its row, as soon as it is finished. The Pareto front is not marked.

    Args:
        subject: Session and settings of the replays.
        presets: Presets to run.
        cancel: Stops the sweep when it is set.
        workers: Number of processes. 1 uses only the current one, and 0 as many as save time.
        start: Start method of the processes; None to choose one.
        on_part: Called often in the calling thread with the share of the turns that have been replayed.

    Raises:
        SweepError: If a worker process ends unexpectedly.
        ValueError: If a preset is invalid.
    """
    keys = result_keys(subject, presets)
    known = load_results(subject, presets, keys)
    yield from known.items()
    left = [place for place in range(len(presets)) if place not in known]
    order = [left[place] for place in mixed_order(len(left))]
    queue = [presets[place] for place in order]
    turns = len(presets) * (len(subject.session.turns(subject.agent)) + 1)

    def follow(steps: int) -> None:
        if on_part:
            on_part(min(1.0, len(known) / len(presets) + steps / turns))

    for place, row in _replayed_rows(subject, queue, cancel, workers, start, follow):
        if keys:
            keep_result(subject, keys[order[place]], row)
        yield order[place], row


def _replayed_rows(
    subject: TrialSetup, queue: Sequence[Preset], cancel: Cancel | None, workers: int, start: Start | None, on: OnSteps
) -> Iterator[tuple[int, TrialResult]]:
    """Yield the index of each preset with its row. Forked processes share what the first rows have read."""
    count = min(workers or worker_count(subject, len(queue)), len(queue))
    begin = "fork" if count < 2 else start or face.start_method(subject)
    own = len(queue) if count < 2 else _SHARED_ROWS if begin == "fork" else 0
    steps = own * (len(subject.session.turns(subject.agent)) + 1)
    yield from ThisProcess(on).results(run_trial, subject, queue[:own], cancel)
    if rest := queue[own:]:
        rows = face.side_by_side(subject, rest, min(count, len(rest)), begin, cancel, lambda more: on(steps + more))
        yield from ((own + place, row) for place, row in rows)


_SHARED_ROWS = 1
"""Rows that are replayed before processes are forked, which then share what was read of the messages."""


def worker_count(subject: TrialSetup, presets: int) -> int:
    """Return the number of processes that save time and fit into the memory.

    It is 1 if the caller supplied services, which stay in its process.
    """
    if subject.services is not None or presets * len(subject.session.messages) < WORTH_IT:
        return 1
    size = _WORKER_BYTES + _BYTES_FOR_EACH * sum(message.chars for message in subject.session.messages)
    return max(1, min(processor_count(), available_memory() // (4 * size)))


_WORKER_BYTES, _BYTES_FOR_EACH = 150_000_000, 25
"""Memory of a worker: what any takes, and what it takes for each character of the session."""


def mixed_order(count: int) -> list[int]:
    """Return the places below `count` in a fixed order whose prefixes are distributed evenly."""
    return sorted(range(count), key=lambda place: (place + 1) * GOLDEN % 1)
