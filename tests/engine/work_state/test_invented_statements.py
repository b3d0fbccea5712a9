"""Statements of a summary that nothing before it states: rules, counts, measured values and wishes of the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.fates import fates_of
from tests.engine.work_state.scripts import ROOT, Compact, Edit, Run, Say, User, session_of, transition_of

WORK = (
    User('Round the totals of the cart. It says "the total is off by one cent" in the ticket.'),
    Run("cat src/totals.py", "def total(rows):\n    return sum(row.amount for row in rows)\n" * 40),
    Edit(f"{ROOT}/src/totals.py", "return round(sum(row.amount for row in rows), 2)"),
    Run("pytest -q", "1,482 passed in 31.75s\nTOTAL coverage 88.41%"),
    Say("The totals are rounded. I could also double-check the invoices, or leave them as they are."),
    User("now double check it, please don't touch the invoices"),
)


def _invented(summary: str, folder: Path) -> list[str]:
    transition = transition_of(session_of((*WORK, Compact(summary)), "claude-code", folder))
    return [row.item.removeprefix("- ") for row in fates_of(transition) if row.fate == "invented"]


@pytest.mark.parametrize(
    "statement",
    [
        "Constraint: never rename exported functions of the billing module.",
        "Always ask before a payment table is changed.",
        "All tests pass (4,817 passed).",
        "The suite reports 3911 tests passed.",
        "Coverage is at 93.27 % now.",
        "The job takes 12.5 s.",
        "The user asked not to push anything before the release notes are approved.",
        "The user does not want any new dependencies.",
        "The user wants the cache directory encrypted with AES before the next release.",
    ],
)
def test_statement_that_nothing_states_is_invented(statement: str, tmp_path: Path) -> None:
    assert _invented(f"Round the totals of the cart.\n- {statement}\n", tmp_path) == [statement]


@pytest.mark.parametrize(
    "statement",
    [
        "Rule: don't touch the invoices of the cart.",
        "All tests pass (1482 passed).",
        "Coverage is at 88.41 % now.",
        "The user asked not to touch the invoices.",
        'The user said "the total is off by one cent" - not a problem of the database or the network.',
        "The user asked for a double-check to ensure that no issues remained.",
        "The user asked to show the rounded totals of the cart when there is no cent left.",
    ],
)
def test_statement_that_the_conversation_makes_is_not_invented(statement: str, tmp_path: Path) -> None:
    assert _invented(f"Round the totals of the cart.\n- {statement}\n", tmp_path) == []
