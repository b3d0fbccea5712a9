"""The state of Overview without an app: groups, periods, the sessions of a row, and adding up what is missing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from inspector.library import fleet_stats, period_of
from inspector.store import Rollup, RollupPart, Store
from inspector.ui.messages import OpenTarget
from inspector.ui.palette import Palette
from inspector.ui.screens.overview.controller import GROUPS, OverviewController, OverviewState
from inspector.ui.screens.overview.panels import shown_columns, worst_panels
from tests.manual_jobs import ManualJobs, RecordingHost
from tests.store.made import chain

TODAY = datetime.now(UTC).date().isoformat()


def rollup(project: str, day: str, cost: float, path: str = "") -> Rollup:
    """A rollup with a day, a file that was read again, and a tool server."""
    parts = (
        RollupPart("day", day, 2, 100, 0, cost),
        RollupPart("file", "/pier/notes.md", 1, 10, 0, 0.25),
        RollupPart("server", "maps", 0, 0, 4_000),
        RollupPart("cause", "idle", 1, 50, 0, 0.5),
    )
    end = f"{day}T10:00:00Z"
    row = Rollup("main", 0, 1, 2, f"At {project}", path, project, f"/{project}", "made", "m", "", "", end, end, 1, 2, 2)
    return replace(row, cost=cost, sent=100, parts=parts)


class Driven:
    """A controller over a store in memory, with its jobs and its host."""

    def __init__(self, store: Store | None) -> None:
        self.jobs, self.host, self.states = ManualJobs(), RecordingHost(), list[OverviewState]()
        self.controller = OverviewController(self.jobs, self.host, self.states.append)
        self.controller.open(store)
        self.jobs.finish()

    @property
    def state(self) -> OverviewState:
        return self.controller.state


def filled() -> Store:
    store = Store()
    store.rollups.put("old", [rollup("pier", "2026-03-02", 3.0)])
    store.rollups.put("new", [rollup("mole", TODAY, 1.0, "/logs/mole.jsonl")])
    return store


def test_totals_are_read_with_the_cost_of_each_week() -> None:
    with filled() as store:
        state = Driven(store).state
        assert state.stats is not None and state.stats.total.sessions == 2 and state.busy is None
        assert [row.name for row in state.rows] == ["pier", "mole"]
        assert [cost for cost in state.trends["pier"] if cost] == [3.0]
        assert len(state.trends["pier"]) == len(state.stats.weeks)


def test_keys_that_arrive_together_end_at_the_newest_group() -> None:
    with filled() as store:
        driven = Driven(store)
        for _ in range(4):
            driven.controller.next_group(1)
        driven.jobs.finish()
        assert driven.state.group == GROUPS[4] and [row.name for row in driven.state.rows] == ["maps"]
        for _ in range(4):
            driven.controller.next_group(-1)
        driven.jobs.finish()
        assert driven.state.group == "project" and len(driven.state.rows) == 2


def test_a_period_leaves_out_older_sessions() -> None:
    with filled() as store:
        driven = Driven(store)
        for _ in range(3):
            driven.controller.next_period()
        driven.jobs.finish()
        assert driven.state.period_name == "30 days" and [row.name for row in driven.state.rows] == ["mole"]
        driven.controller.next_period()
        driven.jobs.finish()
        assert driven.state.period_name == "all times" and len(driven.state.rows) == 2


def test_the_sessions_of_a_row_are_listed_and_opened() -> None:
    with filled() as store:
        driven = Driven(store)
        driven.controller.list_sessions(1)
        assert driven.state.opened == "mole" and not driven.state.sessions
        driven.jobs.finish()
        assert [session.id for session in driven.state.sessions] == ["new"]
        driven.controller.open_session(0)
        assert driven.host.messages == [OpenTarget("/logs/mole.jsonl")], "it is not stored, but its file is known"
        assert driven.controller.back() and not driven.controller.back()
        driven.controller.list_sessions(0)
        driven.jobs.finish()
        driven.controller.open_session(0)
        assert driven.host.notices[-1][0] == "Only the totals of this session are kept."
        driven.controller.open_session(7)
        driven.controller.list_sessions(7)


def test_a_few_stored_sessions_are_added_up_at_once() -> None:
    with Store() as store:
        store.add(chain("Look.", "I look."))
        state = Driven(store).state
        assert state.busy is None and state.stats is not None
        assert (state.stats.total.sessions, state.stats.missing) == (1, 0)


def test_many_stored_sessions_are_added_up_on_demand() -> None:
    with Store() as store:
        for number in range(51):
            store.add(chain(f"Look at {number}.", "I look."))
        driven = Driven(store)
        assert driven.state.stats is not None
        assert (driven.state.stats.is_empty, driven.state.stats.missing) == (True, 51)
        driven.controller.add_up()
        driven.controller.add_up()
        assert str(driven.state.busy) == "adding up"
        driven.jobs.finish()
        assert driven.state.busy is None and driven.state.stats.total.sessions == 51 == 51 + driven.state.stats.missing


def test_without_a_store_and_with_a_closed_one_there_is_a_sentence() -> None:
    assert Driven(None).state.failure == "There is no store, so there are no totals."
    store = Store()
    driven = Driven(store)
    store.close()
    driven.controller.read()
    driven.jobs.finish()
    assert driven.state.failure.endswith(".") and driven.state.busy is None


def test_panels_fit_their_width() -> None:
    with filled() as store:
        stats = fleet_stats(store, period_of(""))
    for width in (40, 80, 120, 200):
        lines = worst_panels(stats, width, Palette({})).split("\n")
        assert width < 108 or all(line.cell_len <= width for line in lines)
        assert any("/pier/notes.md" in line.plain for line in lines)
    assert shown_columns("project", 40) == ("sessions",) and len(shown_columns("project", 200)) == 6
