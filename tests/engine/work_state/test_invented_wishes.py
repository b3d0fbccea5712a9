"""Wishes, approvals and words that a summary attributes to a user."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state import fates_of
from tests.engine.work_state.scripts import Compact, Plan, Run, Say, Step, User, session_of, transition_of
from tests.engine.work_state.test_consequences import FORMS

BEFORE: tuple[Step, ...] = (
    User("Make the mails faster. Never push. Use a queue if you like."),
    Plan("# Send mails with Kafka\n1. Add kafka\n2. Write src/bus.py", False),
    User("Good. Look at the footer next."),
    *(Run(f"cat src/mail_{number}.py", "import mails\n" * 40) for number in range(4)),
    Say("The footer is ready, and the queue holds mails now."),
)


def invented(summary: str, form: str, folder: Path) -> list[str]:
    session = session_of((*BEFORE, Compact(summary)), form, folder)
    return [fate.item for fate in fates_of(transition_of(session)) if fate.fate == "invented"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "statement",
    [
        "The user asked to use RabbitMQ for this.",
        "The user asked to push when ready.",
        "Pending: rotate certificates as requested by the user",
        "Pending: rotate certificates at the user's request",
        "The user approved the plan to move to Kafka.",
        'User messages: "Never mind the newsletter."',
    ],
)
def test_what_the_user_never_said_is_invented(tmp_path: Path, form: str, statement: str) -> None:
    assert len(invented(f"Summary: mails.\n{statement}", form, tmp_path)) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "statement",
    [
        "The user asked to use a queue.",
        "The user asked not to push.",
        "The user does not want to push.",
        "Pending: look at the footer as requested by the user",
        'User messages: "Good. Look at the footer next."',
        'User messages: "[long text] Look at the footer next..."',
        "The user has to approve the plan.",
    ],
)
def test_what_the_user_said_is_not_invented(tmp_path: Path, form: str, statement: str) -> None:
    assert invented(f"Summary: mails.\n{statement}", form, tmp_path) == []
