"""A job in which a model writes the summary of a plan: started on request, with progress, and cancellable."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from inspector.core.text import one_line
from inspector.ui.summary_progress import GeneratedSummary, SummaryInProgress, how_to_set_up, model_set_up, write
from inspector.ui.workers.jobs import CancellableJob, Host, Jobs

if TYPE_CHECKING:
    from inspector.engine.compression import StrategyChoice
    from inspector.library import Workbench


class SummaryWriter(CancellableJob[SummaryInProgress | GeneratedSummary]):
    """Runs at most one request at a time, and ignores the results of a stopped one.

    `progress` is called with each change of the request, and with None when it ends. `on_result` is called with a
    usable summary. Problems are shown to the user as notices.
    """

    def __init__(
        self,
        jobs: Jobs,
        host: Host,
        progress: Callable[[SummaryInProgress | None], None],
        on_result: Callable[[GeneratedSummary], None],
    ) -> None:
        """Create a writer without a request.

        Args:
            jobs: Runs requests in a thread.
            host: Shows notices.
            progress: Called with each change of the request, and with None at its end.
            show_result: Called with a usable summary.
        """
        super().__init__(jobs, host, "writing", partial(progress, None))
        self._progress = progress
        self._set_summary = on_result

    def start(self, bench: Workbench, turn: int, agent: str, trial: StrategyChoice) -> None:
        """Ask the configured model for the summary of a trial on a window.

        Args:
            bench: Workbench of the session.
            turn: Turn of the window.
            agent: Agent of the window.
            trial: Strategy and settings.
        """
        try:
            settings = model_set_up()
        except ValueError as problem:
            self._host.notify(str(problem), severity="warning")
            return
        if settings is None:
            self._host.notify(how_to_set_up())
            return
        request = SummaryInProgress(one_line(settings.model))

        def job(report: Callable[[SummaryInProgress | GeneratedSummary], object]) -> None:
            def progress(count: int, total: int) -> None:
                report(request.at(count, total))

            report(write(bench, turn, agent, trial, settings, request, progress))

        self._host.notify(f"The conversation is sent to {one_line(settings.place)}.")
        self._start(request.cancel, job)
        self._progress(request)

    def _on_result(self, result: SummaryInProgress | GeneratedSummary) -> None:
        if isinstance(result, SummaryInProgress):
            self._progress(result)
            return
        self._end()
        if result.plan.has_failed or not result.plan.summaries:
            reason = result.plan.note or "The model's summary cannot be used."
            self._host.notify(reason[:1].upper() + reason[1:], severity="warning")
        else:
            self._set_summary(result)
