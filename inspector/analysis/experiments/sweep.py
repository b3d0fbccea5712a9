"""Many presets on one session: as fast as the processors allow, with progress, an estimate, and a way to stop.

A sweep gives just the rows that its presets give one by one. Presets are taken in a mixed order, so that those that
are done are a fair sample of those that are left, and the estimate holds from early on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from inspector.analysis.experiments.trial_processes import Cancel, Start, SweepError, cores, side_by_side, start_method
from inspector.analysis.experiments.trials import TrialResult, TrialSetup, mark_front, run_trial
from inspector.analysis.replay import ReplayCancelled
from inspector.engine.compression import Preset

__all__ = ["Cancel", "Progress", "SweepError", "run_sweep", "sweep_results"]

GOLDEN = 0.618033988749895
WORTH_IT = 8_000
"""Messages times presets from which on starting other processes takes less time than it saves."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a sweep. Times are seconds."""

    count: int
    total: int
    elapsed: float

    @property
    def remaining(self) -> float | None:
        """The expected time until the end; None before the first row."""
        return self.elapsed / self.count * (self.total - self.count) if self.count else None


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
    """A row for each preset, in order, with the front marked; only those that were made when it is cancelled.

    `workers` is how many processes work on it: 1 is this one alone, 0 as many as pay for themselves. `on_progress`
    is called in this thread, after each row. Raises SweepError, and ValueError for a preset that cannot be meant.
    """
    began, rows = clock(), dict[int, TrialResult]()
    for place, row in sweep_results(subject, presets, cancel=cancel, workers=workers):
        rows[place] = row
        if on_progress:
            on_progress(Progress(len(rows), len(presets), clock() - began))
    return mark_front([rows[place] for place in sorted(rows)])


def sweep_results(
    subject: TrialSetup,
    presets: Sequence[Preset],
    *,
    cancel: Cancel | None = None,
    workers: int = 0,
    start: Start | None = None,
) -> Iterator[tuple[int, TrialResult]]:
    """Each preset's place and its row without the mark of the front, as they are made. Raises like `sweep`."""
    order = mixed_order(len(presets))
    queue = [presets[place] for place in order]
    count = min(workers or worker_count(subject, len(presets)), len(presets))
    if count < 2:
        rows = _one_by_one(subject, queue, cancel)
    else:
        rows = side_by_side(subject, queue, count, start or start_method(subject), cancel)
    for place, row in rows:
        yield order[place], row


def worker_count(subject: TrialSetup, presets: int) -> int:
    """How many processes pay for themselves. Aids of the caller's own stay in its process."""
    if subject.services is not None or presets * len(subject.session.messages) < WORTH_IT:
        return 1
    return cores()


def _one_by_one(
    subject: TrialSetup, presets: Sequence[Preset], cancel: Cancel | None
) -> Iterator[tuple[int, TrialResult]]:
    stop = cancel.is_set if cancel else lambda: False
    for place, preset in enumerate(presets):
        try:
            yield place, run_trial(subject, preset, stop)
        except ReplayCancelled:
            return


def mixed_order(count: int) -> list[int]:
    """All places below `count` in an order whose beginnings are spread evenly over them. Always the same order."""
    return sorted(range(count), key=lambda place: (place + 1) * GOLDEN % 1)
