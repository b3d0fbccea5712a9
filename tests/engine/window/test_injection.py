"""A message that a plan puts into a window: where it stands, and when it is there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given

from inspector.core.conversation import Message, Session
from inspector.engine.window import (
    Plan,
    Window,
    apply,
    at_turn,
    diff_windows,
    inject,
    manual_plan,
    problems,
    view,
)
from inspector.llm.providers import text_message
from tests.generated import Ask, Call, Reply, System, conversations, recorded, sized, window_of


def injected(window: Window, name: str = "memory 1") -> Plan:
    return inject(
        window,
        text_message(name, "user", "Bob likes tea.", window.context.dialect, kind="injected"),
        "asked for: tea",
        {"query": "tea"},
    )


def texts(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages]


def test_it_stands_right_before_the_current_request_in_the_memory_section() -> None:
    window = window_of(System("Be brief."), Ask("one"), Reply("first"), Ask("two"), Reply("", (Call(),)))
    plan = injected(window)
    after = apply(window, plan)
    assert texts(after.messages)[:4] == ["Be brief.", "one", "first", "Bob likes tea."]
    assert after.sections[:5] == ("system", "history", "history", "memory", "input")
    assert after.total == window.total + window.sizes.measure(plan.injections[0].message)
    assert after.breakdown["memory"].tokens == window.sizes.measure(plan.injections[0].message)
    assert not plan.alters and not plan.is_idle and plan.counts["retrieved"] == 1
    assert plan.by_id["memory 1"].reason == "asked for: tea"
    [change] = [change for change in diff_windows(window, after, [plan]) if change.kind != "same"]
    assert (change.kind, change.fate and change.fate.reason) == ("added", "asked for: tea")


def test_it_stays_where_it_is_while_the_conversation_goes_on_and_goes_with_its_request() -> None:
    session = recorded([Ask("one"), Reply("first"), Ask("two"), Reply("second"), Ask("three"), Reply("third")])
    sizes = sized(session)
    plan = injected(at_turn(session, sizes, 2))
    shown = {turn: texts(view(at_turn(session, sizes, turn), [plan]).messages) for turn in (1, 2, 3, 4)}
    assert "Bob likes tea." not in shown[1]
    assert all(shown[turn][2:4] == ["Bob likes tea.", "two"] for turn in (2, 3, 4))
    window = at_turn(session, sizes, 4)
    request = next(message.id for message in window.messages if message.text == "two")
    dropped = manual_plan(window, [request], "dropped")
    assert "Bob likes tea." not in texts(view(window, [dropped, plan]).messages)
    assert "Bob likes tea." in texts(view(window, [plan, dropped]).messages), "it was there before the request left"


def test_what_is_in_the_window_may_leave_it_again() -> None:
    window = window_of(Ask("one"), Reply("first"), Ask("two"))
    plan = injected(window)
    after = apply(window, plan)
    assert view(window, [plan, manual_plan(after, ["memory 1"], "dropped")]).messages == window.messages
    with pytest.raises(ValueError, match="the message memory 1 already exists"):
        injected(after)
    assert texts(view(window, [plan, injected(after, "memory 2")]).messages)[2:] == ["Bob likes tea."] * 2 + ["two"]


def test_a_window_without_a_request_takes_nothing() -> None:
    with pytest.raises(ValueError, match="there is no request"):
        injected(window_of(System("Be brief.")))


@given(conversations(most=14))
def test_it_never_makes_a_window_invalid(session: Session) -> None:
    window = at_turn(session, sized(session))
    if window.request is not None:
        after = apply(window, injected(window))
        assert {problem.text for problem in problems(after)} <= {problem.text for problem in problems(window)}
        assert after.sections[after.ids.index("memory 1")] == "memory"
        assert sorted(after.ids) == sorted([*window.ids, "memory 1"])
        assert after.ids.index("memory 1") == after.ids.index(window.ids[window.request]) - 1
