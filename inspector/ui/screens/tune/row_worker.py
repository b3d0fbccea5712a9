"""Working out the rows of Tune in a thread, one at a time.

A knob that moves makes its row stale; only that row is worked out anew, and what was begun for the knob's last place is
given up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event

from inspector.analysis.experiments import TrialResult, run_trial
from inspector.analysis.replay import ReplayCancelled
from inspector.core.crash import failure_sentence
from inspector.engine.compression import Preset
from inspector.ui.screens.tune.preset_rows import PresetRow, TuneContext
from inspector.ui.workers.jobs import CooperativeStop, Jobs


@dataclass(frozen=True)
class RowResult:
    """A row that was worked out, or given up (neither result nor failure), or could not be."""

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
    """Works out one row after the other. `show_result` gets each of them."""

    def __init__(self, jobs: Jobs, show_result: Callable[[RowResult], None]) -> None:
        self._set_result = show_result
        self._rows = jobs.latest("rows", self._on_result)
        self._number = -1
        """The number of the row that is being worked out, or was last."""
        self._stop = Event()
        self._seconds = 0.0
        self.count = 0
        """How many rows were worked out."""

    @property
    def is_running(self) -> bool:
        return self._rows.is_running

    @property
    def seconds(self) -> float:
        """What a row takes, by those that were worked out; 0 where none was."""
        return self._seconds / self.count if self.count else 0.0

    def start(self, context: TuneContext, entry: PresetRow) -> None:
        self._number, self._stop = entry.number, Event()
        self._rows.ask(partial(_compute_row, context, entry, self._stop))

    def give_up(self, number: int | None = None) -> None:
        """What is being worked out is no longer wanted: the row with a number, or any row."""
        if number is None or number == self._number:
            self._stop.set()

    def _on_result(self, result: RowResult) -> None:
        if result.complete:
            self._seconds += result.seconds
            self.count += 1
        self._set_result(result)


def _compute_row(context: TuneContext, entry: PresetRow, stop: Event) -> RowResult:
    """Work out a row, in a thread."""
    try:
        setup, began = context.setup, time.monotonic()
        result = run_trial(setup, entry.preset, CooperativeStop(stop).is_set)
        return RowResult(context, entry.number, entry.preset, result, seconds=time.monotonic() - began)
    except ReplayCancelled:
        return RowResult(context, entry.number, entry.preset)
    except Exception as error:  # stands in the row: one preset that fails must not take the others with it
        text = str(error) if isinstance(error, ValueError) else failure_sentence(error)
        return RowResult(context, entry.number, entry.preset, failure=text)
