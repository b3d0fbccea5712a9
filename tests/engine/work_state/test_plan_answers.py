"""What the approval of a plan ends: rules by which no work is done before, and the mode for planning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.engine.work_state import WorkHistory
from inspector.formats import load
from tests.engine.work_state.scripts import ROOT, Compact, Plan, Step, User, Write, followed, session_of
from tests.engine.work_state.test_consequences import FORMS

MOVE = "# Move the mails to a queue\n1. Write src/queue.py\n2. Write src/worker.py"
SUMMARY = Compact("Summary: the mails move to a queue.")
WORK = Write(f"{ROOT}/src/worker.py")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "rule",
    [
        "Look at how mails are sent and plan first, do not write code.",
        "Make a plan for the mails. Don't implement anything yet.",
        "Only a plan for now, no code changes.",
        "Don't change any files, just propose a plan.",
    ],
)
def test_an_approved_plan_ends_a_rule_by_which_no_work_is_done(tmp_path: Path, form: str, rule: str) -> None:
    script: tuple[Step, ...] = (User(rule), Plan(MOVE, True), SUMMARY, WORK)
    session = session_of(script, form, tmp_path)
    assert not followed(session)
    assert not WorkHistory(session).at_turn().of("rule")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("rule", "approved"),
    [
        ("Plan it first, do not write code.", False),
        ("Make a plan for the mails. Never change src/worker.py.", True),
    ],
)
def test_other_rules_and_those_before_a_refused_plan_stay(tmp_path: Path, form: str, rule: str, approved: bool) -> None:
    script: tuple[Step, ...] = (User(rule), Plan(MOVE, approved), SUMMARY, WORK)
    kinds = [one.kind for one in followed(session_of(script, form, tmp_path))]
    assert "rule_broken" in kinds


@pytest.mark.parametrize(("accepted", "mode"), [(True, ""), (False, "plan")])
def test_the_mode_for_planning_ends_with_the_approval(tmp_path: Path, accepted: bool, mode: str) -> None:
    session = session_of((User("Plan the mails."), Plan(MOVE, accepted)), "claude-code", tmp_path)
    path = Path(session.path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[0]["permissionMode"] = "plan"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (session,) = load(path)
    assert WorkHistory(session, MAIN).at_turn().text("mode", "permission") == mode
