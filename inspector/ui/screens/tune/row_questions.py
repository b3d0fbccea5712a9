"""Replays a row of Tune for the questions for going on at each of its compressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event

from inspector.analysis.experiments import start_trial
from inspector.analysis.replay import WorkQuestions
from inspector.core.crash import error_message
from inspector.engine.compression import Preset
from inspector.ui.screens.tune.preset_rows import TuneContext
from inspector.ui.workers.jobs import CooperativeStop, Jobs

_NONE = "No questions: no compression replaced messages."
Show = Callable[[Sequence[WorkQuestions], str], object]
"""Called with the questions at each compression, and the text to show without any."""


@dataclass(frozen=True)
class _AskedRow:
    """The questions of one row. The result is dropped if another row has been asked since, or none is wanted."""

    context: TuneContext
    preset: Preset
    show: Show
    stop: Event

    def run(self) -> tuple[_AskedRow, Sequence[WorkQuestions], str]:
        """Replay the row. Runs in a thread."""
        cancelled = CooperativeStop(self.stop).is_set
        try:
            setup = self.context.setup
            run = start_trial(replace(setup, facts=setup.facts or self.context.bench.fact_index()), self.preset)
            for _ in run.frames():
                if cancelled():
                    return self, (), ""
            return self, run.replay().questions, _NONE
        except Exception as error:  # shown in the dialog
            return self, (), str(error) if isinstance(error, ValueError) else error_message(error)


class RowQuestions:
    """Finds the questions of one row at a time."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs.latest("questions", self._set)
        self._asked: _AskedRow | None = None

    def start(self, context: TuneContext, preset: Preset, show: Show) -> None:
        """Replay a preset, and pass its questions to `show`."""
        self.give_up()
        self._asked = _AskedRow(context, preset, show, Event())
        self._jobs.ask(partial(_AskedRow.run, self._asked))

    def give_up(self) -> None:
        """Cancel the replay. Its questions are no longer wanted."""
        if self._asked is not None:
            self._asked.stop.set()
            self._asked = None

    def _set(self, outcome: tuple[_AskedRow, Sequence[WorkQuestions], str]) -> None:
        asked, questions, empty = outcome
        if asked is self._asked:
            self._asked = None
            asked.show(questions, empty)
