"""The state of the Overview screen and its controller, independent of any widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import Any

from inspector.core.crash import error_message
from inspector.library import FleetStats, backfill_rollups, first_day, fleet_stats, period_of
from inspector.store import GroupSession, RollupGroup, SessionStore, StatsRow, Store, StoreError
from inspector.ui.messages import OpenTarget
from inspector.ui.workers.jobs import Busy, Host, Jobs

GROUPS: tuple[RollupGroup, ...] = ("project", "week", "model", "tool", "server", "file", "agent", "cause", "preset")
"""Groups in the order of the key."""
PERIODS: Sequence[tuple[str, str]] = (("all times", ""), ("1 year", "1y"), ("90 days", "90d"), ("30 days", "30d"))
"""Periods in the order of the key: name, and argument of `period_of`."""
_MAX_SESSIONS = 1_000
"""Maximum sessions of a group."""
_MAX_UNASKED = 50
"""Maximum sessions without totals that are added up when the screen opens. More wait for the key."""


@dataclass(frozen=True, eq=False)
class OverviewState:
    """Everything that the screen draws, at one moment."""

    stats: FleetStats | None = None
    group: RollupGroup = "project"
    period: int = 0
    """Index in `PERIODS`."""
    rows: tuple[StatsRow, ...] = ()
    trends: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    """Dollars of each week by project, oldest first."""
    opened: str | None = None
    """Name of the group whose sessions are listed; None for the list of groups."""
    sessions: tuple[GroupSession, ...] = ()
    busy: Busy | None = None
    failure: str = ""

    @property
    def period_name(self) -> str:
        return PERIODS[self.period][0]


@dataclass(frozen=True)
class _TotalsRead:
    """Totals that a job has read from the store."""

    group: RollupGroup
    period: int
    stats: FleetStats
    rows: tuple[StatsRow, ...]
    trends: Mapping[str, Sequence[float | None]]


class OverviewController:
    """Reads totals in the background, and lists the sessions of a group.

    `on_change` is called with each new state, on the thread that calls the controller.
    """

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[OverviewState], None]) -> None:
        """Create a controller without a store.

        Args:
            jobs: Runs reading in a thread.
            host: Shows notices, and opens sessions.
            on_change: Called with each new state.
        """
        self.state = OverviewState()
        self._jobs = jobs
        self._host = host
        self._on_change = on_change
        self._store: SessionStore | None = None
        self._is_closed = False
        self._is_opening = False
        self._reads = jobs.latest("overview", self._receive)
        self._lists = jobs.latest("overview-sessions", self._receive_sessions)

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self._on_change(self.state)

    def open(self, store: SessionStore | None) -> None:
        """Read the totals of a store again, and add up its sessions without totals if they are few."""
        self._store, self._is_opening = store, True
        if store is None:
            self._set(failure="There is no store, so there are no totals.")
        else:
            self.read()

    def close(self) -> None:
        """Stop adding up sessions."""
        self._is_closed = True

    def read(self) -> None:
        """Read the totals of the current group and period."""
        if self._store is not None:
            busy = self.state.busy or (None if self.state.stats else Busy("reading totals"))
            self._set(busy=busy)
            self._reads.ask(partial(_read_totals, self._store, self.state.group, self.state.period))

    def _receive(self, answer: _TotalsRead | str) -> None:
        if isinstance(answer, str):
            self._set(failure=answer, busy=None)
            return
        if (answer.group, answer.period) == (self.state.group, self.state.period):
            is_reading = self.state.busy is not None and self.state.busy.what == "reading totals"
            busy = None if is_reading else self.state.busy
            self._set(stats=answer.stats, rows=answer.rows, trends=answer.trends, failure="", busy=busy)
            if self._is_opening and 0 < answer.stats.missing <= _MAX_UNASKED:
                self._start_adding(lambda _: self._set(busy=None))
            self._is_opening = False

    def next_group(self, step: int) -> None:
        """Group by the next kind (`step` 1) or the previous one (-1)."""
        self.group_by(GROUPS[(GROUPS.index(self.state.group) + step) % len(GROUPS)])

    def group_by(self, group: RollupGroup) -> None:
        """Group the totals."""
        self._set(group=group, rows=(), opened=None, sessions=())
        self.read()

    def next_period(self) -> None:
        """Choose the next period."""
        self._set(period=(self.state.period + 1) % len(PERIODS), opened=None, sessions=())
        self.read()

    def list_sessions(self, row: int) -> None:
        """List the sessions of a row of totals."""
        if self._store is not None and 0 <= row < len(self.state.rows):
            name = self.state.rows[row].name
            self._set(opened=name, sessions=())
            self._lists.ask(partial(_sessions, self._store, self.state.group, name, self.state.period))

    def _receive_sessions(self, answer: tuple[str, tuple[GroupSession, ...]]) -> None:
        if self.state.opened == answer[0]:
            self._set(sessions=answer[1])

    def open_session(self, row: int) -> None:
        """Open a session of the list, unless only its totals are kept."""
        if 0 <= row < len(self.state.sessions):
            session = self.state.sessions[row]
            target = session.id if session.is_stored else session.path
            if target:
                self._host.post_message(OpenTarget(target))
            else:
                self._host.notify("Only the totals of this session are kept.")

    def back(self) -> bool:
        """Return to the list of groups. Returns False if it is shown already."""
        if self.state.opened is None:
            return False
        self._set(opened=None, sessions=())
        return True

    def add_up(self) -> None:
        """Add up the stored sessions that have no totals yet, and read the totals again."""
        self._start_adding(self._fail)

    def _start_adding(self, fail: Callable[[Exception], None]) -> None:
        if isinstance(self._store, Store) and self.state.busy is None:
            self._set(busy=Busy("adding up"))
            self._jobs.start("overview-backfill", self._backfill, self._show_progress, fail)

    def _backfill(self, report: Callable[[Busy | None], object]) -> None:
        assert isinstance(self._store, Store)
        share = 0.0

        def advance(_: str, count: int, total: int) -> None:
            nonlocal share
            share = count / max(1, total)
            report(Busy("adding up", share))

        for _ in backfill_rollups(self._store, advance):
            if self._is_closed:
                return
        report(None)

    def _show_progress(self, busy: Busy | None) -> None:
        self._set(busy=busy)
        if busy is None:
            self.read()

    def _fail(self, error: Exception) -> None:
        self._set(busy=None, failure=f"{error}." if isinstance(error, StoreError) else error_message(error))


def _read_totals(store: SessionStore, group: RollupGroup, period: int) -> _TotalsRead | str:
    """Return the totals of a group and period, or why they cannot be read."""
    try:
        times = period_of(PERIODS[period][1])
        stats = fleet_stats(store, times)
        costs = store.rollups.day_costs(times) if group == "project" else {}
        return _TotalsRead(group, period, stats, tuple(store.rollups.rows(group, times)), _trends(stats, costs))
    except StoreError as error:
        return f"{error}."


def _trends(stats: FleetStats, costs: Mapping[tuple[str, str], float]) -> dict[str, list[float | None]]:
    """Return the dollars of each week by project."""
    places = {row.name: place for place, row in enumerate(stats.weeks)}
    trends: dict[str, list[float | None]] = {}
    for (project, day), dollars in costs.items():
        week = first_day(date.fromisoformat(day), "week").isoformat() if day else ""
        if week in places:
            values = trends.setdefault(project, [None] * len(places))
            values[places[week]] = (values[places[week]] or 0.0) + dollars
    return trends


def _sessions(store: SessionStore, group: RollupGroup, name: str, period: int) -> tuple[str, tuple[GroupSession, ...]]:
    """Return the name of a group with its sessions; none if the store cannot be read."""
    try:
        times = period_of(PERIODS[period][1])
        return name, tuple(store.rollups.sessions(group, name, times, _MAX_SESSIONS))
    except StoreError:
        return name, ()
