"""An error does not have to be remembered once the conversation shows that its failure is repaired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.core.conversation import Message, Session
from inspector.engine.facts import FactIndex, FactTracker, find_unmet_needs, kept_in
from tests.engine.work_state.scripts import Compact, Edit, Run, Say, Step, Tool, User, session_of

ASK = User("Make the berth planner round its tides, please.")
WORDS = "AssertionError: berth 7 expected 4.25 but got 4.3"
FAILED = Run("pytest tests/berths", f"tests/test_berths.py:31: {WORDS}\n1 failed", 1)
PASSED = Run("pytest tests/berths", "9 passed in 0.41s")
MISSING = "String to replace not found in file."
REPLACED = {"file_path": "berths.py", "old_string": "x", "new_string": "y"}


def errors(session: Session, count: int | None = None) -> list[str]:
    """The errors that have to be remembered after so many messages."""
    tracker = FactTracker(FactIndex(session))
    tracker.add(log_of(session)[:count])
    tracker.show(1, [])
    return [fact.text for fact, _ in tracker.facts("lost") if fact.cls == "error"]


def log_of(session: Session) -> Sequence[Message]:
    return [message for message in session.messages if message.kind != "summary"]


@pytest.mark.parametrize(
    ("steps", "is_remembered"),
    [
        ([FAILED, Edit("berths.py")], True),
        ([FAILED, PASSED], False),
        ([FAILED, PASSED, FAILED], True),
        ([FAILED, Run("cd /home/u/shop && pytest tests/berths 2>&1 | tail -4", "9 passed in 0.41s")], False),
        ([FAILED, Run("pytest", "212 passed in 8.02s")], False),
        ([FAILED, Run("pytest tests/cranes", "12 passed in 0.2s")], True),
        ([FAILED, Run("git status", "nothing to commit")], True),
        ([Run("pytest", FAILED.result, 1), Run("pytest tests/berths", "9 passed in 0.41s")], True),
        ([FAILED, Say(f"It fails with {WORDS}."), PASSED], True),
    ],
    ids=["open", "passed", "again", "written otherwise", "all", "others", "no check", "only a part", "told"],
)
@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_an_error_is_remembered_until_its_command_passes(
    steps: Sequence[Step], is_remembered: bool, form: str, tmp_path: Path
) -> None:
    session = session_of((ASK, *steps, Compact("The tides are rounded.")), form, tmp_path)
    assert any(WORDS in error for error in errors(session)) is is_remembered


def test_an_edit_that_failed_is_repaired_by_one_of_the_same_file(tmp_path: Path) -> None:
    failed = Tool("Edit", REPLACED, MISSING, error=True)
    other = Tool("Edit", REPLACED | {"file_path": "cranes.py"}, "The file cranes.py has been updated.")
    same = Tool("Edit", REPLACED, "The file berths.py has been updated.")
    assert MISSING in " ".join(errors(session_of((ASK, failed, other), "claude-code", tmp_path)))
    assert not errors(session_of((ASK, failed, same), "claude-code", tmp_path))


def test_an_error_counts_before_its_repair_and_not_after_it(tmp_path: Path) -> None:
    session = session_of((ASK, FAILED, Edit("berths.py"), PASSED), "claude-code", tmp_path)
    repair = len(session.messages)
    assert errors(session, repair - 1) and not errors(session, repair)


def test_what_is_over_is_no_loss_and_no_regret(tmp_path: Path) -> None:
    quoted = Say(f"Before the change, the run ended with\ntests/test_berths.py:31: {WORDS}")
    for steps, is_lost in ((FAILED, quoted), True), ((FAILED, PASSED, quoted), False):
        session = session_of((ASK, *steps), "claude-code", tmp_path)
        index, log = FactIndex(session), session.messages[:-1]
        tracker = FactTracker(index)
        tracker.add(log)
        tracker.show(1, log[:1])
        regret = find_unmet_needs(tracker, 2, session.messages[-1]).regret
        needs = regret.needs if regret else ()
        assert any(need.cls == "error" for need in needs) is is_lost
        assert ("error" in kept_in(index, log, log[:1]).classes) is is_lost


def test_an_index_that_grows_learns_of_the_repair(tmp_path: Path) -> None:
    session = session_of((ASK, FAILED, PASSED), "claude-code", tmp_path)
    failed = replace(session, messages=session.messages[:3])
    index = FactIndex(failed)
    assert not index.repaired.walk().before(9)
    assert index.extended(session.messages[3:]).repaired.walk().before(9)
