"""Compares the presets over several sessions, independent of any widget: one session after the other, in a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from threading import Event
from typing import Any

from inspector.analysis.experiments import (
    CorpusRow,
    CorpusVerdict,
    Progress,
    SessionFigures,
    SweepError,
    corpus_rows,
    corpus_verdict,
    figures_of,
    run_sweep,
)
from inspector.analysis.replay import NONE, RECORDED
from inspector.core.conversation import MAIN
from inspector.core.crash import error_message
from inspector.core.errors import InspectorError
from inspector.core.text import plural
from inspector.engine.compression import Preset
from inspector.library import Entry, Opener
from inspector.ui.dialogs.picker import list_presets
from inspector.ui.screens.tune.preset_rows import TuneContext
from inspector.ui.screens.tune.sweep_rows import ready_for_processes
from inspector.ui.workers.jobs import Busy, CancellableJob, CooperativeStop, Host, Jobs

FigureKey = tuple[Any, ...]
"""Target of a session, state of its file, and presets: its figures depend on these."""


@dataclass(frozen=True, eq=False)
class ComparedSession:
    """A session to compare the presets on."""

    entry: Entry
    figures: SessionFigures | None = None
    """Figures of the presets, empty if no preset compresses it; None if they are not known yet."""
    problem: str = ""
    is_left_out: bool = False

    @property
    def is_due(self) -> bool:
        """True if the presets are still to be replayed on it."""
        return self.figures is None and not self.problem and not self.is_left_out

    @property
    def status(self) -> str:
        """Why it has no figures; empty if it has some."""
        if self.is_left_out:
            return "left out"
        return self.problem or (
            "not replayed yet" if self.figures is None else "" if self.figures else "no preset compresses it"
        )


@dataclass(frozen=True, eq=False)
class CorpusState:
    """Everything that is drawn, at one moment."""

    sessions: tuple[ComparedSession, ...] = ()
    scope: str = ""
    """Project whose sessions are compared; empty for all that are listed."""
    busy: Busy | None = None

    @cached_property
    def figures(self) -> list[SessionFigures]:
        """Figures of the sessions that count."""
        return [one.figures for one in self.sessions if one.figures and not one.is_left_out]

    @cached_property
    def rows(self) -> Sequence[CorpusRow]:
        return corpus_rows(self.figures)

    @cached_property
    def verdict(self) -> CorpusVerdict:
        return corpus_verdict(self.figures)

    @property
    def due(self) -> list[ComparedSession]:
        return [one for one in self.sessions if one.is_due]

    @property
    def summary(self) -> str:
        """Number of the sessions, the progress, and what is known about how many."""
        taken = [one for one in self.sessions if not one.is_left_out]
        counts = {
            "compared": len(self.figures),
            "that no preset compresses": sum(one.figures == {} for one in taken),
            "that cannot be replayed": sum(bool(one.problem) for one in taken),
            "left out": len(self.sessions) - len(taken),
        }
        where = f" of {self.scope}" if self.scope else ""
        known = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        parts = (f"{plural(len(self.sessions), 'session')}{where}", str(self.busy or ""), known)
        return "   ".join(filter(None, parts))


@dataclass(frozen=True)
class _SessionStep:
    """The result of a session, or the progress; without either, the end."""

    target: str = ""
    figures: SessionFigures | None = None
    problem: str = ""
    busy: Busy | None = None


class CorpusController(CancellableJob[_SessionStep]):
    """Replays the presets on the sessions that are due. After a stop, finished sessions are not replayed again."""

    def __init__(
        self,
        jobs: Jobs,
        host: Host,
        entries: Sequence[Entry],
        opener: Callable[[], Opener],
        known: dict[FigureKey, SessionFigures],
        on_change: Callable[[], None],
    ) -> None:
        """Create a controller that shows what is known.

        Args:
            jobs: Runs the replays in a thread.
            host: Shows failures.
            entries: Sessions to compare the presets on.
            opener: Returns an opener for sessions. Called in a thread.
            known: Figures of earlier comparisons, to which new ones are added.
            on_change: Called after every change of `state`.
        """
        super().__init__(jobs, host, "corpus", self._set_idle)
        self._host = host
        self._opener = opener
        self._known = known
        self._on_change = on_change
        self._entries = [entry for entry in entries if not (entry.problem or entry.unsupported)]
        presets, self.problem = list_presets()
        self._presets = (RECORDED, NONE, *presets)
        self.state = CorpusState()
        self.choose_scope("")

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self._on_change()

    def choose_scope(self, project: str) -> None:
        """Compare the sessions of a project; all sessions without a name."""
        entries = [entry for entry in self._entries if project in ("", entry.project)]
        sessions = [ComparedSession(entry, self._known.get(_figure_key(entry, self._presets))) for entry in entries]
        self._set(sessions=tuple(sessions), scope=project)

    def leave_out(self, session: ComparedSession) -> None:
        """Exclude a session, or include it again."""
        changed = replace(session, is_left_out=not session.is_left_out)
        self._set(sessions=tuple(changed if one is session else one for one in self.state.sessions))

    def start(self) -> None:
        """Replay the presets on the sessions that are due."""
        due = [one.entry for one in self.state.due]
        if self.busy or not due:
            self._host.notify("The comparison is running." if self.busy else "All of these sessions are compared.")
            return
        cancel = Event()
        self._start(cancel, partial(_replay_sessions, due, self._presets, self._opener, cancel))
        self._set(busy=Busy(f"session 1 of {len(due):,}", 0.0))

    def _on_result(self, step: _SessionStep) -> None:
        if step.busy is not None:
            self._set(busy=step.busy)
        elif not step.target:
            self._end()
        else:
            self._set(sessions=tuple(self._with_step(one, step) for one in self.state.sessions))

    def _with_step(self, session: ComparedSession, step: _SessionStep) -> ComparedSession:
        if session.entry.target != step.target:
            return session
        if step.figures is not None:
            self._known[_figure_key(session.entry, self._presets)] = step.figures
        return replace(session, figures=step.figures, problem=step.problem)

    def _set_idle(self) -> None:
        self._set(busy=None)


def _figure_key(entry: Entry, presets: Sequence[Preset]) -> FigureKey:
    """Return what the figures of a session depend on."""
    try:
        status = Path(entry.path).stat() if entry.path and entry.origin != "stored" else None
    except OSError:
        status = None
    state = (status.st_size, status.st_mtime_ns) if status else (entry.changed, entry.messages)
    return entry.target, state, repr(presets)


def _replay_sessions(
    entries: Sequence[Entry],
    presets: Sequence[Preset],
    opener: Callable[[], Opener],
    cancel: Event,
    report: Callable[[_SessionStep], object],
) -> None:
    """Report the figures of each session and the progress. Runs in a thread."""
    ready_for_processes()
    for place, entry in enumerate(entries):

        def show(share: float, what: str = f"session {place + 1:,} of {len(entries):,}", done: int = place) -> None:
            report(_SessionStep(busy=Busy(what, (done + share) / len(entries))))

        show(0.0)
        try:
            figures = _figures_on(entry, presets, opener(), cancel, show)
        except Exception as error:  # shown in its line: one session must not affect the others
            known = isinstance(error, InspectorError | SweepError | ValueError)
            report(_SessionStep(entry.target, problem=str(error) if known else error_message(error)))
            continue
        if figures is None:
            return
        report(_SessionStep(entry.target, figures))
    report(_SessionStep())


def _figures_on(
    entry: Entry, presets: Sequence[Preset], opener: Opener, cancel: Event, show: Callable[[float], None]
) -> Mapping[str, Any] | None:
    """Return the figures of the presets on a session; None after a stop."""
    stop = CooperativeStop(cancel)
    bench = None
    for step in opener.steps(entry.target, is_cancelled=stop.is_set):
        bench = step.bench or bench
    if bench is None or cancel.is_set():
        return None
    agents = bench.session.agents
    agent = MAIN if MAIN in agents else next(iter(agents), MAIN)
    if not bench.session.turns(agent):
        raise ValueError("It has no model calls to replay.")
    setup = replace(TuneContext(bench, agent).setup, read_facts=bench.fact_index)

    def follow(progress: Progress) -> None:
        show(progress.share)

    rows = run_sweep(setup, presets, on_progress=follow, cancel=stop)
    return None if cancel.is_set() else figures_of(rows)
