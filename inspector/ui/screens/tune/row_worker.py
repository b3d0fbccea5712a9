"""Computes the rows of Tune in a thread, one at a time.

A turned knob makes its row stale. Only that row is computed again, and a computation for an earlier value is cancelled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event

from inspector.analysis.experiments import TrialResult, run_trial
from inspector.analysis.replay import ReplayCancelled
from inspector.core.crash import error_message
from inspector.engine.compression import Preset
from inspector.ui.screens.tune.preset_rows import PresetRow, TuneContext
from inspector.ui.workers.jobs import CooperativeStop, Jobs


@dataclass(frozen=True)
class RowResult:
    """Result of a row: a trial, a failure, or neither if it was cancelled."""

    context: TuneContext
    number: int
    preset: Preset
    result: TrialResult | None = None
    failure: str = ""
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        return self.result is not None or bool(self.failure)


class RowWorker:
    """Computes one row after the other, and passes each to `on_result`."""

    def __init__(self, jobs: Jobs, on_result: Callable[[RowResult], None]) -> None:
        self._set_result = on_result
        self._rows = jobs.latest("rows", self._on_result)
        self._number = -1
        """Number of the row that is being computed or was computed last."""
        self._stop = Event()
        self._seconds = 0.0
        self.count = 0
        """Number of rows computed so far."""

    @property
    def is_running(self) -> bool:
        return self._rows.is_running

    @property
    def seconds(self) -> float:
        """Mean seconds per row so far; 0 if unknown."""
        return self._seconds / self.count if self.count else 0.0

    def start(self, context: TuneContext, entry: PresetRow) -> None:
        self._number, self._stop = entry.number, Event()
        self._rows.ask(partial(_compute_row, context, entry, self._stop))

    def give_up(self, number: int | None = None) -> None:
        """Cancel the computation of the row with a number, or of any row."""
        if number is None or number == self._number:
            self._stop.set()

    def _on_result(self, result: RowResult) -> None:
        if result.complete:
            self._seconds += result.seconds
            self.count += 1
        self._set_result(result)


def _compute_row(context: TuneContext, entry: PresetRow, stop: Event) -> RowResult:
    """Compute a row. Runs in a thread."""
    try:
        setup, began = context.setup, time.monotonic()
        result = run_trial(setup, entry.preset, CooperativeStop(stop).is_set)
        return RowResult(context, entry.number, entry.preset, result, seconds=time.monotonic() - began)
    except ReplayCancelled:
        return RowResult(context, entry.number, entry.preset)
    except Exception as error:  # shown in the row: one failing preset must not affect the others
        text = str(error) if isinstance(error, ValueError) else error_message(error)
        return RowResult(context, entry.number, entry.preset, failure=text)
