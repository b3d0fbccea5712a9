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
        "Deployed to staging.",
        "The migration ran cleanly against the staging database.",
        "Type checking comes back clean.",
        "The security scan reported no findings.",
        "The certificate was renewed.",
        "Verified manually in the browser.",
        "The end-to-end suite passes.",
        "The load test passed.",
        "All checks are green in CI.",
        "The mails arrive in the inbox as expected.",
        "Accounting signed off on the new totals.",
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


@pytest.mark.parametrize(
    ("evidence", "statement"),
    [
        (Run("kubectl apply -f k8s/staging", "deployment.apps/api configured"), "Deployed to staging."),
        (Run("alembic upgrade head", "INFO Running upgrade a1 -> b2"), "The migration ran cleanly."),
        (Run("npx pa11y http://localhost:3000", "No issues found!"), "The accessibility audit found no issues."),
        (User("The nightly cron did its thing, no errors."), "The cron job ran fine overnight."),
        (User("Works on staging now, thanks."), "The deployment went through."),
        (Say("CI is through, second attempt."), "The pipeline went through on the second try."),
        (Run("npx playwright test", "12 passed"), "The end-to-end suite passes."),
        (Run("gh pr checks 12", "build pass 1m"), "All checks are green in CI."),
        (User("Accounting is fine with it."), "Accounting signed off on the new totals."),
        (Say("The reset mails arrive now, it works."), "The mails arrive in the inbox as expected."),
        (Run("curl -XPOST localhost:9200/_reindex", '{"failures": []}'), "The index was rebuilt."),
    ],
)
def test_result_that_was_brought_about_or_told_is_not_invented(
    evidence: Run | Say | User, statement: str, tmp_path: Path
) -> None:
    script = (*WORK, evidence, Compact(f"Round the totals of the cart.\n- {statement}\n"))
    transition = transition_of(session_of(script, "claude-code", tmp_path))
    assert [row.item for row in fates_of(transition) if row.fate == "invented"] == []


def test_the_state_that_a_summary_begins_with_is_not_invented(tmp_path: Path) -> None:
    block = "State of the work:\n- Do not carry out the plan “Move the queue”: the user has refused it.\n"
    assert _invented(f"{block}\nRound the totals of the cart.\n", tmp_path) == []


def test_outdated_sentence_of_a_message_is_repeated_and_not_invented(tmp_path: Path) -> None:
    said = "The test suite passes now, and the totals of the cart are 12 cents too low in both rows."
    script = (
        *WORK,
        Say(said),
        Run("pytest -q", "FAILED tests/test_cart.py::test_total\n1 failed, 1481 passed in 30.12s"),
    )
    for statement, count in ((said, 0), ("All tests pass.", 1)):
        transition = transition_of(session_of((*script, Compact(f"Totals.\n- {statement}\n")), "claude-code", tmp_path))
        assert sum(row.fate == "invented" for row in fates_of(transition)) == count


def test_a_title_within_a_line_ends_the_open_work_before_it(tmp_path: Path) -> None:
    summary = "In progress: round the totals. Last failure: none.{}Ann owns it. The fix was deployed to production."
    for separator in ("\n\n", " "):
        assert _invented(summary.format(separator), tmp_path) == ["The fix was deployed to production."]
