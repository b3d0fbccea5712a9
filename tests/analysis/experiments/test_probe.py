"""Planting needles and looking for them again: nothing else is touched, and what is said of them is so."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from random import Random

import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.strategies import DrawFn

from inspector.analysis.experiments.needles.insert import MAX_DEPTH_SHIFT, InsertionError, SeededWindow, insert_needles
from inspector.analysis.experiments.needles.needle_probe import (
    DEPTHS,
    Candidate,
    Probe,
    ProbeRun,
    candidates,
    run_probe,
)
from inspector.analysis.experiments.needles.needles import KINDS, Needle, needles
from inspector.analysis.experiments.needles.synthetic import NeedleGenerator, conversation
from inspector.core.conversation import Dialect
from inspector.engine.compression import Net
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.facts import RetainedFact
from inspector.engine.strategies import STRATEGIES
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.recent import recent
from inspector.engine.window import Window, at_turn
from inspector.engine.window.plan import apply
from inspector.engine.window.window import problems
from tests.engine.strategies.passes import assert_each, must_open_with_a_reply, saying
from tests.generated import LONG, Ask, Call, Reply, Step, System, moves, sized, window_of, windows, work

FEW = ("constraint", "number", "path")
NOTHING = Candidate("none")
DROPPING = ("deletion", "fifo", "token_window", "head_tail")


@st.composite
def plantable(draw: DrawFn, most: int = 14) -> Window:
    """Windows in which somebody has asked for something, with every fault that a recording may have."""
    window = draw(windows(most=most, pins=False))
    assume(any(message.role == "user" for message in window.messages))
    return window


def bed_of(window: Window, depths: Sequence[float] = (0.1, 0.5, 0.9), seed: int = 0) -> SeededWindow:
    try:
        return insert_needles(window, depths, seed, FEW)
    except InsertionError:
        assume(False)
        raise


def probed(window: Window, *chosen: Candidate, passes: int = 3, seed: int = 0) -> Probe:
    try:
        return run_probe(window, chosen, (0.2, 0.8), passes, seed, classes=FEW)
    except InsertionError:
        assume(False)
        raise


def lines_of(bed: SeededWindow) -> set[str]:
    return {each.needle.line for each in bed.needles}


PLANTING: list[Callable[[Window], None]] = []
"""What holds of needles that are planted in any window."""


def of_planting(check: Callable[[Window], None]) -> Callable[[Window], None]:
    PLANTING.append(check)
    return check


@of_planting
def planting_leaves_every_other_message_as_it_was_and_where_it_was(window: Window) -> None:
    bed = bed_of(window)
    there = [message for message in bed.window.messages if message.id in set(window.ids)]
    assert [message.id for message in there] == list(window.ids)
    for old, new in zip(window.messages, there, strict=True):
        assert new is old or new.id in bed.hosts
    added = [message for message in bed.window.messages if message.id not in set(window.ids)]
    assert all(message.id in bed.hosts for message in added)


@of_planting
def a_message_that_tells_needles_is_the_same_in_all_but_their_lines(window: Window) -> None:
    bed = bed_of(window)
    lines = lines_of(bed)
    new = {message.id: message for message in bed.window.messages}
    for old in window.messages:
        planted = new[old.id]
        assert [line for line in planted.text.split("\n") if line not in lines] == old.text.split("\n")
        for fact in ("role", "kind", "name", "calls", "answers", "is_error", "thinks", "agent", "parent", "usage"):
            assert getattr(planted, fact) == getattr(old, fact)
        assert {key: value for key, value in planted.raw.items() if key != "content"} == {
            key: value for key, value in old.raw.items() if key != "content"
        }


@of_planting
def planting_keeps_a_conversation_valid(window: Window) -> None:
    bed = bed_of(window)
    before = {problem.text for problem in problems(window)}
    assert {problem.text for problem in problems(bed.window)} <= before


@of_planting
def the_window_that_is_planted_is_a_copy(window: Window) -> None:
    before = json.dumps([message.raw for message in window.originals.values()])
    messages, originals = window.messages, window.originals
    bed = bed_of(window)
    assert window.messages is messages
    assert window.originals is originals is not bed.window.originals
    assert json.dumps([message.raw for message in originals.values()]) == before


@of_planting
def each_needle_stands_in_its_message_and_nowhere_else(window: Window) -> None:
    bed = bed_of(window)
    for each in bed.needles:
        assert [message.id for message in bed.window.messages if each.needle.within(message.text)] == [each.message]


@of_planting
def what_no_strategy_may_take_is_not_planted_in(window: Window) -> None:
    held = {window.messages[index].id for index in PlanBuilder(window).protection}
    assert not held.intersection(bed_of(window).hosts)


@of_planting
def the_sizes_of_a_planted_window_add_up(window: Window) -> None:
    bed = bed_of(window)
    sizes = dict(zip(bed.window.ids, bed.window.tokens, strict=True))
    assert len(bed.window.tokens) == len(bed.window.messages)
    assert all(sizes[name] >= tokens for name, tokens in zip(window.ids, window.tokens, strict=True))
    assert bed.window.total >= window.total


@of_planting
def where_nothing_is_compressed_every_needle_is_there_after_all_passes(window: Window) -> None:
    found = probed(window, NOTHING)
    (course,) = found.courses
    assert all(kept == RetainedFact(len(found.needles)) for kept in found.curve(course))


def test_planting_in_any_window() -> None:
    assert_each(plantable(), PLANTING, name="planting", share=1)


KEEPING = {
    "deletion": {"keep_recent": 100_000},
    "fifo": {"max_messages": 10_000},
    "sliding_window": {"keep_recent": 100_000},
}


@given(plantable(), st.sampled_from(sorted(KEEPING)))
def test_a_strategy_that_keeps_everything_keeps_every_needle(window: Window, name: str) -> None:
    found = probed(window, Candidate(name, name, KEEPING[name]), passes=1)
    assert found.curve(found.courses[0]) == (RetainedFact(len(found.needles)),)


@given(plantable(), st.integers(0, 8))
def test_deletion_loses_just_what_is_older_than_it_keeps(window: Window, keep: int) -> None:
    bed = bed_of(window, (0.2, 0.8))
    newest = recent(bed.window, keep)
    free = {index for members in PlanBuilder(bed.window).candidates() for index in members}
    leaving = free - newest
    if leaving:
        leaving |= free & answers_without_a_question(bed.window, leaving)
    found = probed(window, Candidate("deletion", "deletion", {"keep_recent": keep}), passes=1)
    assert found.needles == bed.needles
    gone = {bed.window.ids[index] for index in leaving}
    for each, state in zip(found.needles, found.courses[0].passes[0].states, strict=True):
        assert state == ("lost" if each.message in gone else "retained")


def answers_without_a_question(window: Window, leaving: set[int]) -> set[int]:
    """What would lead the window although nobody has asked yet, in whole groups: a provider would refuse it."""
    talk = [i for i, each in enumerate(window.messages) if i not in leaving and each.role != "system"]
    leading = takewhile(lambda index: window.messages[index].role != "user", talk)
    return {member for index in leading for member in window.groups.members[window.groups.of[index]]}


@st.composite
def contended(draw: DrawFn) -> tuple[Window, Candidate]:
    window = draw(plantable())
    name, settings = draw(moves(window))
    return window, Candidate(name, name, settings)


PROBING: list[Callable[[tuple[Window, Candidate]], None]] = []
"""What holds of any strategy that is probed."""


def of_probing(check: Callable[[tuple[Window, Candidate]], None]) -> Callable[[tuple[Window, Candidate]], None]:
    PROBING.append(check)
    return check


@of_probing
def the_cells_of_the_grid_add_up(drawn: tuple[Window, Candidate]) -> None:
    window, contender = drawn
    found = probed(window, contender, NOTHING)
    for course in found.courses:
        cells = [found.at_depth(course, depth) for depth in found.depths]
        classes = [found.of_class(course, cls) for cls in found.classes]
        assert [whole(cell) for cell in cells] == [len(FEW)] * len(cells)
        assert added(cells) == added(classes) == found.curve(course)[0]
        assert {whole(kept) for kept in found.curve(course)} == {len(found.needles)}


def whole(kept: RetainedFact) -> int:
    return kept.retained + kept.recoverable + kept.lost


def added(all_of_them: Sequence[RetainedFact]) -> RetainedFact:
    return RetainedFact(
        sum(kept.retained for kept in all_of_them),
        sum(kept.recoverable for kept in all_of_them),
        sum(kept.lost for kept in all_of_them),
    )


@of_probing
def no_pass_of_any_strategy_makes_a_window_invalid_or_larger(drawn: tuple[Window, Candidate]) -> None:
    window, contender = drawn
    (course,) = probed(window, contender).courses
    assert course.valid or must_open_with_a_reply(window)
    assert all(each.after <= each.before for each in course.passes)


@given(plantable(), st.sampled_from(DROPPING), st.integers(0, 20))
def test_what_was_dropped_never_comes_back(window: Window, name: str, keep: int) -> None:
    first = STRATEGIES[name].knobs[0]
    found = probed(window, Candidate(name, name, {first.name: first.clamp(keep)}), passes=5)
    (course,) = found.courses
    retained = [kept.retained for kept in found.curve(course)]
    assert retained == sorted(retained, reverse=True)
    for before, after in pairwise(course.passes):
        assert all(now == "lost" for was, now in zip(before.states, after.states, strict=True) if was == "lost")


@of_probing
def the_same_seed_gives_the_same_result(drawn: tuple[Window, Candidate]) -> None:
    window, contender = drawn
    seed = len(window.messages) % 5
    assert probed(window, contender, seed=seed) == probed(window, contender, seed=seed)


@of_probing
def a_contender_does_no_better_or_worse_for_the_company_it_is_in(drawn: tuple[Window, Candidate]) -> None:
    window, contender = drawn
    alone = probed(window, contender).courses[0]
    assert probed(window, Candidate("first", "deletion"), contender).courses[1] == alone


def test_probing_any_strategy() -> None:
    assert_each(contended(), PROBING, name="probing", share=1)


TALK: list[Step] = [System(), Ask(LONG), *(work(content=LONG, result=LONG * 4) for _ in range(20)), Ask("And now?")]


def bar(name: str, window: Window, **settings: object) -> tuple[Probe, ProbeRun]:
    found = run_probe(window, [Candidate(name, name, settings)])
    return found, found.courses[0]


def test_what_is_archived_can_be_brought_back_for_ever() -> None:
    found, course = bar("vector_swap", window_of(*TALK), keep_last=2, k=1)
    assert all(kept.lost == 0 for kept in found.curve(course))
    assert found.curve(course)[0].recoverable


def test_an_archive_from_which_nothing_comes_back_is_a_loss() -> None:
    found, course = bar("vector_swap", window_of(*TALK), keep_last=2, k=0)
    assert not any(kept.recoverable for kept in found.curve(course))
    assert found.at_depth(course, DEPTHS[0]) == RetainedFact(0, 0, len(KINDS))


def test_what_is_behind_a_placeholder_that_nobody_can_open_is_lost() -> None:
    found, course = bar("mask_observations", window_of(*TALK), keep=1)
    hosts = {message.id: message.role for message in window_of(*TALK).messages}
    for each, state in zip(found.needles, course.passes[0].states, strict=True):
        if state != "retained":
            assert (hosts[each.message], state) == ("tool", "lost")
    assert found.curve(course)[0].lost


def test_a_summary_keeps_the_needles_that_it_tells_and_loses_the_others() -> None:
    window = window_of(*TALK)
    bed = insert_needles(window, DEPTHS)
    told = bed.needles[0].needle
    way = Candidate("s", "sliding_window", {"keep_recent": 0})
    course = run_probe(window, [way], passes=2, services=saying(f"- it said: {told.line}")).courses[0]
    assert [place for place, state in enumerate(course.passes[0].states) if state == "retained"] == [0]
    assert course.passes[1].states[0] == "retained"


def test_a_failed_summary_loses_nothing_and_says_why() -> None:
    way = Candidate("s", "sliding_window", {"keep_recent": 2})
    course = run_probe(window_of(*TALK), [way], passes=1, services=saying("")).courses[0]
    assert set(course.passes[0].states) == {"retained"}
    assert course.passes[0].note


def test_a_label_without_its_value_is_a_loss() -> None:
    needle = Needle("number", "4821907", "retry_window_ms=4821907")
    assert needle.within("retry_window_ms is 4821907, they said")
    assert not needle.within("retry_window_ms is set")
    assert not needle.within("retry_window_ms=48219071")


def test_a_constraint_without_its_not_is_a_loss() -> None:
    needle = Needle("constraint", "larch-heron-1234", "You must never restart larch-heron-1234.")
    assert needle.within("- don't restart larch-heron-1234")
    assert not needle.within("Restarted larch-heron-1234.\nThis must never happen again.")


def test_a_value_that_was_said_before_is_not_planted() -> None:
    first = next(needles(Random("needles 0"), ["id"], []))
    second = next(needles(Random("needles 0"), ["id"], [f"we know {first.value} already"]))
    assert first.value != second.value


def test_planting_twice_finds_other_values() -> None:
    window = window_of(*TALK)
    once = insert_needles(window, DEPTHS)
    twice = insert_needles(once.window, DEPTHS)
    values = [{each.needle.value for each in bed.needles} for bed in (once, twice)]
    assert len(values[0]) == len(DEPTHS) * len(KINDS)
    assert not values[0] & values[1]
    assert problems(twice.window) == ()


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_needles_stand_at_the_depths_that_were_asked_for(dialect: Dialect) -> None:
    session = conversation(3, 12, dialect)
    bed = insert_needles(at_turn(session, sized(session)), DEPTHS)
    assert all(abs(each.at - each.depth) <= MAX_DEPTH_SHIFT for each in bed.needles)
    assert {each.depth for each in bed.needles} == set(DEPTHS)
    crowd = max(len(told) for told in bed.hosts.values())
    assert crowd <= len(KINDS) // 2


def test_a_long_output_tells_its_needles_in_the_middle() -> None:
    session = conversation(1, 12)
    bed = insert_needles(at_turn(session, sized(session)), DEPTHS)
    outputs = [message for message in bed.window.messages if message.role == "tool" and message.id in bed.hosts]
    assert outputs
    for message in outputs:
        lines = message.text.split("\n")
        assert lines[0] not in lines_of(bed)
        assert lines[-1] not in lines_of(bed)


def test_where_no_message_takes_a_needle_it_has_one_of_its_own() -> None:
    window = window_of(System(), Ask("Count."))
    bed = insert_needles(window, (0.5,), classes=FEW)
    assert [message.kind for message in bed.window.messages] == ["chat", "chat", *["injected"] * 3]
    assert problems(bed.window) == ()
    assert bed.window.task == window.task


def test_a_message_of_a_needles_own_never_parts_a_call_from_its_result() -> None:
    steps: list[Step] = [Ask("Count."), *(work("now", "later", result=None) for _ in range(6)), Reply("Six.")]
    window = window_of(*steps)
    bed = insert_needles(window, (0.0, 0.3, 0.6, 1.0))
    assert [problem.text for problem in problems(bed.window)] == [problem.text for problem in problems(window)]


def test_a_stray_result_is_no_more_at_fault_than_before() -> None:
    twice = Reply("", (Call(), Call(answer="twice")))
    window = window_of(Ask(""), twice, System(""), Ask(""), dialect="anthropic")
    bed = insert_needles(window, (0.1, 0.5, 0.9), classes=FEW)
    assert [problem.text for problem in problems(bed.window)] == [problem.text for problem in problems(window)]


def test_a_window_in_which_nobody_asked_for_anything_cannot_be_planted() -> None:
    with pytest.raises(InsertionError, match="contains no request"):
        insert_needles(window_of(Reply("Hello.")), DEPTHS)


def test_a_depth_outside_the_conversation_and_no_pass_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match=r"not 1\.5"):
        run_probe(window_of(*TALK), depths=(0.1, 1.5))
    with pytest.raises(ValueError, match="must be at least 1"):
        run_probe(window_of(*TALK), passes=0)


def test_without_a_choice_every_strategy_is_probed_and_told_of() -> None:
    told: list[tuple[int, int]] = []
    found = run_probe(
        window_of(*TALK), passes=1, classes=FEW, on_progress=lambda done, total: told.append((done, total))
    )
    assert [course.contender.name for course in found.courses] == list(STRATEGIES)
    assert told == [(number, len(STRATEGIES)) for number in range(1, len(STRATEGIES) + 1)]
    assert candidates()[0].strategy == next(iter(STRATEGIES))


def test_a_preset_is_probed_with_its_settings_whatever_its_threshold() -> None:
    way = Candidate.of(PRESETS["aggressive"])
    assert (way.strategy, way.settings["keep_recent"], way.settings["ratio"]) == ("sliding_window", 10, 0.2)
    assert Candidate.of(Preset("off", enabled=False)).strategy == ""
    course = run_probe(window_of(*TALK), [way], passes=1).courses[0]
    assert course.passes[0].after < course.passes[0].before < 30_000
    assert Candidate.of(Preset("net", Net(500), strategy="selective")).settings == {"keep_recent": 20, "ratio": 0.3}


def test_settings_that_suit_the_planted_window_stay_so_through_all_passes() -> None:
    course = run_probe(window_of(*TALK), [Candidate("t", "token_window")], passes=4).courses[0]
    assert all(each.after <= course.settings["max_tokens"] for each in course.passes)
    assert all(each.before > course.settings["max_tokens"] for each in course.passes)


def test_what_is_made_up_is_valid_the_same_every_time_and_tells_no_needle() -> None:
    session, again = conversation(7), conversation(7)
    window = at_turn(session, sized(session))
    assert problems(replace(window, limit=0)) == ()
    assert [message.text for message in session] == [message.text for message in again]
    assert [message.text for message in conversation(8)] != [message.text for message in session]
    made = needles(Random("any"), list(KINDS), [])
    found = [next(made) for _ in range(200)]
    assert not any(each.within(message.text) for message in session for each in found)
    assert len({each.value for each in found}) == len(found)


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_the_turns_that_come_in_are_valid_in_either_form(dialect: Dialect) -> None:
    window = window_of(*TALK, dialect=dialect)
    exchanges = NeedleGenerator(0, dialect, excluded=["new 2"]).exchanges()
    new = [message for _ in range(5) for message in next(exchanges)]
    sizes = tuple(map(window.sizes.measure, new))
    grown = replace(window, messages=(*window.messages, *new), tokens=(*window.tokens, *sizes))
    assert problems(replace(grown, limit=0)) == ()
    assert "new 2" not in {message.id for message in new}
    assert len({message.id for message in new}) == len(new)
    assert apply(grown, PlanBuilder(grown).finish("mend", {})).messages == grown.messages
