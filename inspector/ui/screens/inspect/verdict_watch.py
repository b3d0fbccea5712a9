"""Background analysis of an opened session: first its sizes, then the lost facts that were needed again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from inspector.library import diagnosis
from inspector.ui.key_remaps import with_keys
from inspector.ui.workers.jobs import CancellableJob, CooperativeStop, Host, Jobs

if TYPE_CHECKING:
    from inspector.library import Workbench
    from inspector.library.diagnosis import Findings, LateNeed, Overview, Verdict


@dataclass(frozen=True)
class VerdictSoFar:
    """Results so far about an agent's context."""

    overview: Overview
    findings: Findings | None = None
    """None until the losses of compactions have been analysed."""

    def at(self, turn: int) -> Verdict:
        """Return the verdict while the window of a turn is shown."""
        return diagnosis.judge(self.overview, self.findings, turn)

    @property
    def turns(self) -> tuple[int, ...]:
        """Turns whose newest reply needed a lost fact."""
        return self.findings.turns if self.findings else ()

    def next_need(self, turn: int, step: int) -> LateNeed | None:
        """Return the next need after a turn, or the previous one for a negative `step`, wrapping around."""
        needs = self.findings.needs if self.findings else ()
        if step > 0:
            return next((need for need in needs if need.turn > turn), needs[0] if needs else None)
        return next((need for need in reversed(needs) if need.turn < turn), needs[-1] if needs else None)


class VerdictWatch(CancellableJob["Findings"]):
    """Analyses one agent's context at a time. `on_change` is called with the results so far, None for a new context."""

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[VerdictSoFar | None], None]) -> None:
        """Create an analysis without a session.

        Args:
            jobs: Runs the analysis in threads.
            host: Shows failures.
            on_change: Called with the results so far; None when another context is analysed.
        """
        super().__init__(jobs, host, "needs", lambda: None)
        self.vote: VerdictSoFar | None = None
        self._subject: tuple[Workbench, str] | None = None
        self._on_change = on_change
        self._surveys = jobs.latest("survey", self._set_overview)

    @property
    def is_looking(self) -> bool:
        """True while it is unknown which replies needed lost facts."""
        vote = self.vote
        return vote is None or (vote.findings is None and bool(vote.overview.timeline.compactions))

    @property
    def absence(self) -> str:
        """Reason why there is no reply to go to, as a sentence."""
        vote = self.vote
        if vote is None or self.is_looking:
            return with_keys("Still loading. {next_finding} works in a moment.")
        if not vote.overview.timeline.compactions:
            return diagnosis.no_compaction(vote.overview)
        if vote.findings is not None and vote.findings.sealed:
            return "Unknown, because a compaction's summary is encrypted."
        return "No reply needed a fact that a compaction had dropped."

    def look(self, bench: Workbench, agent: str) -> None:
        """Analyse a context and stop the analysis of another one. Does nothing for the current context."""
        if self._subject is not None and self._subject[0] is bench and self._subject[1] == agent:
            return
        self._subject = (bench, agent)
        self.stop()
        if self.vote is not None and not self._is_of(self.vote, bench, agent):
            self._set(None)
        self._surveys.ask(lambda: diagnosis.survey(bench, agent))  # imported in the thread

    @staticmethod
    def _is_of(vote: VerdictSoFar, bench: Workbench, agent: str) -> bool:
        """Return True if results are about this log: better token counts do not change which facts were needed."""
        return vote.overview.bench.session is bench.session and vote.overview.agent == agent

    def _set(self, vote: VerdictSoFar | None) -> None:
        self.vote = vote
        self._on_change(vote)

    def _set_overview(self, overview: Overview) -> None:
        if self._subject is None or overview.bench is not self._subject[0] or overview.agent != self._subject[1]:
            return
        self._set(VerdictSoFar(overview, self.vote.findings if self.vote else None))
        if overview.is_counted and not overview.is_long:
            self.seek()

    def seek(self) -> None:
        """Search for facts that were needed again, unless that is done or running. Long logs only on request."""
        if self.vote is not None and self.vote.findings is None and not self.busy:
            cancel = Event()
            self._start(cancel, partial(_look, self.vote.overview, cancel))

    def _on_result(self, result: Findings) -> None:
        self._end()
        if self.vote is not None:
            self._set(replace(self.vote, findings=result))


def _look(overview: Overview, cancel: Event, report: Callable[[Findings], object]) -> None:
    """Report facts that were needed again, unless the search is cancelled. Runs in a thread."""
    findings = diagnosis.look_back(overview.bench, overview.agent, CooperativeStop(cancel).is_set)
    if findings is not None:
        report(findings)
