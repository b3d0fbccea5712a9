"""A model that writes the summary of a plan: only when asked for, with its progress, stopped at any moment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event

from inspector.compression import StrategyChoice
from inspector.crash import failure_sentence
from inspector.library import Workbench
from inspector.text import one_line
from inspector.ui.workers.jobs import Host, Jobs
from inspector.ui.writing import HOW, Writing, Written, model_set_up, write


class SummaryWriter:
    """At most one request at a time. What comes of one that was stopped is dropped.

    `progress` is called with each change of the request, and with None when it ends; `done` with a summary that can be
    used. Everything else is shown to the person as a notice.
    """

    def __init__(
        self,
        jobs: Jobs,
        host: Host,
        progress: Callable[[Writing | None], None],
        take: Callable[[Written], None],
    ) -> None:
        self._jobs = jobs
        self._host = host
        self._progress = progress
        self._take_written = take
        self._cancel: Event | None = None
        """Set to stop the request that is going on."""

    @property
    def busy(self) -> bool:
        return self._cancel is not None

    def start(self, bench: Workbench, turn: int, agent: str, trial: StrategyChoice) -> None:
        """Ask the model that is set up for the summary of what a trial makes of a window."""
        try:
            settings = model_set_up()
        except ValueError as problem:
            self._host.notify(str(problem), severity="warning")
            return
        if settings is None:
            self._host.notify(HOW, timeout=15)
            return
        request = Writing(one_line(settings.model))
        self._cancel = request.cancel
        self._progress(request)

        def job(report: Callable[[Writing | Written], object]) -> None:
            def progress(count: int, total: int) -> None:
                report(request.at(count, total))

            report(write(bench, turn, agent, trial, settings, request, progress))

        take, fail = partial(self._take, request.cancel), partial(self._fail, request.cancel)
        self._jobs.start("writing", job, take, fail)

    def stop(self) -> bool:
        """Stop the model. False where none is at work."""
        if self._cancel is None:
            return False
        self.close()
        self._end()
        return True

    def close(self) -> None:
        """Stop the model and say nothing: the screen is gone."""
        if self._cancel is not None:
            self._cancel.set()

    def _end(self) -> None:
        self._cancel = None
        self._progress(None)

    def _take(self, cancel: Event, result: Writing | Written) -> None:
        if cancel is not self._cancel:
            return
        if isinstance(result, Writing):
            self._progress(result)
            return
        self._end()
        if result.plan.failed or not result.plan.summaries:
            reason = result.plan.note or "The model's summary could not be used."
            self._host.notify(reason[:1].upper() + reason[1:], severity="warning", timeout=10)
        else:
            self._take_written(result)

    def _fail(self, cancel: Event, error: Exception) -> None:
        if cancel is self._cancel:
            self._end()
            self._host.notify(failure_sentence(error), severity="error")
