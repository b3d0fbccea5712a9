"""The state of the work before a summary: bounded, inside the budget, and not carried on when it is outdated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Message
from inspector.engine.strategies import STRATEGIES, Services, check_strategy, draft_plan
from inspector.engine.window import apply, at_turn, problems
from inspector.engine.work_state import without_block
from inspector.llm.tokens import estimate_sizes
from tests.engine.work_state.scripts import Edit, Run, Say, Step, Tasks, User, session_of

TASKS = (("Add the tax table", "completed"), ("Delete the old rates", "in_progress"))
TALK = " ".join(f"The rate of country number {number} is {number} percent." for number in range(120))
SCRIPT: tuple[Step, ...] = (
    User("Add taxes to the shop. Never push to main."),
    Tasks(TASKS),
    Run("npm run dev", "Command running in background with ID: d3v01", background="d3v01"),
    *(Say(TALK), User("Go on.")) * 6,
    Edit("/home/u/shop/tax.py"),
    Say("Done."),
    User("Now the invoices, please: all of them since May."),
    Say("Working on it."),
    User("Which ones are left?"),
)
SUMMARISING: dict[str, dict[str, Any]] = {
    "sliding_window": {},
    "selective": {},
    "summarize_half": {},
    "auto": {},
    "head_tail": {"middle": "summarised", "tail": 2},
    "amortized": {"forgotten": "summarised", "limit": 8},
    "pipeline": {"stages": "sliding_window keep_recent=2 state_tokens=300"},
}


def test_every_summary_can_begin_with_the_state(tmp_path: Path) -> None:
    session = session_of(SCRIPT, "claude-code", tmp_path)
    window = at_turn(session, estimate_sizes(session), None)
    for name, values in SUMMARISING.items():
        knobs = {knob.name for knob in STRATEGIES[name].knobs}
        recent: dict[str, Any] = {"keep_recent": 2} if "keep_recent" in knobs else {}
        state: dict[str, Any] = {"state_tokens": 300} if "state_tokens" in knobs else {}
        plan = draft_plan(window, name, values | recent | state)
        twin = draft_plan(window, name, values | recent | state)
        (summary,) = plan.summaries
        assert twin.summaries[0].text == summary.text
        block = summary.text.removesuffix(without_block(summary.text))
        assert block.startswith("State of the work:"), name
        assert window.sizes.counter.count(block) <= 300
        for words in ("Never push to main", "npm run dev", "d3v01", "[~] Delete the old rates"):
            assert words in block, (name, words, block)
        after = apply(window, plan)
        is_kept = any("Which ones are left?" in message.text for message in after.messages if message.kind == "chat")
        assert ("Which ones are left?" in block) is not is_kept, name
        assert after.total < window.total and not problems(after)
        bare = draft_plan(window, name, values | recent | dict.fromkeys(state, 0))
        if state:
            assert "State of the work:" not in bare.summaries[0].text
            assert after.total <= apply(window, bare).total + 300


def test_the_state_is_part_of_the_target_and_replaces_an_earlier_one(tmp_path: Path) -> None:
    asked: list[tuple[str, int, int]] = []

    def summarise(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        text = "\n".join(message.text for message in messages if message.kind == "summary")
        asked.append((text, target, count("x")))
        return f"Summary {len(asked)}."

    session = session_of(SCRIPT, "claude-code", tmp_path)
    window = at_turn(session, estimate_sizes(session), None)
    services = Services(summarise)
    small, values = {"keep_recent": 12, "ratio": 0.3}, {"state_tokens": 300}
    draft_plan(window, "sliding_window", small, services)
    plan = draft_plan(window, "sliding_window", small | values, services)
    block = plan.summaries[0].text.removesuffix("Summary 2.")
    assert asked[0][1] - asked[1][1] == window.sizes.counter.count(block) > 20
    again = draft_plan(apply(window, plan), "sliding_window", {"keep_recent": 2} | values, services)
    assert asked[2][0] == "Summary 2."
    assert again.summaries[0].text.count("State of the work:") == 1
    assert again.summaries[0].text.endswith("Summary 3.")
    empty = draft_plan(window, "sliding_window", small | values, Services(lambda *_: ""))
    assert empty.has_failed and not empty.alters


@pytest.mark.parametrize("name", ["sliding_window", "selective"])
def test_the_invariants_hold_with_the_state(name: str) -> None:
    check_strategy(STRATEGIES[name], seed=400, rounds=6)
