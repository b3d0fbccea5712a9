"""A sweep: a preset with every combination of some values, as rows that appear while they are computed."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import resource_tracker
from threading import Event

from inspector.analysis.experiments import Progress, SweepError, TrialResult, sweep_results
from inspector.engine.compression import Preset
from inspector.ui.screens.tune.preset_rows import TuneContext
from inspector.ui.workers.jobs import Busy, CancellableJob, CooperativeStop, Host, Jobs

_UPDATE_INTERVAL = 0.3
"""Seconds between two additions to the table: each one sorts and evaluates it again."""


@dataclass(frozen=True)
class SweepStep:
    """More results of a sweep; without progress, the last ones."""

    results: tuple[TrialResult, ...]
    progress: Progress | None = None


class Sweep(CancellableJob[SweepStep]):
    """Runs at most one sweep at a time. Results of a stopped sweep are kept.

    `on_result` is called with new results, and `progress` with the progress, or None at the end.
    """

    def __init__(
        self,
        jobs: Jobs,
        host: Host,
        on_result: Callable[[Sequence[TrialResult]], None],
        progress: Callable[[Busy | None], None],
    ) -> None:
        """Create a sweep that has not started.

        Args:
            jobs: Runs sweeps in a thread.
            host: Shows failures.
            on_result: Called with new results.
            progress: Called with the progress, and with None at the end.
        """
        super().__init__(jobs, host, "sweep", partial(progress, None))
        self._set_rows = on_result
        self._progress = progress

    def start(self, context: TuneContext, presets: Sequence[Preset]) -> None:
        """Compute the rows of `presets`."""
        cancel = Event()
        self._start(cancel, partial(_sweep_through, context, presets, cancel))
        self._progress(Busy(f"sweeping {len(presets):,}", 0.0))

    def _on_result(self, step: SweepStep) -> None:
        self._set_rows(step.results)
        if step.progress is None:
            self._end()
        else:
            self._progress(_busy_with(step.progress))

    def _sentence_of(self, error: Exception) -> str:
        return str(error) if isinstance(error, SweepError | ValueError) else super()._sentence_of(error)


def duration(seconds: float) -> str:
    """Return a duration in approximate words."""
    return f"{seconds / 60:.0f} minutes" if seconds > 90 else f"{max(1, round(seconds))} s"


def _busy_with(progress: Progress) -> Busy:
    rest = f", {duration(progress.remaining)} left" if progress.remaining is not None else ""
    return Busy(f"sweeping {progress.count:,} of {progress.total:,}{rest},", progress.share)


def _sweep_through(
    context: TuneContext, presets: Sequence[Preset], cancel: Event, report: Callable[[SweepStep], object]
) -> None:
    """Report results at intervals, and the remaining ones before an exception is raised. Runs in a thread."""
    new: list[TrialResult] = []
    began = report_time = time.monotonic()
    progress = Progress(0, len(presets), 0.0)

    def follow(part: float) -> None:
        nonlocal progress, report_time
        now = time.monotonic()
        progress = replace(progress, elapsed=now - began, part=part)
        if now - report_time > _UPDATE_INTERVAL:
            report(SweepStep(tuple(new), progress))
            new.clear()
            report_time = now

    try:
        ready_for_processes()
        for _, result in sweep_results(context.setup, presets, cancel=CooperativeStop(cancel), on_part=follow):
            new.append(result)
            progress = replace(progress, count=progress.count + 1)
            follow(progress.part)
    except Exception:
        report(SweepStep(tuple(new), progress))
        raise
    report(SweepStep(tuple(new)))


def ready_for_processes() -> None:
    """Start the resource tracker of worker processes with a real stderr: the app's stderr has no file descriptor."""
    with contextlib.redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()
