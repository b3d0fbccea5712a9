"""The state of Agents without an app: lanes, the place in them, marks and lists."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.core.conversation import MAIN, Session
from inspector.formats import load
from inspector.library import Workbench
from inspector.llm.tokens import estimate_sizes
from inspector.ui.screens.agents.agent_entries import LISTS, short_name
from inspector.ui.screens.agents.controller import AgentsController, AgentsState, TeamView
from inspector.ui.screens.agents.lanes import LaneChart
from inspector.ui.screens.agents.panels import column_widths
from tests.analysis.multi_agent.teams import Team, helped
from tests.driving import SAMPLES
from tests.manual_jobs import ManualJobs, RecordingHost


def bench_of(session: Session) -> Workbench:
    return Workbench(session, estimate_sizes(session))


class Driven:
    """A controller with its jobs, its host and every state that it has been in."""

    def __init__(self, session: Session) -> None:
        self.jobs, self.host, self.states = ManualJobs(), RecordingHost(), list[AgentsState]()
        self.controller = AgentsController(self.jobs, self.host, self.states.append)
        self.controller.open(bench_of(session))

    @property
    def state(self) -> AgentsState:
        return self.controller.state

    @property
    def view(self) -> TeamView:
        assert self.state.view is not None
        return self.state.view

    @property
    def chart(self) -> LaneChart:
        return self.view.chart


@pytest.fixture
def three() -> Driven:
    driven = Driven(load(SAMPLES / "three-agents.jsonl")[0])
    driven.jobs.finish()
    return driven


def test_who_read_whom_is_there_before_the_facts_are_read() -> None:
    driven = Driven(helped().session())
    assert driven.state.busy is not None and driven.state.view is None
    driven.jobs.finish()
    views = [state.view for state in driven.states if state.view]
    assert views[0].collaboration.adoptions is None and not views[0].is_final
    assert driven.view.is_final and driven.view.collaboration.adoptions
    assert driven.state.busy is None


def test_every_message_has_a_row_in_the_order_of_time(three: Driven) -> None:
    session = three.view.collaboration.session
    assert sorted(row.position for row in three.chart.rows) == list(range(len(session.messages)))
    times = [session.messages[row.position].time for row in three.chart.rows]
    assert times == sorted(times)
    assert {row.agent: row.lane for row in three.chart.rows} == {
        MAIN: 0,
        "reviewer-1": 1,
        "coder-1": 2,
        "researcher-1": 3,
    }
    assert all(three.chart.is_live(row.lane, number) for number, row in enumerate(three.chart.rows))
    assert not three.chart.is_live(1, 0) and not three.chart.is_live(1, len(three.chart.rows) - 1)


def test_lanes_are_used_again_where_agents_are_many() -> None:
    team = Team()
    team.ask("Begin.")
    for number in range(40):
        team.ask(f"Look into the question with the number {number} now.", f"helper-{number}")
        team.say(f"Nobody knows the answer to the question {number}, alas.", f"helper-{number}")
    driven = Driven(team.session())
    driven.jobs.finish()
    assert driven.chart.lanes == 2
    assert {row.lane for row in driven.chart.rows if row.agent != MAIN} == {1}


def choose(driven: Driven, name: str) -> None:
    while driven.state.list_name != name:
        driven.controller.choose_list()


def test_marks_are_gone_through_and_round_the_end(three: Driven) -> None:
    choose(three, "twice")
    twice = three.chart.marks["twice"]
    seen = []
    for _ in twice:
        three.controller.go_to_finding(1)
        seen.append(three.state.row)
    assert tuple(seen) == twice
    three.controller.go_to_finding(1)
    assert three.state.row == twice[0]
    assert three.state.current is not None and three.state.current.lead.startswith("again, after ")
    choose(three, "unread")
    three.controller.go_to_finding(1)
    assert three.host.notices[-1][0] == "All messages to other agents were received."


def test_the_other_end_leads_there_and_back(three: Driven) -> None:
    transfer = next(row for row in three.view.collaboration.transfers if row.channel == "report")
    three.controller.go_to_message(transfer.holder)
    assert three.controller.other_end() == transfer.source
    three.controller.go_to_message(transfer.source)
    assert three.controller.other_end() == transfer.holder


def test_the_lists_hold_what_the_teamwork_holds(three: Driven) -> None:
    work = three.view.collaboration
    lengths = {}
    for _ in LISTS:
        lengths[three.state.list_name] = len(three.state.entries)
        three.controller.choose_list()
    assert lengths["sent"] == len(work.matrix)
    assert lengths["twice"] == len(work.repeats)
    assert lengths["adopted"] == len(work.adoptions or ())
    assert lengths["unread"] == len(work.unread) == 0


def test_what_is_new_in_a_prompt_follows_the_place(three: Driven) -> None:
    choose(three, "new here")
    assert not three.state.entries
    holders = [row.holder for row in three.view.collaboration.transfers if (row.reader, row.turn) == (MAIN, 3)]
    three.controller.go_to_message(holders[0])
    assert [entry.target for entry in three.state.entries] == holders


def test_the_next_agent_is_the_next_lane(three: Driven) -> None:
    seen = []
    for _ in range(4):
        assert three.state.current is not None
        seen.append(three.state.current.agent)
        three.controller.go_to_agent(1)
    assert sorted(seen) == ["coder-1", MAIN, "researcher-1", "reviewer-1"]
    back = []
    for _ in range(4):
        three.controller.go_to_agent(-1)
        assert three.state.current is not None
        back.append(three.state.current.agent)
    assert back == seen[::-1]


def test_one_agent_has_no_lanes() -> None:
    team = Team()
    team.ask("Hello?")
    team.say("Hello.")
    driven = Driven(team.session())
    driven.jobs.finish()
    assert driven.view.collaboration.is_alone and driven.chart.rows == () and driven.state.busy is None
    driven.controller.go_to_agent(1)
    driven.controller.go_to(7)
    assert driven.state.row == 0 and driven.controller.other_end() == -1


def test_another_session_begins_anew_and_better_counts_keep_the_place(three: Driven) -> None:
    three.controller.go_to(20)
    bench = three.state.bench
    assert bench is not None
    three.controller.open(bench)
    assert not three.jobs.waiting, "it is shown already"
    three.controller.open(
        replace(bench, sizes=replace(bench.sizes, tokens=[9] * len(bench.sizes.tokens), is_partial=False))
    )
    three.jobs.finish()
    assert three.state.row == 20 and set(three.view.collaboration.tokens) == {9}
    three.controller.open(bench_of(helped().session()))
    assert three.state.row == 0 and three.state.view is None
    three.jobs.finish()
    assert len(three.chart.rows) == 8


def test_what_comes_of_a_reading_that_was_stopped_is_dropped() -> None:
    driven = Driven(helped().session())
    driven.controller.close()
    driven.jobs.finish()
    assert driven.state.view is None


def test_a_recording_that_is_gone_is_told() -> None:
    driven = Driven(helped().session())

    assert driven.controller._reading is not None
    driven.controller._fail(driven.controller._reading, OSError("gone"))
    assert driven.state.failure and driven.state.busy is None


def test_names_of_one_kind_are_told_apart_by_their_numbers() -> None:
    assert short_name("general-purpose-12", 13) == "general-pu…12"
    assert short_name("main", 13) == "main"
    assert len(short_name("a-very-long-name", 9)) == 9


def test_columns_of_the_matrix_have_room_for_whole_names_or_are_alike() -> None:
    names = ("main", "researcher-1", "coder-1")
    assert column_widths(names, 60) == [10, 14, 10]
    assert column_widths(names, 30) == [10, 10, 10]
    assert column_widths(names, 12) == [6, 6], "as many as fit"
