"""The state of Replay without an app: what its calls and the results of its jobs make of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from inspector.analysis.experiments import USUAL
from inspector.analysis.replay import RECORDED
from inspector.engine.compression import Preset
from inspector.engine.facts import Need, Regret, Weights
from inspector.library import Workbench
from inspector.ui.screens.replay.controller import Playback, ReplayController, ReplayState
from inspector.ui.screens.replay.progress import ReplayProgress
from tests.generated import LONG, Ask, Helper, Step, recorded, sized, work
from tests.manual_jobs import ManualJobs, RecordingHost

TIGHT = Preset("tight", 600, 0.2, 2, "deletion")
STEPS: list[Step] = [
    Ask("Never delete it. See /srv/a.csv."),
    *(work(content=LONG, result=f"{n} " + LONG * 4) for n in range(8)),
]


def bench_of(turns: int = 8) -> Workbench:
    session = recorded([*STEPS[: turns + 1], Ask("And the file?")])
    return Workbench(session, sized(session))


class Driven:
    """A controller with its jobs and every state that it has been in."""

    def __init__(self) -> None:
        self.jobs = ManualJobs()
        self.host = RecordingHost()
        self.states: list[ReplayState] = []
        self.controller = ReplayController(self.jobs, self.host, self.states.append)

    @property
    def state(self) -> ReplayState:
        return self.controller.state

    @property
    def progress(self) -> ReplayProgress:
        assert self.state.progress is not None
        return self.state.progress

    def replayed(self, bench: Workbench | None = None, preset: Preset = TIGHT) -> Driven:
        self.controller.show_preset(preset)
        self.controller.open(bench or bench_of())
        self.jobs.finish()
        return self

    def with_regrets(self, *turns: int) -> Driven:
        """Put regrets into what has been replayed."""
        regrets = tuple(Regret(turn, "m", (Need("4711", "number", 2, "m"),)) for turn in turns)
        replayed = replace(self.progress.replay, regrets=regrets)
        self.controller.state = replace(self.state, progress=replace(self.progress, replay=replayed))
        return self


def test_a_session_is_replayed_and_the_turn_follows_to_its_end() -> None:
    driven = Driven()
    driven.controller.open(bench_of())
    assert driven.state.busy is not None and driven.state.progress is None
    driven.jobs.finish()
    assert driven.state.busy is None and driven.progress.is_final
    assert driven.state.turn == driven.state.count == len(driven.progress.frames) == 9
    assert driven.states[-1] is driven.state


def test_nothing_is_done_before_a_session_is_open() -> None:
    driven = Driven()
    for call in (
        driven.controller.play,
        partial(driven.controller.go_to_agent, 1),
        driven.controller.tick,
        driven.controller.close,
    ):
        call()
    driven.controller.show_preset(TIGHT)
    driven.controller.go_to(5)
    assert not driven.controller.is_open and not driven.jobs.waiting
    assert driven.state.preset == TIGHT and driven.state.turn == 1


def test_the_same_session_is_not_replayed_again_unless_its_counts_are_better_and_complete() -> None:
    driven, bench = Driven(), bench_of()
    driven.replayed(bench)
    driven.controller.open(bench)
    driven.controller.open(Workbench(bench.session, replace(bench.sizes, is_partial=True)))
    assert not driven.jobs.waiting
    driven.controller.open(Workbench(bench.session, replace(bench.sizes)))
    assert len(driven.jobs.waiting) == 1


def test_what_comes_of_an_older_replay_is_dropped() -> None:
    driven, bench = Driven(), bench_of()
    driven.controller.open(bench)
    driven.jobs.run()
    driven.controller.show_preset(RECORDED)
    driven.jobs.deliver()
    assert driven.state.progress is None and driven.state.busy is not None
    driven.jobs.finish()
    assert driven.progress.preset == RECORDED and driven.state.busy is None


def test_an_older_replay_stops_working() -> None:
    driven = Driven()
    driven.controller.open(bench_of())
    driven.controller.show_preset(TIGHT)
    driven.jobs.waiting.popleft()()
    assert not driven.jobs.results


def test_what_comes_after_closing_is_dropped() -> None:
    driven = Driven()
    driven.controller.open(bench_of())
    driven.jobs.run()
    driven.controller.close()
    states = len(driven.states)
    driven.jobs.deliver()
    assert len(driven.states) == states and driven.host.notices == []


def test_a_replay_that_fails_is_told_in_a_sentence_and_the_one_before_stays() -> None:
    driven = Driven().replayed()
    before = driven.state.progress
    driven.controller.show_preset(replace(TIGHT, strategy="no_such_strategy"))
    driven.jobs.finish()
    assert driven.state.progress is before and driven.state.busy is None
    [(sentence, severity)] = driven.host.notices
    assert "no_such_strategy" in sentence and severity == "error"


def test_another_preset_keeps_the_turn_that_was_chosen() -> None:
    driven = Driven().replayed()
    driven.controller.go_to(4)
    driven.controller.show_preset(RECORDED)
    driven.jobs.finish()
    assert driven.progress.preset == RECORDED and driven.state.turn == 4


def test_each_agent_is_replayed_by_itself_and_stays_chosen() -> None:
    session = recorded([*STEPS[:3], Helper("Look."), *STEPS[3:5]])
    bench, driven = Workbench(session, sized(session)), Driven()
    driven.replayed(bench)
    driven.controller.go_to_agent(1)
    driven.jobs.finish()
    assert driven.state.agent == session.agents[1] == driven.progress.replay.agent
    driven.controller.open(bench)
    assert driven.state.agent == session.agents[1] and not driven.jobs.waiting
    driven.controller.go_to_agent(1)
    driven.jobs.finish()
    assert driven.state.agent == session.agents[0]


def test_a_turn_is_one_that_there_is() -> None:
    driven = Driven().replayed()
    for turn, reached in ((-3, 1), (0, 1), (5, 5), (9, 9), (99, 9)):
        driven.controller.go_to(turn)
        assert driven.state.turn == reached
    driven.controller.go_to(driven.controller.turn - 2)
    assert driven.state.turn == 7
    driven.controller.go_to(driven.state.count)
    assert driven.state.at_end


def test_compactions_and_regrets_are_gone_to() -> None:
    driven = Driven().replayed().with_regrets(4, 6, 6)
    turns = driven.state.compaction_turns
    driven.controller.go_to(1)
    for turn in (*turns, turns[0]):
        driven.controller.go_to_compaction(1)
        assert driven.state.turn == turn
    driven.controller.go_to(1)
    visited = []
    for _ in range(3):
        driven.controller.go_to_regret(1)
        visited.append(driven.state.turn)
    assert visited == [4, 6, 4] and driven.host.notices == []


def test_where_there_is_no_mark_that_is_told_and_playing_stops() -> None:
    driven = Driven().replayed(preset=RECORDED)
    driven.controller.play()
    driven.controller.go_to_compaction(1)
    driven.controller.go_to_regret(-1)
    assert not driven.state.playback.is_playing
    assert [text for text, _ in driven.host.notices] == [
        "Nothing is compressed here. Press s to choose another preset.",
        "No reply needed a dropped fact.",
    ]


def test_playing_begins_anew_at_the_end_and_stops_there() -> None:
    driven = Driven().replayed()
    driven.controller.play()
    assert driven.state.playback.is_playing and driven.state.turn == 1
    turns = []
    for _ in range(8):
        assert driven.state.playback.is_playing
        driven.controller.tick()
        turns.append(driven.state.turn)
    assert not driven.state.playback.is_playing
    assert turns == [2, 3, 4, 5, 6, 7, 8, 9]
    driven.controller.tick()
    assert driven.state.turn == 9


def test_playing_waits_for_frames_that_are_still_to_come() -> None:
    driven = Driven().replayed()
    part = replace(driven.progress, replay=replace(driven.progress.replay, frames=driven.progress.frames[:3]))
    driven.controller.state = replace(driven.state, progress=part, turn=2)
    driven.controller.play()
    for _ in range(4):
        driven.controller.tick()
    assert driven.state.turn == 3 and driven.state.playback.is_playing


def test_a_step_by_hand_stops_playing() -> None:
    driven = Driven().replayed()
    driven.controller.play()
    driven.controller.go_to(driven.controller.turn + 1)
    assert not driven.state.playback.is_playing and driven.state.turn == 2


def test_rates_stay_within_their_bounds_and_fast_ones_go_several_turns_at_a_tick() -> None:
    playback = Playback()
    assert playback.rate == 10 and playback.step == 1 and playback.interval == 0.1
    fast = playback.faster(99)
    assert fast.rate == fast.step / fast.interval == 500
    assert playback.faster(-99).rate == 1


def test_weights_count_anew_and_replay_nothing() -> None:
    driven = Driven().replayed()
    weights = Weights({"constraint": 0.0})
    assert f"{driven.progress.replay.retained:.1%}" in driven.controller.weights_effect(USUAL)
    driven.controller.set_weights(weights)
    assert not driven.jobs.waiting and driven.progress.replay.facts is not None
    assert driven.progress.replay.facts.weights == weights
    assert f"{driven.progress.replay.retained:.1%}" in driven.controller.weights_effect(weights)
    driven.controller.show_preset(RECORDED)
    driven.jobs.finish()
    assert driven.progress.replay.facts is not None and driven.progress.replay.facts.weights == weights


def test_a_message_is_known_by_its_id_with_its_number() -> None:
    driven = Driven().replayed()
    assert driven.state.bench is not None
    message = driven.state.bench.session.messages[3]
    assert driven.controller.message(message.id) == (message, 4)
    assert driven.controller.message("none") is None


def test_a_session_that_is_still_being_counted_is_replayed_when_that_is_done() -> None:
    driven, bench = Driven(), bench_of()
    driven.replayed(bench_of())
    early = Workbench(bench.session, replace(bench.sizes, is_partial=True))
    driven.controller.open(early)
    driven.controller.show_preset(TIGHT)
    assert not driven.jobs.waiting and driven.state.progress is None, "nothing is said of it, nor of another session"
    assert driven.state.busy is not None and driven.state.busy.what == "counting"
    driven.replayed(bench)
    assert driven.progress.preset == TIGHT and driven.state.busy is None
