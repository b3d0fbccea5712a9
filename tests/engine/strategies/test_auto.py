"""The strategy that suits the older part of the session is picked, and the plan says which and why."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from inspector.engine.strategies import draft_plan
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from tests.engine.strategies.passes import saying
from tests.generated import LONG, Ask, Call, Inject, Reply, Step, Summary, window_of, windows, work

QUIET = "It is so, and there is no more to it. "


def auto(window: Window, **settings: Any) -> Plan:
    return draft_plan(window, "auto", {"keep_recent": 1} | settings, saying("They talked."))


def test_its_own_summary_does_not_count_among_the_newest_messages() -> None:
    steps = (Inject("x"), Reply(LONG), Reply("see here"), work("never", content="ok"), Ask("x"))
    window = window_of(*steps, pinned=["m3"])
    after = apply(window, auto(window, keep_recent=3, target=100_000))
    assert after.ids == ("m0", "m2", "m3", "m4", "summary 1")
    assert not auto(after, keep_recent=3, target=100_000).alters


def test_a_record_of_work_is_given_to_selective() -> None:
    window = window_of(Ask(), *[work(result=QUIET)] * 3, *[Reply(QUIET)] * 6, Ask("Now?"))
    plan = auto(window, target=10_000)
    assert plan.note == "picked selective: 6 of 12 older messages are tool calls and results"
    assert plan.sources("summary 1") == tuple(f"m{place}" for place in range(7, 13))


def test_one_more_word_and_it_is_talk_which_becomes_one_summary() -> None:
    window = window_of(Ask(), *[work(result=QUIET)] * 3, *[Reply(LONG)] * 7, Ask("Now?"))
    plan = auto(window)
    assert plan.note == "picked sliding_window: the older part is mostly talk"
    assert len(plan.sources("summary 1")) == 13


def test_where_nothing_was_said_that_could_be_missed_it_is_deleted() -> None:
    window = window_of(Ask(), *[Reply(QUIET * 9)] * 4, Ask("Now?"))
    plan = auto(window)
    assert plan.note == "picked deletion: the older part contains no request, decision, marked message or failure"
    assert apply(window, plan).ids == ("m0", "m5")
    assert not plan.summaries


@pytest.mark.parametrize(
    "step",
    [
        Ask(QUIET),
        Inject(QUIET),
        Reply("Never touch the table."),
        Reply("We decided for plan B."),
        Reply(None, (Call(result="no", is_error=True),)),
    ],
    ids=["asked", "put in", "marked", "decided", "failed"],
)
def test_one_word_that_could_be_missed_is_enough_for_a_summary(step: Step) -> None:
    plan = auto(window_of(Ask(), *[Reply(QUIET * 9)] * 4, step, Ask("Now?")))
    assert plan.note == "picked sliding_window: the older part is mostly talk"
    assert plan.summaries


def test_where_nothing_is_old_enough_nothing_is_done() -> None:
    for window in (window_of(), window_of(Ask()), window_of(Summary(LONG * 9), Ask())):
        plan = auto(window, keep_recent=9)
        assert not plan.alters
        assert plan.note.startswith("picked sliding_window: nothing else is old enough; ")


def test_what_leaves_in_any_case_does_not_count() -> None:
    window = window_of(Ask(), *[Reply(QUIET * 9)] * 2, work("never"), work("never"), Ask("Now?"))
    assert auto(window).note.startswith("picked deletion: ")


def test_the_settings_of_the_plan_are_those_that_were_given_and_its_name_is_auto() -> None:
    plan = auto(window_of(Ask(), *[work(result=LONG)] * 3, Ask()), ratio=0.2, target=77)
    assert plan.strategy == "auto"
    assert plan.settings == {"keep_recent": 1, "ratio": 0.2, "target": 77, "state_tokens": 0}


@given(windows())
def test_the_note_always_names_one_of_the_three_and_the_pass_is_theirs(window: Window) -> None:
    plan = draft_plan(window, "auto", {"keep_recent": 2, "ratio": 0.5, "target": 60})
    name, _, _ = plan.note.removeprefix("picked ").partition(":")
    offered: dict[str, dict[str, Any]] = {
        "sliding_window": {"keep_recent": 2, "ratio": 0.5},
        "selective": {"keep_recent": 2, "ratio": 0.5, "target": 60},
        "deletion": {"keep_recent": 2},
    }
    sound = apply(window, draft_plan(window, "fifo", {"max_messages": 100_000}))
    same = draft_plan(sound, name, offered[name])
    assert plan.note.endswith(same.note)
    assert plan.has_failed == same.has_failed
    assert apply(window, plan).ids == (window if plan.has_failed else apply(sound, same)).ids
