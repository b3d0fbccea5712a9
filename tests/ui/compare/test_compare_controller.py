"""The state of Compare without an app: what its calls and the results of its jobs make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inspector.analysis.experiments import USUAL
from inspector.analysis.replay import NONE, ReplayCancelled
from inspector.core.conversation import Session
from inspector.core.work_pool import Stop
from inspector.engine.compression import Preset
from inspector.engine.facts import Weights
from inspector.library import OpenError, Workbench
from inspector.ui.screens.compare.comparison import CompareSide, ComparisonView, OpenSides, Report, SidePair
from inspector.ui.screens.compare.controller import CompareController, CompareState
from inspector.ui.screens.compare.differences import FACT, TurnDifferences
from inspector.ui.workers.jobs import Busy
from tests.generated import LONG, Ask, Step, recorded, sized, work
from tests.manual_jobs import ManualJobs, RecordingHost

TIGHT = Preset("tight", 600, 0.2, 2, "deletion")


class Timer:
    """A call that the test makes when it says so."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True


class TimedHost(RecordingHost):
    def __init__(self) -> None:
        super().__init__()
        self.timers: list[Timer] = []

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        self.timers.append(Timer(callback))
        return self.timers[-1]


def session() -> Session:
    steps: list[Step] = [Ask("Never delete it. See /srv/a.csv.")]
    steps += [work(content=LONG, result=f"/srv/{n}.csv has {4700 + n} rows. " + LONG * 4) for n in range(8)]
    return recorded([*steps, Ask("And the file?")])


def two_sides(one: Preset = NONE, other: Preset = TIGHT) -> OpenSides:
    log = session()
    sides = [CompareSide(preset.name, Workbench(log, sized(log)), "main", preset) for preset in (one, other)]
    return lambda _report, _cancelled: (sides[0], sides[1])


class Driven:
    """A controller with its jobs, its host and every state that it has been in."""

    def __init__(self, open_sides: OpenSides, weights: Weights = USUAL) -> None:
        self.jobs, self.host = ManualJobs(), TimedHost()
        self.states: list[CompareState] = []
        self.controller = CompareController(open_sides, weights, self.jobs, self.host, self.states.append)

    @property
    def state(self) -> CompareState:
        return self.controller.state

    @property
    def view(self) -> ComparisonView:
        assert self.state.view is not None
        return self.state.view

    @property
    def differences(self) -> TurnDifferences:
        assert self.state.differences is not None
        return self.state.differences

    @property
    def first(self) -> int:
        assert self.view.comparison.first is not None
        return self.view.comparison.first.turn

    def compared(self) -> Driven:
        self.controller.start()
        self.jobs.finish()
        return self


def test_both_sides_are_compared_and_the_first_difference_is_shown() -> None:
    driven = Driven(two_sides())
    driven.controller.start()
    assert driven.state.busy == Busy("opening") and driven.state.view is None
    driven.jobs.finish()
    assert driven.view.is_final and driven.state.busy is None and driven.state.failure == ""
    assert driven.state.turn == driven.first > 1
    assert driven.differences.turn == driven.first and any(item.kind == FACT for item in driven.differences.items[0])
    assert driven.view.names == ("none", "tight")


def test_the_turn_that_was_chosen_stays_when_the_facts_are_read() -> None:
    driven = Driven(two_sides())
    driven.controller.start()
    driven.jobs.run()
    while driven.state.view is None:
        driven.jobs.results.popleft()()
    driven.controller.go_to(2)
    driven.jobs.finish()
    assert driven.view.is_final and driven.state.turn == 2 == driven.differences.turn


def test_sides_that_never_differ_are_shown_at_their_end() -> None:
    driven = Driven(two_sides(TIGHT, TIGHT)).compared()
    assert driven.state.turn == driven.view.count and driven.view.names == ("1 tight", "2 tight")
    driven.controller.go_to(1)
    driven.controller.go_to_difference()
    assert driven.state.turn == driven.view.count
    assert [text for text, _ in driven.host.notices] == ["No difference: all windows are equal."]


def test_nothing_happens_before_there_is_anything_to_compare() -> None:
    driven = Driven(two_sides())
    driven.controller.start()
    driven.controller.go_to(5)
    driven.controller.go_to_difference()
    driven.controller.go_to_compaction(1)
    assert driven.state.turn == 1 and driven.host.notices == [] and driven.controller.weights_effect(USUAL) == []


def test_what_comes_after_closing_is_dropped() -> None:
    driven = Driven(two_sides())
    driven.controller.start()
    driven.jobs.run()
    driven.controller.close()
    states = len(driven.states)
    driven.jobs.deliver()
    assert len(driven.states) == states and driven.host.notices == []


def test_closing_stops_the_work() -> None:
    cancelled_after: list[bool] = []

    def open_sides(_: Report, cancelled: Stop) -> SidePair:
        driven.controller.close()
        cancelled_after.append(cancelled())
        raise ReplayCancelled

    driven = Driven(open_sides)
    driven.compared()
    assert cancelled_after == [True] and driven.state.failure == "" and driven.state.view is None


def test_a_side_that_cannot_be_opened_is_told_in_a_sentence() -> None:
    def open_sides(report: Report, _: Stop) -> SidePair:
        report(Busy("reading", 0.5))
        raise OpenError("There is no such file: /srv/a.json.")

    driven = Driven(open_sides).compared()
    assert driven.state.failure == "There is no such file: /srv/a.json." and driven.state.busy is None


def test_a_turn_is_one_that_there_is_and_its_differences_follow() -> None:
    driven = Driven(two_sides()).compared()
    for turn, reached in ((-3, 1), (5, 5), (99, driven.view.count)):
        driven.controller.go_to(turn)
        driven.jobs.finish()
        assert driven.state.turn == reached == driven.differences.turn
    driven.controller.go_to_difference()
    assert driven.state.turn == driven.first


def test_compactions_of_either_side_are_gone_to_round_the_end() -> None:
    driven = Driven(two_sides()).compared()
    turns = sorted(driven.view.compaction_rows)
    driven.controller.go_to(1)
    for turn in (*turns, turns[0]):
        driven.controller.go_to_compaction(1)
        assert driven.state.turn == turn
    driven = Driven(two_sides(NONE, NONE)).compared()
    driven.controller.go_to_compaction(-1)
    assert [text for text, _ in driven.host.notices] == ["Neither side compresses."]


def test_of_the_turns_that_are_passed_while_one_is_computed_only_the_newest_is_computed() -> None:
    driven = Driven(two_sides()).compared()
    first, earlier = driven.differences, len(driven.states)
    for turn in (5, 6, 7):
        driven.controller.go_to(turn)
    driven.jobs.finish()
    later = [state.differences for state in driven.states[earlier:] if state.differences is not first]
    assert [differences.turn for differences in later if differences] == [5, 7]


def test_differences_that_take_long_wait_until_the_person_stays_at_a_turn() -> None:
    driven = Driven(two_sides()).compared()
    driven.controller.state = replace(driven.state, differences=replace(driven.differences, seconds=1.0))
    driven.controller.go_to(2)
    driven.controller.go_to(3)
    assert not driven.jobs.waiting and [timer.stopped for timer in driven.host.timers] == [True, False]
    driven.host.timers[-1].callback()
    driven.jobs.finish()
    assert driven.differences.turn == 3


def test_weights_count_anew_and_replay_nothing() -> None:
    driven = Driven(two_sides()).compared()
    weights = Weights({"path": 0.0})
    view = driven.view
    shares = driven.controller.weights_effect(weights)
    driven.controller.set_weights(weights)
    driven.jobs.finish()
    assert driven.view is view and driven.state.weights == weights
    assert shares == [result.retained for result in view.results(weights)]
    assert shares[0] == 1 > shares[1] != view.results(USUAL)[1].retained


def test_a_difference_leads_to_the_message_that_stated_it() -> None:
    driven = Driven(two_sides()).compared()
    item = driven.differences.items[0][0]
    message = driven.controller.message(0, item)
    assert message is not None and message.id == item.message
    assert driven.controller.message(0, item._replace(number=0)) is None
