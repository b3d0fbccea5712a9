"""The state of the work in the text that gives back what a compaction dropped."""

from __future__ import annotations

from pathlib import Path

from inspector.analysis.context_loss import restore
from tests.engine.work_state.scripts import Compact, Plan, Run, Say, Step, Tasks, User, session_of


def _restored(folder: Path, *script: Step) -> list[str]:
    restored = restore(session_of(script, "claude-code", folder))
    assert restored is not None
    return [step.text for step in restored.used]


def test_refused_plan_and_dropped_task_are_given_back_although_the_summary_states_them(tmp_path: Path) -> None:
    lines = _restored(
        tmp_path,
        Tasks((("Delete the coupon table", "pending"), ("Test the refunds", "pending"))),
        Plan("# Move the queue to Redis\n1. Add redis to pyproject.toml\n2. Write src/redis_queue.py", False),
        User("Do not delete the coupon table, skip that point."),
        Compact("Move the queue to Redis. Pending: delete the coupon table; test the refunds."),
    )
    (plan,) = (line for line in lines if line.startswith("Plan, "))
    assert "“Move the queue to Redis”" in plan and plan.endswith(": not to be carried out")
    assert "Task, turn 3: “Delete the coupon table”, dropped: not to be carried out" in lines


def test_place_and_floor_come_before_the_rest_of_the_state(tmp_path: Path) -> None:
    lines = _restored(
        tmp_path,
        User("Start the server. Never touch the fuse box."),
        Tasks((("Round the totals", "in_progress"),)),
        Plan("# Move the queue to Redis\n1. Add src/redis.py", False),
        Run("npm run dev", background="b1"),
        User("Now the rounding, please, and nothing else."),
        Say("Round per line or round per order. Which one do you want?"),
        Compact("Summary: rounding."),
    )
    places = [
        next(at for at, line in enumerate(lines) if line.startswith(start))
        for start in (
            "Where",
            "State",
            "Agent",
            "User, turn 4: request",
            "User, turn 1: rule",
            "Task",
            "Plan",
            "Running",
        )
    ]
    assert places == sorted(places)


def test_choices_are_decisions_and_comparisons_are_not(tmp_path: Path) -> None:
    lines = _restored(
        tmp_path,
        User("Round the totals of the shop."),
        Say("The test fails with 180 instead of 120. The shop now rounds per order instead of per line."),
        User("Go on."),
        Compact("Summary: rounding."),
    )
    (decision,) = (line for line in lines if line.startswith("Agent, ") and " instead of " in line)
    assert "rounds per order instead of per line" in decision and "180" not in decision
