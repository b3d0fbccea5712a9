"""A cursor's window is the log seen through its plans, whatever came in, went back, was applied and was undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count, islice

from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn

from inspector.analysis.replay.context_growth import advance_to_step, context_steps
from inspector.core.conversation import Message, Session
from inspector.engine.strategies import draft_plan
from inspector.engine.window import Plan, Window, WindowCursor, at_turn, inject, manual_plan, view
from inspector.llm.providers import text_message
from tests.generated import Ask, Reply, Summary, System, conversations, moves, recorded, sized, window_of, work


def cursor_of(session: Session) -> WindowCursor:
    return WindowCursor(session.context, sized(session))


def state(window: Window) -> tuple[object, ...]:
    """All that tells one window from another."""
    messages = [(message.id, id(message)) for message in window.messages]
    facts = (window.turn, window.tokens, window.limit, window.unrecorded, window.pins, window.reported)
    return messages, facts, window.had_messages, dict(window.breakdown), window.context


def check(cursor: WindowCursor, expected: Window) -> None:
    """The window, and what is known of it without building it."""
    assert cursor.sections() == tuple(size.tokens for size in expected.breakdown.values())
    assert cursor.total == expected.total
    assert len(cursor) == len(expected.messages)
    assert state(cursor.window()) == state(expected)
    assert cursor.full_total == cursor.full_window().total


@st.composite
def plan_stacks(draw: DrawFn, session: Session) -> list[Plan]:
    """Plans made at one turn and another, by strategies and by hand, each on top of those before it."""
    plans: list[Plan] = []
    for _ in range(draw(st.integers(0, 3))):
        turn = draw(st.integers(1, len(session.turns()) + 1))
        plans.append(draw(plans_for(view(at_turn(session, sized(session), turn), plans))))
    return plans


@st.composite
def plans_for(draw: DrawFn, window: Window) -> Plan:
    if window.request is not None and draw(st.sampled_from([False, False, True])):
        names = (f"memory {number}" for number in count())
        message = text_message(next(name for name in names if name not in window.ids), "user", "Tea.", "openai")
        return inject(window, replace(message, kind="injected"), "asked for", {})
    if draw(st.booleans()) and window.ids:
        ids = draw(st.sets(st.sampled_from(window.ids), min_size=1, max_size=2))
        return manual_plan(window, sorted(ids), draw(st.sampled_from(["pinned", "dropped", "kept"])))
    return draft_plan(window, *draw(moves(window)))


@given(conversations(most=14), st.data())
def test_at_every_turn_it_is_the_recorded_window_through_the_plans(session: Session, data: st.DataObject) -> None:
    plans = data.draw(plan_stacks(session))
    cursor = cursor_of(session)
    cursor.reset(plans)
    for step in context_steps(session):
        advance_to_step(cursor, session, step)
        check(cursor, view(at_turn(session, sized(session), step.turn), plans))


@given(conversations(most=14), st.data())
def test_plans_may_be_applied_and_taken_back_at_any_turn(session: Session, data: st.DataObject) -> None:
    cursor = cursor_of(session)
    for step in context_steps(session):
        advance_to_step(cursor, session, step)
        move = data.draw(st.sampled_from(["", "", "apply", "apply", "undo"]))
        if move == "apply":
            cursor.apply(data.draw(plans_for(cursor.window())))
        elif move == "undo":
            cursor.undo()
        check(cursor, view(at_turn(session, sized(session), step.turn), cursor.plans))


@given(conversations(most=14), st.data())
def test_a_way_that_is_taken_again_is_what_it_was(session: Session, data: st.DataObject) -> None:
    """Messages that a plan knows may leave the log and come back, as where a person returns to an earlier branch."""
    messages, tokens = session.messages, sized(session).tokens
    cursor = cursor_of(session)
    for _ in range(3):
        end = data.draw(st.integers(len(cursor.log), len(messages)))
        for place in range(len(cursor.log), end):
            cursor.append(messages[place], tokens[place])
        cursor.apply(data.draw(plans_for(cursor.window())))
        cursor.rewind(data.draw(st.integers(0, end)))
        check(cursor, view(cursor.full_window(), cursor.plans))
    cursor.extend(messages[len(cursor.log) :], tokens[len(cursor.log) :])
    check(cursor, view(cursor.full_window(), cursor.plans))


@given(conversations(most=14), st.data())
def test_what_is_said_to_be_unchanged_is(session: Session, data: st.DataObject) -> None:
    cursor, before = cursor_of(session), list[Message]()
    for step in context_steps(session):
        cursor.stable_length = len(before)
        advance_to_step(cursor, session, step)
        if data.draw(st.booleans()):
            cursor.apply(data.draw(plans_for(cursor.window())))
        after = list(cursor.messages)
        assert cursor.stable_length <= len(before)
        assert same(before[: cursor.stable_length], after[: cursor.stable_length])
        before = after


def same(first: Sequence[Message], second: Sequence[Message]) -> bool:
    return [*map(id, first)] == [*map(id, second)]


def test_messages_that_only_come_in_leave_all_before_them_unchanged() -> None:
    session = recorded([Ask(), work(), Reply(), Ask(), Reply()])
    cursor = cursor_of(session)
    for number, step in enumerate(islice(context_steps(session), 4)):
        cursor.stable_length = length = len(cursor)
        advance_to_step(cursor, session, step)
        assert cursor.stable_length == length, number


def test_a_summary_that_comes_back_with_a_branch_stands_for_its_messages_again() -> None:
    session = recorded([Ask("one"), *[Reply("so much was said of it. " * 20)] * 8, Ask("two")])
    tokens = sized(session).tokens
    cursor = cursor_of(session)
    cursor.extend(session.messages, tokens)
    cursor.apply(draft_plan(cursor.window(), "sliding_window", {"keep_recent": 1}))
    compressed = cursor.window()
    assert compressed.total < cursor.full_total
    cursor.rewind(2)
    assert cursor.window().ids == ("m0", "m1")
    for message, size in zip(session.messages[2:], tokens[2:], strict=True):
        cursor.append(message, size)
    assert cursor.window().messages == compressed.messages


def test_it_knows_the_sections_of_a_window_that_plans_have_left() -> None:
    window = window_of(System(), Summary(), Ask(), work(), Reply(), Ask(), work())
    cursor = WindowCursor(window.context, window.sizes)
    cursor.extend(window.messages, window.tokens)
    cursor.apply(draft_plan(cursor.window(), "deletion", {"keep_recent": 2}))
    assert cursor.sections() == tuple(size.tokens for size in cursor.window().breakdown.values())
