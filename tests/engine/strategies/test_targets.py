"""Targets are met, or the plan says what stands in the way; and a tighter one never leaves more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message
from inspector.engine.strategies import STRATEGIES, Services, draft_plan
from inspector.engine.window import Window, at_turn
from inspector.engine.window.plan import apply
from inspector.formats import load
from inspector.llm.tokens.sizes import estimate_sizes
from tests.generated import LONG, Ask, Call, Reply, Step, window_of, windows, work
from tests.places import SESSIONS

TARGETS = {name: knob.name for name, strategy in STRATEGIES.items() for knob in strategy.knobs if knob.role == "target"}
"""The setting of each strategy that has a target."""
by_target = pytest.mark.parametrize("name", TARGETS)


def left(window: Window, name: str, target: int, **settings: Any) -> int:
    """Tokens that a strategy leaves; where they are more than the target, the plan has to say why."""
    plan = draft_plan(window, name, {TARGETS[name]: target, **settings})
    total = apply(window, plan).total
    assert total <= target or plan.note
    return total


@given(window=windows(), targets=st.lists(st.integers(0, 3_000), min_size=2, max_size=5))
def test_a_tighter_target_never_leaves_more(window: Window, targets: list[int]) -> None:
    for name in TARGETS:
        totals = [left(window, name, target) for target in sorted(targets)]
        assert totals == sorted(totals), name


@by_target
@pytest.mark.parametrize("file", ["research.json", "coding-agent.jsonl", "support-ticket.json", "three-agents.jsonl"])
def test_nor_on_the_sample_sessions(name: str, file: str) -> None:
    for session in load(SESSIONS / file):
        window = at_turn(session, estimate_sizes(session))
        targets = [int(window.total * 0.9**notch) for notch in range(0, 40, 2)]
        totals = [left(window, name, target) for target in targets]
        assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize("name", ["selective", "summarize_half", "auto", "pipeline", "token_window", "importance"])
def test_a_target_that_can_be_met_is_met(name: str) -> None:
    (session,) = load(SESSIONS / "research.json")
    window = at_turn(session, estimate_sizes(session))
    floor = left(window, name, 0)
    for target in (window.total // 2, 2 * floor, floor + 200, floor):
        assert left(window, name, target) <= target


TALK: tuple[Step, ...] = (Ask("The task."), *(Reply(f"{number} {LONG * 9}") for number in range(30)), Ask("Now?"))


@pytest.mark.parametrize("factor", [1.0, 1.4, 1.76])
def test_a_summary_is_sized_in_the_tokens_of_the_session(factor: float) -> None:
    """A model's own tokens may be many more than those that its texts are counted with."""
    raw = window_of(*TALK)
    sizes = replace(raw.sizes, factor=factor, tokens=[round(factor * tokens) for tokens in raw.sizes.tokens])
    window = replace(raw, sizes=sizes, tokens=tuple(round(factor * tokens) for tokens in raw.tokens))

    def fill(_messages: Sequence[Message], target: int, _count: Callable[[str], int]) -> str:
        return "x" * 4 * target

    few: dict[str, dict[str, Any]] = {
        "selective": {"keep_recent": 1},
        "pipeline": {"stages": "sliding_window keep_recent=1"},
        "summarize_half": {},
    }
    for name, settings in few.items():
        target = window.total // 3
        after = apply(window, draft_plan(window, name, {TARGETS[name]: target, **settings}, Services(fill)))
        assert after.total <= target


def test_the_target_of_a_pipeline_reaches_its_last_stage() -> None:
    window = window_of(*TALK)
    settings = {"stages": "dedupe; sliding_window keep_recent=1 ratio=0.9", "target": window.total // 4}
    plan = draft_plan(window, "pipeline", settings)
    assert apply(window, plan).total <= window.total // 4
    assert not plan.note


LINE = "a line of it\n"
PLAIN = "The orders of May stand in the table, one row for each, with the day and the place. "
WORK: tuple[Step, ...] = (
    Ask("The task."),
    *(Reply(f"Plain talk about number {number}, which nobody needs. {PLAIN * 3}") for number in range(4)),
    *(work(content=f"Looking at {number}.", result=f"{number} {LINE * 400}") for number in range(8)),
    Reply(f"It is CRITICAL that the table stays. {PLAIN}"),
    Reply(None, (Call(result="Error: the disk is full", is_error=True),)),
    Ask("And now?"),
)
"""m0 task; m1 to m4 talk; m5 to m20 calls and results; m21 marked; m22 a call, m23 its error; m24 request."""


def test_selective_loses_in_steps_and_what_is_marked_last_of_all() -> None:
    window = window_of(*WORK)
    seen: list[tuple[int, ...]] = []
    for target in range(window.total, 0, -10):
        fates = draft_plan(window, "selective", {"target": target, "keep_recent": 1}).by_id
        talk, tools, marked = ([f"m{i}" for i in places] for places in (range(1, 5), range(5, 21), range(21, 24)))
        counts = tuple(sum(fates[name].kind == "summarised" for name in names) for names in (talk, tools, marked))
        seen.append(counts)
        assert counts[0] == 4
        assert not counts[2] or counts[1] == 16
        assert not counts[1] or all(fates[name].kind in ("masked", "summarised") for name in tools[1::2])
    assert {counts[1] for counts in seen} >= {0, 8, 16}
    assert {counts[2] for counts in seen} >= {0, 3}


def test_selective_keeps_every_call_and_result_where_it_is_told_to() -> None:
    window = window_of(*WORK)
    for target in (window.total, window.total // 3, 0):
        plan = draft_plan(window, "selective", {"target": target, "keep_recent": 1, "tools_always": True})
        assert all(plan.by_id[f"m{place}"].kind == "kept" for place in range(5, 21))
        assert apply(window, plan).total <= target or "tool calls and their results" in plan.note


@pytest.mark.parametrize("said", [Ask("Error: the disk is full."), Reply("The build failed: no such file."), work()])
def test_selective_keeps_errors_whoever_says_them(said: Step) -> None:
    said = work(result="Traceback (most recent call last):\n  ValueError: no row") if said == work() else said
    window = window_of(Ask("The task."), said, Reply(PLAIN * 9), Ask("And now?"))
    plan = draft_plan(window, "selective", {"keep_recent": 1, "tools": False, "target": 100_000})
    assert plan.by_id["m1"].reason == "reports an error"
    assert plan.counts["summarised"] == 1


@given(
    window=windows(),
    targets=st.lists(st.integers(0, 2_000), min_size=2, max_size=6),
    keep_recent=st.integers(0, 6),
    ratio=st.floats(0.01, 0.9),
    tools=st.booleans(),
    tools_always=st.booleans(),
)
def test_selective_is_monotone_and_a_second_pass_takes_nothing_out(
    window: Window, targets: list[int], **settings: Any
) -> None:
    totals = [left(window, "selective", target, **settings) for target in sorted(targets)]
    assert totals == sorted(totals)
    for target, total in zip(sorted(targets), totals, strict=True):
        once = apply(window, draft_plan(window, "selective", {"target": target, **settings}))
        assert apply(once, draft_plan(once, "selective", {"target": target, **settings})).total == total
