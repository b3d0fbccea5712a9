"""Comparing two replays: where they part, and that what is said of either side is what its windows are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn

from inspector.analysis.replay.context_growth import ContextStep, context_steps
from inspector.analysis.replay.frames import ReplayCancelled
from inspector.analysis.replay.paired_walk import PairedWalk, message_digest, message_key
from inspector.analysis.replay.replay_comparison import (
    Comparison,
    Lane,
    Side,
    compare_replays,
    comparison_at,
    message_outcomes,
    retained_weight,
)
from inspector.analysis.replay.run import NONE, RECORDED, replay, window_at
from inspector.core.conversation import Session
from inspector.engine.compression.presets import Preset
from inspector.engine.facts import CLASSES, FactIndex, Need, Regret, Weights
from inspector.engine.strategies import STRATEGIES
from inspector.engine.window.plan import LEAVE_KINDS
from inspector.engine.window.window import Window
from inspector.llm.models.prices import Price
from tests.analysis.replay.growing import CASES, small_and_large
from tests.generated import LONG, Ask, Reply, Rewind, Step, Summary, conversations, recorded, sized, work
from tests.growth import calls_made

PRICE = Price(2.5, 10.0, 1.25, 2.5, "some-model", "user")
SIDES: tuple[Side, Side] = ("left", "right")


def lane(session: Session, preset: Preset = NONE) -> Lane:
    sizes = sized(session)
    return Lane(session, sizes, replay(session, sizes, preset, PRICE))


def window(side: Lane, turn: int) -> Window:
    return window_at(side.session, side.sizes, side.replay, turn)


@st.composite
def presets(draw: DrawFn) -> Preset:
    """What compresses early and in many ways, and what compresses nothing."""
    name = draw(st.sampled_from(sorted(STRATEGIES)))
    drawn = Preset("drawn", draw(st.integers(60, 900)), 0.3, draw(st.integers(0, 4)), name)
    return draw(st.sampled_from([NONE, RECORDED, drawn, drawn, drawn]))


@st.composite
def comparisons(draw: DrawFn) -> Comparison:
    session = draw(conversations(most=14))
    return compare_replays(lane(session, draw(presets())), lane(session, draw(presets())))


def contents(side: Lane, turn: int) -> list[object]:
    """What a window says, made anew: messages of the log as themselves, others by their words."""
    log = set(side.session.messages)
    return [message if message in log else (message.role, message.text) for message in window(side, turn).messages]


@given(comparisons())
def test_turns_are_the_same_where_their_windows_say_the_same(found: Comparison) -> None:
    for pair in found.turns:
        assert pair.same == (contents(found.left, pair.turn) == contents(found.right, pair.turn))


@given(comparisons())
def test_the_first_difference_is_the_first_message_of_the_first_turn_that_differs(found: Comparison) -> None:
    differing = [pair.turn for pair in found.turns if not pair.same]
    first = found.first
    if first is None:
        assert differing == []
        return
    assert first.turn == differing[0]
    left, right = contents(found.left, first.turn), contents(found.right, first.turn)
    assert left[: first.place] == right[: first.place]
    assert left[first.place : first.place + 1] != right[first.place : first.place + 1]
    ours = window(found.left, first.turn).messages
    assert (first.left.id if first.left else None) == (ours[first.place].id if first.place < len(ours) else None)


@given(comparisons())
def test_frames_stand_beside_each_other_by_their_turn(found: Comparison) -> None:
    assert tuple(pair.left for pair in found.turns) == found.left.replay.frames
    assert tuple(pair.right for pair in found.turns) == found.right.replay.frames
    assert [pair.turn for pair in found.turns] == list(range(1, len(found.turns) + 1))


@given(conversations(most=14), presets(), st.data())
def test_the_end_of_a_message_is_what_the_window_has_of_it(
    session: Session, preset: Preset, data: st.DataObject
) -> None:
    side = lane(session, preset)
    turn = data.draw(st.integers(1, len(side.replay.frames)))
    seen = window(side, turn).messages
    there = {message.id: message for message in seen}
    for message, end in message_outcomes(side, turn, seen).items():
        assert (end.fate in LEAVE_KINDS) == (message.id not in there)
        assert (retained_weight(end.fate) == 2) == (there.get(message.id) is message)
        assert end.tokens == side.sizes.tokens[session.messages.index(message)]


@given(comparisons())
def test_what_one_side_has_more_of_is_what_the_other_has_less_of(found: Comparison) -> None:
    lanes = zip((found.left, found.right), found.at, strict=True)
    mine, other = (message_outcomes(side, at, window(side, at).messages) for side, at in lanes)
    assert mine.keys() == other.keys()
    for side, more, less in zip(SIDES, (mine, other), (other, mine), strict=True):
        kept = {each.left for each in found.fuller_messages(side)}
        assert kept == {
            message for message in mine if retained_weight(more[message].fate) > retained_weight(less[message].fate)
        }
    assert found.alone == ((), ())
    assert sum(found.fates[0].values()) == sum(found.fates[1].values()) == len(mine)


@given(conversations(most=14), presets())
def test_a_replay_does_not_differ_from_itself(session: Session, preset: Preset) -> None:
    found = compare_replays(lane(session, preset), lane(session, preset))
    assert found.first is None
    assert all(pair.same for pair in found.turns)
    assert found.fate_differences == ()


NAMELESS = [NONE, RECORDED, *(Preset(name, 200, 0.3, 2, name) for name in ("deletion", "fifo", "sliding_window"))]
"""Presets that write no id of a message into what they leave."""


@given(conversations(most=14), st.sampled_from(NAMELESS))
def test_a_recording_that_was_made_twice_does_not_differ_whatever_its_ids(session: Session, preset: Preset) -> None:
    renamed = tuple(replace(message, id=f"other {message.id}") for message in session)
    found = compare_replays(lane(session, preset), lane(replace(session, messages=renamed), preset))
    assert found.alone == ((), ())
    assert found.first is None
    assert found.fate_differences == ()


TALK: list[Step] = [Ask(LONG * 3), *(work(content=LONG, result=f"{n} " + LONG * 4) for n in range(8))]


def test_they_first_differ_where_the_one_compresses() -> None:
    session = recorded(TALK)
    found = compare_replays(lane(session, Preset("tight", 1_000, 0.2, 2)), lane(session))
    made = found.left.replay.compactions[0]
    assert found.first is not None
    assert found.first.turn == made.turn
    assert found.first.left is not None
    assert found.first.left.kind == "summary"
    assert found.first.right in session.messages
    assert [pair.same for pair in found.turns[: made.turn]] == [True] * (made.turn - 1) + [False]


def test_what_the_one_lost_is_what_the_other_kept() -> None:
    session = recorded(TALK)
    found = compare_replays(lane(session, Preset("tight", 1_000, 0.2, 2)), lane(session))
    assert found.fuller_messages("left") == ()
    kept = found.fuller_messages("right")
    gone = set(session.messages) - set(window(found.left, len(found.turns)).messages)
    assert {each.right for each in kept} == gone
    assert {each.fates for each in kept} == {("summarised", "kept")}
    assert found.fates[1] == {"kept": len(session.messages)}


def test_a_shortened_message_is_less_than_a_whole_one_and_more_than_none() -> None:
    session = recorded(TALK)
    masks = Preset("masks", 1_000, strategy="mask_observations", settings={"keep": 1})
    drops = Preset("drops", 1_000, 0.2, 2, "deletion")
    found = compare_replays(lane(session, masks), lane(session, drops))
    assert ("masked", "dropped") in {each.fates for each in found.fuller_messages("left")}
    against = compare_replays(lane(session, masks), lane(session))
    assert {each.fates for each in against.fuller_messages("right")} == {("masked", "kept")}


def test_after_going_back_before_a_compression_they_are_the_same_again() -> None:
    session = recorded([*TALK, Rewind(len(TALK) * 2), Ask("Another thing."), Reply("Yes."), Ask("And?")])
    found = compare_replays(lane(session, Preset("tight", 1_000, 0.2, 2)), lane(session))
    assert not found.turns[len(TALK) - 2].same
    assert found.turns[-1].same
    left, right = found.left.replay.frames[-1], found.right.replay.frames[-1]
    assert left.total == right.total


def test_the_recordings_own_compaction_is_a_loss_like_any_other() -> None:
    session = recorded([*TALK[:4], Summary(fresh=True), *TALK[4:]])
    found = compare_replays(lane(session, RECORDED), lane(session))
    assert found.first is not None
    assert found.first.left is not None
    assert found.first.left.kind == "summary"
    assert {each.fates for each in found.fuller_messages("right")} == {("summarised", "kept")}
    assert len(found.fuller_messages("right")) == 7


def test_two_sessions_first_differ_where_the_one_says_something_else() -> None:
    one = recorded(TALK)
    other = recorded([*TALK[:5], work(content="Something else.", result="4 rows"), *TALK[6:]])
    found = compare_replays(lane(one), lane(other))
    assert found.first is not None
    assert found.first.turn == 6
    assert (found.first.left, found.first.right) == (one.messages[9], other.messages[9])
    assert [len(alone) for alone in found.alone] == [2, 2]
    assert found.fate_differences == ()


def test_a_session_that_goes_on_longer_has_turns_that_the_other_has_not() -> None:
    found = compare_replays(lane(recorded(TALK[:4])), lane(recorded(TALK)))
    assert [pair.same for pair in found.turns] == [True] * 4 + [False] * 5
    assert found.first is not None
    assert found.first.turn == 5
    assert found.turns[-1].left is None
    assert found.alone[0] == ()


def test_the_same_conversation_in_both_forms_is_the_same() -> None:
    said: list[Step] = [*TALK, Reply("Done.", thinking="So that is it."), Ask("Thanks.")]
    found = compare_replays(lane(recorded(said, "openai")), lane(recorded(said, "anthropic")))
    assert found.first is None
    assert found.alone == ((), ())


def test_messages_that_say_the_same_are_matched_in_order() -> None:
    said: list[Step] = [Ask("Count."), Reply("ok"), Ask("Again."), Reply("ok")]
    one, other = recorded(said), recorded(said[:2])
    found = compare_replays(lane(one), lane(other))
    assert found.alone == ((one.messages[2], one.messages[3]), ())
    assert message_digest(one.messages[1]) == message_digest(one.messages[3])


def test_fates_can_be_told_of_an_earlier_turn() -> None:
    session = recorded(TALK)
    left, right = lane(session, Preset("tight", 1_000, 0.2, 2)), lane(session)
    first = left.replay.compactions[0].turn
    assert compare_replays(left, right, first - 1).fate_differences == ()
    assert compare_replays(left, right, first).fate_differences
    with pytest.raises(ValueError, match="there is no turn 99"):
        compare_replays(left, right, 99)


def knowing(session: Session, preset: Preset = NONE) -> Lane:
    """A lane whose facts were read."""
    sizes, facts = sized(session), FactIndex(session)
    return Lane(session, sizes, replay(session, sizes, preset, PRICE, facts=facts), facts)


@given(conversations(most=14), presets())
def test_where_the_facts_are_is_what_the_replay_says(session: Session, preset: Preset) -> None:
    side = knowing(session, preset)
    found = compare_replays(side, knowing(session))
    went_back = any(step.prefix < before for before, step in lengths(session))
    if not went_back and preset != RECORDED:
        assert found.retention[0] == side.replay.retention
    for cls, left, right in found.by_class():
        kept = {own: sum(fact.cls == cls for fact in found.facts_of(own)) for own in SIDES}
        if preset != RECORDED:
            assert left.total == right.total
            assert left.retained - kept["left"] == right.retained - kept["right"]


def lengths(session: Session) -> Iterator[tuple[int, ContextStep]]:
    """Each step with how many messages the context held before it."""
    length = 0
    for step in context_steps(session):
        yield length, step
        length = step.prefix + len(step.new)


def test_facts_that_only_one_window_tells_are_named_with_where_they_came_from() -> None:
    session = recorded([Ask("Count them."), Reply(LONG), *(work(content="Next.") for _ in range(8)), Ask("And?")])
    found = compare_replays(knowing(session, Preset("tight", 100, 0.2, 2, "deletion")), knowing(session))
    assert found.facts_of("left") == ()
    facts = {(fact.cls, fact.text): fact for fact in found.facts_of("right")}
    path = facts["path", "/srv/data/orders.csv"]
    assert path.states == ("lost", "retained")
    assert path.message == session.messages[1].id
    weights = [CLASSES[fact.cls].weight for fact in found.facts]
    assert weights == sorted(weights, reverse=True)


def test_facts_are_matched_between_two_sessions_too() -> None:
    said: list[Step] = [Ask("Count them."), Reply(LONG), *(work(content="Next.") for _ in range(8)), Ask("And?")]
    found = compare_replays(knowing(recorded(said), Preset("tight", 100, 0.2, 2, "deletion")), knowing(recorded(said)))
    assert ("path", "/srv/data/orders.csv") in {(fact.cls, fact.text) for fact in found.facts_of("right")}


def test_what_both_sides_missed_is_no_difference() -> None:
    session = recorded(TALK)
    left, right = lane(session), lane(session)
    missed = Regret(5, "m9", (Need("/srv/data/orders.csv", "path", 3, "m1"),))
    other = Regret(7, "m11", (Need("4711", "number", 3, "m1"),))
    ours = replace(left.replay, regrets=(missed, other))
    theirs = replace(right.replay, regrets=(replace(missed, turn=6),))
    found = compare_replays(replace(left, replay=ours), replace(right, replay=theirs))
    assert [regret.fact for regret in found.regrets("left")] == ["4711"]
    assert found.regrets("right") == ()


def test_a_fact_that_was_missed_again_is_a_difference_again() -> None:
    def regret(turn: int) -> Regret:
        return Regret(turn, f"m{turn}", (Need("/srv/data/orders.csv", "path", 3, "m1"),))

    one, two = recorded(TALK), recorded(TALK)
    for left, right in ((lane(one), lane(one)), (lane(one), lane(two))):
        ours = replace(left, replay=replace(left.replay, regrets=(regret(5), regret(9), regret(30))))
        theirs = replace(right, replay=replace(right.replay, regrets=(regret(5),)))
        found = compare_replays(ours, theirs)
        assert [missed.turn for missed in found.regrets("left")] == [9, 30]
        assert found.regrets("right") == ()


def test_the_weightiest_facts_come_first_by_the_weights_that_were_set() -> None:
    session = recorded([Ask("Count them."), Reply(LONG), *(work(content="Next.") for _ in range(8)), Ask("And?")])
    left, right = knowing(session, Preset("tight", 100, 0.2, 2, "deletion")), knowing(session)
    assert left.replay.facts
    facts = replace(left.replay.facts, weights=Weights({"number": 900.0}))
    weighed = replace(left, replay=replace(left.replay, facts=facts))
    assert compare_replays(weighed, right).facts[0].cls == "number" != compare_replays(left, right).facts[0].cls


def test_nothing_is_said_of_facts_that_were_not_read() -> None:
    session = recorded(TALK)
    found = compare_replays(lane(session, Preset("tight", 1_000, 0.2, 2)), lane(session))
    assert found.facts == ()
    assert list(found.by_class()) == []


@given(conversations(most=14), presets(), presets(), st.data())
def test_another_turn_of_a_comparison_is_a_comparison_at_that_turn(
    session: Session, one: Preset, other: Preset, data: st.DataObject
) -> None:
    left, right = knowing(session, one), knowing(session, other)
    found = compare_replays(left, right)
    turn = data.draw(st.integers(1, len(found.turns)))
    asked, again = compare_replays(left, right, turn), comparison_at(found, turn)
    for field in ("first", "turns", "at", "fates", "fate_differences", "alone", "facts", "retention"):
        assert getattr(again, field) == getattr(asked, field)
    assert comparison_at(again, len(found.turns)).fate_differences == found.fate_differences


def test_of_a_side_that_ends_before_the_last_turn_is_told() -> None:
    found = compare_replays(lane(recorded(TALK[:4])), lane(recorded(TALK)))
    later = comparison_at(found, len(found.turns) - 1)
    assert later.at == (4, len(found.turns) - 1)
    assert later.alone[0] == ()
    with pytest.raises(ValueError, match="there is no turn 0"):
        comparison_at(found, 0)


def test_a_comparison_that_is_no_longer_wanted_stops_soon() -> None:
    session = recorded(TALK)
    asked = iter([False, False, True])
    with pytest.raises(ReplayCancelled):
        compare_replays(lane(session), lane(session), stop=lambda: next(asked))
    found = compare_replays(lane(session), lane(session))
    with pytest.raises(ReplayCancelled):
        comparison_at(found, 5, stop=lambda: True)


@given(conversations(most=16), presets(), presets())
def test_the_windows_that_are_walked_through_are_those_of_the_turns(session: Session, one: Preset, two: Preset) -> None:
    left, right = lane(session, one), lane(session, two)
    walk = PairedWalk(left, right, message_key(left, right), (1, 1))
    for turn, sides in enumerate(walk.sides, 1):
        for known, side in zip((left, right), sides, strict=True):
            if side:
                assert side.cursor.window() == window(known, turn)


@pytest.mark.parametrize("case", CASES)
def test_a_comparison_takes_linear_time(case: str) -> None:
    def work_for(session: Session) -> int:
        left, right = (lane(session, Preset("drawn", 400, 0.3, kept, "deletion")) for kept in (2, 4))
        return calls_made(lambda: compare_replays(left, right))

    small, large = small_and_large(case)
    assert work_for(large) <= 5 * work_for(small)
