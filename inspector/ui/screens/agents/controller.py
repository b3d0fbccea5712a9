"""The state of the Agents screen and its controller, independent of any widget: lanes, position and list."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import Any

from inspector.analysis.multi_agent import (
    AgentCollaboration,
    CollaborationCancelledError,
    describe_certainty,
    describe_collaboration,
    prices_of,
    read_collaboration,
    with_adoptions,
)
from inspector.core.conversation import Message, Session
from inspector.core.crash import error_message
from inspector.library import Workbench
from inspector.llm.tokens import mark
from inspector.ui.screens.agents.agent_entries import LISTS, AgentEntry, ListName, entries_of, list_counts
from inspector.ui.screens.agents.lanes import LaneChart, LaneRow, MarkKind, lane_chart, next_of_agent
from inspector.ui.screens.navigation import next_mark
from inspector.ui.workers.jobs import Busy, CooperativeStop, Host, Jobs

_FINDINGS: dict[str, MarkKind] = {"twice": "twice", "adopted": "adopted", "unread": "unread"}
_NONE: dict[MarkKind, str] = {
    "twice": "No two agents repeated a read or a search.",
    "adopted": "No agent used a fact of another one.",
    "unread": "All messages to other agents were received.",
    "handed": "No text was passed between agents.",
}


@dataclass(frozen=True, eq=False)
class TeamView:
    """Data to draw about a session's agents. Adoptions are missing while the facts are being read."""

    collaboration: AgentCollaboration
    chart: LaneChart
    counts: Mapping[ListName, int]
    """Number of lines in each list."""
    summary: str
    """Summary of the collaboration in one sentence."""
    certainty: str
    """Sentence about the certainty of the summary."""
    is_final: bool


def _team_view(collaboration: AgentCollaboration, is_final: bool) -> TeamView:
    """Return a view whose cached properties are computed now rather than while drawing."""
    _ = collaboration.by_source, collaboration.arrivals, collaboration.largest_cell
    summary, certainty = describe_collaboration(collaboration), describe_certainty(collaboration)
    return TeamView(collaboration, lane_chart(collaboration), list_counts(collaboration), summary, certainty, is_final)


@dataclass(frozen=True, eq=False)
class AgentsState:
    """Everything that the screen draws, at one moment."""

    bench: Workbench | None = None
    view: TeamView | None = None
    row: int = 0
    """Index of the current row in the lanes."""
    list_name: ListName = "sent"
    entries: tuple[AgentEntry, ...] = ()
    busy: Busy | None = None
    failure: str = ""

    @property
    def current(self) -> LaneRow | None:
        rows = self.view.chart.rows if self.view else ()
        return rows[self.row] if 0 <= self.row < len(rows) else None

    @property
    def message(self) -> Message | None:
        """Message of the current row."""
        return self.view.collaboration.session.messages[self.current.position] if self.view and self.current else None


@dataclass(frozen=True)
class _TeamReading:
    """A background analysis of a session. Results are dropped unless it is the newest one."""

    bench: Workbench
    stop: Event = field(default_factory=Event)

    def run(self, report: Callable[[TeamView], object]) -> None:
        """Report the collaboration, then the same with adopted facts. Runs in a thread."""
        session, sizes = self.bench.session, self.bench.sizes
        cancelled = CooperativeStop(self.stop).is_set
        estimated = bool(mark(sizes.certainty))
        prices = prices_of(session)
        try:
            collaboration = read_collaboration(
                session, sizes.tokens, price_for=prices, estimated=estimated, stop=cancelled
            )
            report(_team_view(collaboration, collaboration.is_alone))
            if not collaboration.is_alone:
                collaboration = with_adoptions(collaboration, self.bench.fact_index(), cancelled)
                report(_team_view(collaboration, True))
        except CollaborationCancelledError:
            return


class AgentsController:
    """Analyses the collaboration of a session's agents in the background, and moves through their messages.

    `on_change` is called with each new state, on the thread that calls the controller.
    """

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[AgentsState], None]) -> None:
        """Create a controller without a session.

        Args:
            jobs: Runs the analysis in a thread.
            host: Shows notices.
            on_change: Called with each new state.
        """
        self.state = AgentsState()
        self._jobs = jobs
        self._host = host
        self._on_change = on_change
        self._reading: _TeamReading | None = None

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self._on_change(self.state)

    # reading

    def open(self, bench: Workbench) -> None:
        """Show a session. A session already shown is read again only once better token counts are complete."""
        before = self.state.bench
        same = before is not None and before.session is bench.session
        if same and before is not None and (before.sizes is bench.sizes or bench.sizes.is_partial):
            return
        self.close()
        reading = self._reading = _TeamReading(bench)
        changes = {} if same else {"view": None, "row": 0, "entries": ()}
        self._set(bench=bench, busy=Busy("matching text of agents"), failure="", **changes)
        self._jobs.start("agents", reading.run, partial(self._receive, reading), partial(self._fail, reading))

    def close(self) -> None:
        """Stop the work and ignore its remaining results."""
        if self._reading is not None:
            self._reading.stop.set()
        self._reading = None

    def _receive(self, reading: _TeamReading, view: TeamView) -> None:
        if reading is not self._reading:
            return
        last = self.state.view
        first = last is None or last.collaboration.session is not view.collaboration.session
        if not view.is_final and last is not None and not first and last.collaboration.adoptions is not None:
            return  # the screen shows more, and only the counts are better now
        row = min(self.state.row, max(0, len(view.chart.rows) - 1))
        self._set(view=view, row=row, busy=None if view.is_final else Busy("reading facts"))
        self._list()

    def _fail(self, reading: _TeamReading, error: Exception) -> None:
        if reading is self._reading:
            sentence = str(error) if isinstance(error, ValueError) else error_message(error)
            self._set(busy=None, failure=sentence)

    @property
    def session(self) -> Session | None:
        return self.state.bench.session if self.state.bench else None

    # lanes

    def go_to(self, row: int) -> None:
        """Go to a row of the lanes, or to the nearest existing one."""
        view = self.state.view
        row = min(max(row, 0), max(0, len(view.chart.rows) - 1)) if view else 0
        if row != self.state.row:
            self._set(row=row)
            if self.state.list_name == "new here":
                self._list()

    def go_to_message(self, position: int) -> None:
        """Go to a message by its position in the log."""
        place = self.state.view.chart.places.get(position) if self.state.view else None
        if place is not None:
            self.go_to(place)

    @property
    def finding(self) -> MarkKind:
        """Mark of the messages that the list shows; for lists of other things, the mark of handed-over text."""
        return _FINDINGS.get(self.state.list_name, "handed")

    def go_to_finding(self, step: int) -> None:
        """Go to the next message with the mark of the list (`step` 1) or the previous one (-1)."""
        kind = self.finding
        marks = self.state.view.chart.marks.get(kind, ()) if self.state.view else ()
        place = next_mark(marks, self.state.row, step)
        if place is not None:
            self.go_to(place)
        elif kind == "adopted" and self.state.busy is not None:
            self._host.notify("Still reading facts …")
        else:
            self._host.notify(_NONE[kind])

    def go_to_agent(self, step: int) -> None:
        """Go to the lane of the next agent (`step` 1) or the previous one (-1)."""
        view = self.state.view
        if view is not None:
            for row in next_of_agent(view.chart, view.collaboration.parties.names, self.state.row, step):
                self.go_to(row)

    def other_end(self) -> int:
        """Return the position of the message at the other end of the current one, or -1.

        The other end is the message that the text came from or went to, or the one that made the same request
        earlier.
        """
        view, current = self.state.view, self.state.current
        if view is None or current is None:
            return -1
        here, collaboration = current.position, view.collaboration
        pairs = [(row.holder, row.source) for row in collaboration.transfers if row.holder != row.source]
        pairs += [(row.again.result, row.first.result) for row in collaboration.repeats]
        pairs += [(row.use, row.source) for row in collaboration.adoptions or ()]
        ways = [*pairs, *((other, one) for one, other in pairs)]
        return next((other for one, other in ways if one == here), -1)

    # list

    def choose_list(self) -> None:
        """Show the next list."""
        name = LISTS[(LISTS.index(self.state.list_name) + 1) % len(LISTS)]
        self._set(list_name=name)
        self._list()

    def turn_of(self, row: LaneRow) -> int:
        """Return the first turn whose prompt contained a message, or the turn of a reply; 0 before there is one."""
        view = self.state.view
        if view is None:
            return 0
        session = view.collaboration.session
        replies = session.turns(session.agents[0] if view.collaboration.parties.is_chat else row.agent)
        turn = bisect_left(replies, row.position) + 1
        return turn if turn <= len(replies) else 0

    def _list(self) -> None:
        view, current = self.state.view, self.state.current
        if view is None:
            return
        agent, turn = (current.agent, self.turn_of(current)) if current else ("", 0)
        self._set(entries=tuple(entries_of(view.collaboration, self.state.list_name, agent, turn)))
