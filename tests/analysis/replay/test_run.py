"""Replaying: what a session would have been under another policy, and that nothing is made up on the way."""

from __future__ import annotations

import gc
from dataclasses import replace
from itertools import pairwise
from weakref import ref

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn

from inspector.analysis.experiments import trial_result
from inspector.analysis.replay.context_growth import context_steps
from inspector.analysis.replay.frames import Replay, only_limit
from inspector.analysis.replay.run import NONE, RECORDED, ReplayRun, replay, window_at
from inspector.core.conversation import MAIN, Session, SizeFacts
from inspector.engine.compression.presets import Preset
from inspector.engine.facts import FactIndex
from inspector.engine.strategies import STRATEGIES
from inspector.engine.window import at_turn
from inspector.engine.window.sections import SECTIONS
from inspector.llm.models.prices import Price
from inspector.llm.tokens.sizes import Sizes
from tests.analysis.replay.growing import CASES, small_and_large
from tests.generated import (
    LONG,
    Ask,
    Call,
    Inject,
    Reply,
    Rewind,
    Step,
    Stray,
    Summary,
    conversations,
    recorded,
    sized,
    work,
)
from tests.growth import calls_made

PRICE = Price(2.5, 10.0, 1.25, 2.5, "some-model", "user")


def run(session: Session, preset: Preset = NONE) -> tuple[Sizes, Replay]:
    sizes = sized(session)
    return sizes, replay(session, sizes, preset, PRICE)


@st.composite
def presets(draw: DrawFn) -> Preset:
    threshold = draw(st.integers(60, 900))
    return Preset("drawn", threshold, 0.3, draw(st.integers(0, 4)), draw(st.sampled_from(sorted(STRATEGIES))))


@given(conversations(most=14))
def test_what_was_recorded_comes_out_as_it_was_recorded(session: Session) -> None:
    sizes, done = run(session, RECORDED)
    for frame in done.frames:
        window = at_turn(session, sizes, frame.turn)
        assert window_at(session, sizes, done, frame.turn).messages == window.messages
        assert frame.total == window.total
        assert dict(zip(SECTIONS, frame.sections, strict=True)) == {
            name: size.tokens for name, size in window.breakdown.items()
        }


@given(conversations(most=14))
def test_without_compression_a_session_that_was_never_compacted_is_as_it_was_recorded(session: Session) -> None:
    main = [place for place, message in enumerate(session) if message.agent == MAIN]
    parents = [(place, session.messages[place].parent, before) for before, place in pairwise([-1, *main])]
    if any(parent != before and session.messages[place].kind == "summary" for place, parent, before in parents):
        return
    sizes, done = run(session)
    for frame in done.frames:
        window = at_turn(session, sizes, frame.turn)
        assert window_at(session, sizes, done, frame.turn).messages == window.messages
        assert frame.total == frame.full == window.total


@given(conversations(most=14), presets())
def test_every_frame_is_what_its_window_is_when_it_is_built_anew(session: Session, preset: Preset) -> None:
    sizes, done = run(session, preset)
    for frame in done.frames:
        window = window_at(session, sizes, done, frame.turn)
        assert frame.total == window.total
        assert frame.messages == len(window.messages)
        assert frame.sections == tuple(size.tokens for size in window.breakdown.values())


@given(conversations(most=14), presets())
def test_frames_one_by_one_are_the_frames_all_at_once(session: Session, preset: Preset) -> None:
    sizes = sized(session)
    running = ReplayRun(session, sizes, preset, PRICE)
    assert tuple(running.frames()) == replay(session, sizes, preset, PRICE).frames


@given(conversations(most=14), presets())
def test_a_window_is_never_larger_than_without_compression(session: Session, preset: Preset) -> None:
    _, done = run(session, preset)
    assert all(frame.total <= frame.full for frame in done.frames)


@given(conversations(most=14), presets())
def test_sums_are_those_of_the_calls(session: Session, preset: Preset) -> None:
    _, done = run(session, preset)
    assert done.turns == len(session.turns(MAIN))
    assert done.tokens_sent == sum(frame.total for frame in done.frames if frame.is_sent)
    assert done.cost <= done.cost_uncached + 1e-9


TALK: list[Step] = [Ask(LONG * 3), *(work(content=LONG, result=LONG * 4) for _ in range(8))]


def test_the_recordings_own_compaction_is_undone_for_another_policy() -> None:
    session = recorded([*TALK[:4], Summary(fresh=True), *TALK[4:]])
    sizes, own = run(session, RECORDED)
    _, none = run(session)
    (compaction,) = own.compactions
    assert compaction.strategy == "recorded"
    before = at_turn(session, sizes, compaction.turn - 1).ids
    after = at_turn(session, sizes, compaction.turn).ids
    assert compaction.covered > len(before) > 1 and not set(before) & set(after), "the last reply was summed up too"
    assert none.compactions == ()
    assert none.frames[-1].total > own.frames[-1].total
    summaries = [message for message in window_at(session, sizes, none, 5).messages if message.kind == "summary"]
    assert summaries == []


def test_it_compresses_when_the_threshold_is_passed_and_not_before() -> None:
    _, done = run(recorded(TALK), Preset("tight", 1_000, 0.2, 2))
    first = done.compactions[0]
    assert first.before > 1_000 >= first.after
    assert all(frame.total <= 1_000 for frame in done.calls[: first.turn - 1])
    assert done.frames[first.turn - 1].compression == 0
    assert done.valid


@given(conversations(most=14), presets())
def test_a_window_above_the_threshold_is_compressed_or_says_when_it_will_be_tried_again(
    session: Session, preset: Preset
) -> None:
    _, done = run(session, preset)
    for before, frame in pairwise((None, *done.frames)):
        assert frame is not None
        if not done.threshold or frame.total - (frame.back.tokens if frame.back else 0) <= done.threshold:
            assert frame.waits == 0
        elif frame.compression < 0:
            assert frame.waits >= done.threshold
        if before is not None and before.waits and frame.compression >= 0:
            assert done.compactions[frame.compression].before > done.threshold


def test_going_back_takes_what_was_said_since_out_of_the_window() -> None:
    session = recorded(
        [Ask("Count."), Reply("One."), Ask("And now?"), Reply("Two."), Rewind(2), Ask("Again?"), Reply("1.")]
    )
    assert [(step.prefix, len(step.new)) for step in context_steps(session)] == [(0, 1), (1, 2), (2, 1), (3, 1)]


def same_as_built_anew(session: Session, preset: Preset) -> Replay:
    sizes, done = run(session, preset)
    for frame in done.frames:
        window = window_at(session, sizes, done, frame.turn)
        assert frame.messages == len(window.messages)
        assert frame.sections == tuple(size.tokens for size in window.breakdown.values())
    return done


def test_a_result_that_comes_late_stands_behind_its_call() -> None:
    called = Reply(LONG, (Call("a"), Call("b", "never")))
    session = recorded(
        [Inject(LONG), *[Reply(LONG)] * 3, called, Reply("So."), Summary("So far."), Stray("b"), Reply("ok")]
    )
    done = [same_as_built_anew(session, Preset("drawn", threshold, 0.3, 4, "fifo")) for threshold in range(60, 300, 10)]
    assert any(replay.compactions for replay in done)


@pytest.mark.parametrize("back", range(1, 8))
def test_plans_hold_on_the_other_way_too(back: int) -> None:
    talk: list[Step] = [Ask(LONG), Reply(LONG)] * 4
    session = recorded([Ask(), *talk, Rewind(back), Ask("No."), Reply("Yes."), Ask()])
    done = [same_as_built_anew(session, Preset("drawn", 60 * number, 0.3, 1, "deletion")) for number in range(1, 10)]
    assert any(replay.compactions for replay in done)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["deletion", "sliding_window"])
def test_a_replay_takes_linear_time(case: str, name: str) -> None:
    def work_for(session: Session) -> int:
        sizes = sized(session)
        return calls_made(lambda: replay(session, sizes, Preset("drawn", 400, 0.3, 4, name), PRICE))

    small, large = small_and_large(case)
    least = work_for(small)  # first: lines that both have are then read for the small one
    assert work_for(large) <= 5 * least


@pytest.mark.parametrize("preset", [NONE, RECORDED, Preset("drawn", 400, 0.3, 4, "sliding_window")])
def test_the_memory_of_a_replay_is_freed_as_soon_as_it_ends(preset: Preset) -> None:
    session = recorded([*TALK[:4], Summary(fresh=True), *TALK[4:]])
    gc.disable()
    try:
        running = ReplayRun(session, sized(session), preset, PRICE, facts=FactIndex(session))
        assert all(frame.turn for frame in running.frames())
        assert running.replay().compactions or preset == NONE
        known = ref(running)
        del running
        assert known() is None
    finally:
        gc.enable()


def test_a_call_that_finds_its_beginning_cached_is_cheaper() -> None:
    _, done = run(recorded(TALK))
    assert done.cost < done.cost_uncached
    assert done.frames[0].cost == done.frames[0].cost_uncached


def test_each_window_is_compared_with_the_context_window_of_its_turn() -> None:
    session = recorded([Ask(LONG), Reply("One."), Ask("And?"), Reply("Two.")])
    sizes = sized(session)
    totals = [frame.total for frame in replay(session, sizes, NONE, PRICE).frames]
    small, large = totals[0] + 1, totals[1] + 1
    for first, last, problems in ((small, large, 0), (large, small, 1), (totals[0] - 1, large, 1)):
        limits = ((0, first), (2, last))
        changing = replace(session, sizes=SizeFacts(limit=last, limits=limits))
        done = replay(changing, replace(sizes, limit=last), NONE, PRICE)
        assert len(done.size_problems) == problems
        assert trial_result(done, NONE, only_limit(changing, sizes)).fits is not bool(problems)
