"""Answers that take a part of a proposal, or one of several ways, refuse the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.picked_steps import left_out, named_steps, passed_over
from inspector.engine.work_state.work_plans import offered_in, steps_of_plan
from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Say, Step, User, followed, session_of

COMPACTION = Compact("Summary: the gate is to be made quieter.")
OPTIONS = "There are two options:\n1. Replace the motor by a hydraulic one\n2. Grease the hinges"
PARTS = "I'd do it in two parts: first grease the hinges, then replace the motor by a hydraulic one."
PROPOSALS: tuple[tuple[str, str, Step, Step], ...] = (
    (OPTIONS, "2 please.", Edit(f"{ROOT}/motor/hydraulic.py"), Edit(f"{ROOT}/hinges.py")),
    (PARTS, "Skip the hydraulic motor, greasing the hinges is fine.", Edit(f"{ROOT}/motor/hydraulic.py"), Run("ls")),
    (
        "Option A greases the hinges, option B installs a hydraulic motor.",
        "Go with A.",
        Edit(f"{ROOT}/motor/hydraulic.py"),
        Edit(f"{ROOT}/hinges.py"),
    ),
    (
        "Plan: 1. grease the hinges 2. install a hydraulic motor 3. measure the noise",
        "Do 1 and 3, leave 2 out.",
        Edit(f"{ROOT}/motor/hydraulic.py"),
        Edit(f"{ROOT}/noise/measure.py"),
    ),
    (
        "I read the drawings. Do you want me to install a hydraulic motor?",
        "Please don't.",
        Edit(f"{ROOT}/motor/hydraulic.py"),
        Edit(f"{ROOT}/drawings.md"),
    ),
)


@pytest.mark.parametrize(("proposal", "answer", "refused", "taken"), PROPOSALS)
def test_only_what_an_answer_leaves_out_is_a_refused_plan(
    proposal: str, answer: str, refused: Step, taken: Step, tmp_path: Path
) -> None:
    for step, wanted in ((refused, ["refused_plan_carried_out"]), (taken, [])):
        script = (
            User("Make the gate quieter."),
            Say(proposal),
            User(answer),
            Run("ls"),
            COMPACTION,
            step,
            Say("Done."),
        )
        rows = followed(session_of(script, "claude-code", tmp_path))
        assert [row.kind for row in rows] == wanted, (answer, step)


def test_an_answer_that_takes_or_refuses_the_whole_leaves_no_part_out() -> None:
    steps = steps_of_plan("- First grease the hinges, then replace the motor.")
    assert steps == ["First grease the hinges", "replace the motor."]
    for answer in ("Go ahead.", "No, leave the gate as it is.", "Is 2 expensive?", "It takes 2 hours at most."):
        assert not (left_out(answer, steps) or passed_over(answer, OPTIONS) or named_steps(answer, steps)), answer


def test_what_is_offered_begins_with_the_offer() -> None:
    assert offered_in("I read the drawings. Do you want me to grease it?") == "- Do you want me to grease it?"
