"""Windows that are hardly any, and settings at their ends: every strategy has an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.window.plan import apply
from inspector.engine.window.window import Window
from tests.engine.strategies.passes import refusals, spoke_last
from tests.generated import LONG, Ask, Inject, Notice, Reply, Step, Stray, Summary, System, window_of, work

ODD: Mapping[str, tuple[Step, ...]] = {
    "empty": (),
    "only a notice": (Notice(),),
    "only a system message": (System(),),
    "only a request": (Ask(),),
    "only tools": (work(result=LONG * 3), work("now", "now", result=LONG)),
    "only a call that waits": (work("never"),),
    "only results of nothing": (Stray(), Stray("elsewhere")),
    "only replies": (Reply(LONG), Reply(LONG), Reply("Done.")),
    "only a summary": (Summary(LONG * 4),),
    "no request": (Inject(LONG), work(result=LONG * 3), Reply(LONG), work(result=LONG * 3)),
    "nothing but a summary and tools": (Summary(LONG * 4), work(result=LONG * 3), work(result=LONG * 3)),
}


def ends(name: str, *, low: bool) -> dict[str, Any]:
    """Every setting of a strategy that is a number, at one of its ends."""
    knobs = [item for item in STRATEGIES[name].knobs if item.high > item.low]
    return {item.name: item.clamp(item.low if low else item.high) for item in knobs}


@pytest.mark.parametrize("low", [True, False], ids=["lowest", "highest"])
@pytest.mark.parametrize("name", sorted(STRATEGIES))
@pytest.mark.parametrize("steps", ODD.values(), ids=ODD)
def test_every_strategy_has_a_plan_for_it(steps: tuple[Step, ...], name: str, low: bool) -> None:
    window = window_of(*steps)
    after = apply(window, draft_plan(window, name, ends(name, low=low)))
    assert after.total <= window.total
    assert list(refusals(after.messages, spoke_last(window.messages))) == []
    assert after.messages or len(window.groups.orphans) == len(window.messages)


@pytest.mark.parametrize("name", sorted(STRATEGIES))
@pytest.mark.parametrize(
    "kept", ["only a system message", "only a request", "only a call that waits", "only a summary"]
)
def test_what_may_not_leave_does_not_leave_though_it_is_all_there_is(kept: str, name: str) -> None:
    window = window_of(*ODD[kept])
    plan = draft_plan(window, name, ends(name, low=True))
    assert not plan.alters
    assert apply(window, plan).messages == window.messages


WORK: tuple[Step, ...] = (
    System(),
    Ask(LONG),
    *(work("now", "now", result=f"{number} {LONG * 9}", content=LONG) for number in range(8)),
    Reply(LONG, thinking="Let me see."),
    Ask("And now?"),
)


SOME_CONTENT = {"dedupe", "clear_thinking"}
"""Strategies that remove some kinds of content only, so that any window may be too large after them."""


@pytest.mark.parametrize("name", sorted(STRATEGIES.keys() - {"dedupe"}))
def test_huge_settings_leave_everything_as_it_is(name: str) -> None:
    window = window_of(*WORK)
    plan = draft_plan(window, name, ends(name, low=False))
    assert not plan.alters
    assert apply(window, plan).messages == window.messages


@pytest.mark.parametrize("name", sorted(STRATEGIES.keys() - SOME_CONTENT))
def test_the_lowest_settings_leave_less(name: str) -> None:
    window = window_of(*WORK)
    after = apply(window, draft_plan(window, name, ends(name, low=True)))
    assert after.total < window.total / 2
    assert after.ids[:2] == ("m0", "m1") and after.ids[-1] == window.ids[-1]


def test_the_settings_that_a_strategy_starts_with_suit_any_window() -> None:
    windows: list[Window] = [window_of(*steps) for steps in (*ODD.values(), WORK)]
    for name in STRATEGIES:
        for window in windows:
            plan = draft_plan(window, name)
            assert apply(window, plan).total <= window.total
            for knob in STRATEGIES[name].knobs:
                if knob.high > knob.low:
                    assert knob.low <= plan.settings[knob.name] <= knob.high
