"""Items and fates as recorded sessions have them: descriptions, titles of plans, builds, and short rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.fates import StateFate, fates_of
from inspector.engine.work_state.instruction_rules import rules_of_instruction
from tests.engine.work_state.scripts import (
    ROOT,
    Compact,
    Edit,
    Run,
    Say,
    Skill,
    Step,
    Tasks,
    Tool,
    User,
    Where,
    Write,
    followed,
    session_of,
    transition_of,
)

FORM = "claude-code"


def _fates(folder: Path, *script: Step) -> dict[str, StateFate]:
    return {row.item: row for row in fates_of(transition_of(session_of(script, FORM, folder)))}


@pytest.mark.parametrize(
    "text",
    [
        "The CLI uses a specific pattern for output to avoid duplication.",
        "`root.go` sets `Silence: true` globally - Cobra never prints errors",
        "Does not modify the active branch",
        "The squash strategy never creates commits on the active branch.",
        "If `NUMBER` is empty, continue to Step 1c.",
    ],
)
def test_description_is_no_rule(text: str) -> None:
    assert rules_of_instruction(f"# Notes\n\n- {text}\n") == ()


@pytest.mark.parametrize("text", ["Claude never commits.", "You never push.", "Never create commits on main."])
def test_rule_for_the_agent_is_kept(text: str) -> None:
    assert rules_of_instruction(f"# Notes\n\n- {text}\n") == (text,)


def test_rule_about_words_is_broken_by_no_command(tmp_path: Path) -> None:
    script: tuple[Step, ...] = (
        Skill("github", "# GitHub\n\n- Never imply that GitHub Actions logs are available.\n"),
        Compact("Summary: look at the checks."),
        Run("git commit -m 'Require github_app'", ""),
    )
    assert followed(session_of(script, FORM, tmp_path)) == []


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        (
            "Found two approaches:\n\n1. Take a tokenizer\n2. Take the length\n\n"
            "I'd suggest taking the length only. Want me to do that?",
            "I'd suggest taking the length only.",
        ),
        ("I see. My proposal:\n\n1. Add a method\n2. Call it\n\nShall I go ahead?", "Add a method"),
        ("# Plan: Move the queue\n\n1. Add redis\n2. Call it\n\nShall I go ahead?", "Move the queue"),
    ],
)
def test_title_of_a_plan_is_what_it_suggests(reply: str, title: str, tmp_path: Path) -> None:
    script: tuple[Step, ...] = (User("How do we filter?"), Say(reply), User("yes, do it"), Compact("Summary: filter."))
    (plan,) = transition_of(session_of(script, FORM, tmp_path)).before.of("plan")
    assert (plan.text, plan.state) == (title, "approved")


@pytest.mark.parametrize(
    ("failing", "passing", "left"),
    [("go build ./...", "go test ./...", 0), ("npm run build", "npm test", 1), ("go build ./...", "go test ./cmd", 1)],
)
def test_tests_of_everything_settle_a_build_of_their_language(
    failing: str, passing: str, left: int, tmp_path: Path
) -> None:
    script: tuple[Step, ...] = (
        User("Fix it."),
        Run(failing, "a.go:1:2: undefined: agent", 1),
        Edit(f"{ROOT}/a.go"),
        Run(passing, "ok"),
        Compact("Summary: fixed."),
    )
    assert len(transition_of(session_of(script, FORM, tmp_path)).before.of("failure")) == left


def test_fate_of_a_task_names_the_statement_about_it(tmp_path: Path) -> None:
    def task(subject: str, number: int) -> tuple[Step, ...]:
        made = Tool("TaskCreate", {"subject": subject, "description": subject}, f"Task #{number} created successfully")
        return (made, Tool("TaskUpdate", {"taskId": str(number), "status": "completed"}, f"Updated task #{number}"))

    fates = _fates(
        tmp_path,
        User("Do the list."),
        *task("Update tests for save_all and save_one", 1),
        Tasks(
            (
                ("Phase 3: Register new commands", "completed"),
                ("Update write_all and related functions", "completed"),
                ("Rename save.py + test", "pending"),
                ("Read all changed files in PR #2", "completed"),
                ("Verify Shelf._load_all", "completed"),
                ("Simplify Shelf._load_all", "completed"),
            )
        ),
        Compact(
            "- Read all changed files: a.go, b.go\n**Phase 1 (Task #1): Tests**\n"
            "- Phase 3: Registered both in `group.py`\n- Updated `write_all()` for the format\n"
            "- I renamed load.py and its test myself\n- Agent b: save.py (completed, test too)\n"
            "- Updated `_load_all` to read by ids"
        ),
    )
    assert fates["Update tests for save_all and save_one"].after == "**Phase 1 (Task #1): Tests**"
    assert fates["Phase 3: Register new commands"].after == "- Phase 3: Registered both in `group.py`"
    assert fates["Update write_all and related functions"].after == "Updated `write_all()` for the format"
    assert fates["Read all changed files in PR #2"].after == "Read all changed files: a.go, b.go"
    assert fates["Simplify Shelf._load_all"].after == "Updated `_load_all` to read by ids"
    assert fates["Verify Shelf._load_all"].fate == "dropped"
    assert "save.py" in fates["Rename save.py + test"].after


def test_short_rule_and_short_failure_are_stated_by_their_words_only(tmp_path: Path) -> None:
    fates = _fates(
        tmp_path,
        Skill("review", "# Review\n\n- Do NOT commit.\n"),
        Run("go build ./...", "a.go:1:2: undefined: agent", 1),
        Compact(
            "Put add and commit into one line so that I won't approve both. The map of agent has undefined order."
            ' "Commit and continue" is permission for the next step, not for all.'
        ),
    )
    assert fates["Do NOT commit."].fate == "dropped"
    assert fates["a.go:1:2: undefined: agent"].fate == "dropped"


def test_plan_is_kept_by_a_statement_that_calls_it_a_plan(tmp_path: Path) -> None:
    title = "Simplify CheckpointSummary - Sessions Array"
    fates = _fates(
        tmp_path,
        User(f"Implement the following plan:\n\n# Plan: {title}\n\n1. Remove the counter\n2. Adapt the reader"),
        Compact("The user provided a plan to simplify the CheckpointSummary structure."),
    )
    assert fates[title].fate == "kept"


def test_a_folder_whose_path_begins_that_of_the_work_is_another_one(tmp_path: Path) -> None:
    script = (
        User(f"Write the report in {ROOT}-reports, that is a separate checkout."),
        Where(f"{ROOT}-reports", ""),
        Write(f"{ROOT}-reports/monthly.py"),
        Compact("The report sums orders by month."),
        Where(ROOT, ""),
        Edit(f"{ROOT}/monthly.py"),
    )
    assert [one.kind for one in followed(session_of(script, "codex", tmp_path))] == ["outside_folder"]
