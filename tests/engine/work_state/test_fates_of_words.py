"""A summary keeps the state of the work by what it says, not by the words in it."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from inspector.engine.work_state import Transition, fates_of
from inspector.llm.providers import text_message
from tests.engine.work_state.scripts import Compact, Edit, Run, Say, Step, Tasks, User, session_of, transition_of

SUMMARY = """\
## Request
The user wants late fees on overdue loans of the village library, with a cap of ten crowns.
Never charge children under twelve, their cards are marked blue.

## Done
- Added the column `fee_cents` to the loan table with a migration.
- Wrote the fee calculator in `fees/calculator.py`, which rounds down to whole crowns.
- Documented the opening hours on the notice board page.

## Pending
- Send reminder letters two days before a loan ends.
- Translate the receipt printer messages to Welsh.
- Repair the barcode reader on the upper floor desk.

## Errors
The last run of `pytest tests/receipts` failed: the receipt printer rejects the Welsh circumflex.
"""
BEGIN: tuple[Step, ...] = (
    User("Add late fees on overdue loans of the village library. Never charge children under twelve."),
    Tasks(
        (
            ("Add the column fee_cents to the loan table", "completed"),
            ("Write the fee calculator in fees/calculator.py", "completed"),
            ("Document the opening hours on the notice board page", "completed"),
            ("Send reminder letters two days before a loan ends", "in_progress"),
            ("Translate the receipt printer messages to Welsh", "pending"),
            ("Repair the barcode reader on the upper floor desk", "pending"),
        )
    ),
    Edit("fees/calculator.py", "fee_cents = max(0, days) * 10"),
    Run("pytest tests/receipts", "AssertionError: the receipt printer rejects the Welsh circumflex", 1),
    Say("I look at the printer next."),
)
NAMES = "fee_cents, fees/calculator.py, pytest, tests/receipts, twelve, Welsh, loan, receipt, printer, barcode, library"


def kept(transition: Transition, summary: str) -> int:
    message = text_message("s", "user", summary, "anthropic", kind="summary")
    rows = fates_of(replace(transition, summary=message))
    return sum(row.fate == "kept" for row in rows if row.part not in ("where", "file"))


@pytest.mark.parametrize("form", ["claude-code", "codex"])
@pytest.mark.parametrize("keeps_lines", [True, False])
def test_the_order_of_meaning(form: str, keeps_lines: bool, tmp_path: Path) -> None:
    transition = transition_of(session_of((*BEGIN, Compact(SUMMARY), Say("Writing the letters.")), form, tmp_path))
    whole, names, hollow = (kept(transition, text) for text in (SUMMARY, NAMES, "Work continues."))
    assert whole >= 8
    mixed = []
    for seed in range(20):
        words = SUMMARY.split()
        random.Random(seed).shuffle(words)
        gaps = re.split(r"\S+", SUMMARY) if keeps_lines else [" "] * (len(words) + 1)
        mixed.append("".join(chain.from_iterable(zip(gaps, [*words, ""], strict=True))))
    counts = [kept(transition, text) for text in mixed]
    assert max(counts) < whole and 2 * sum(counts) < len(counts) * whole, counts
    assert sum(counts) >= len(counts) * names >= len(counts) * hollow
    assert whole - hollow >= 8


def test_another_order_of_a_few_words_is_the_same_statement(tmp_path: Path) -> None:
    script = (*BEGIN, Compact(SUMMARY), Say("Writing the letters."))
    transition = transition_of(session_of(script, "claude-code", tmp_path))
    text = "Open: the barcode reader on the upper floor desk needs repair. Two days before a loan ends, send letters."
    message = text_message("s", "user", text, "anthropic", kind="summary")
    rows = {row.item: row.fate for row in fates_of(replace(transition, summary=message))}
    assert rows["Repair the barcode reader on the upper floor desk"] == "kept"
    assert rows["Translate the receipt printer messages to Welsh"] == "dropped"


def test_results_state_that_checks_ran_and_parts_of_names_state_nothing(tmp_path: Path) -> None:
    tasks = Tasks(
        (("Run CI verification", "completed"), ("Run the linter", "pending"), ("Review loans/desk.py", "completed"))
    )
    summary = "The loan tests now pass.\nReviewed loans/front_desk.py, which renews loans."
    script = (User("Go."), tasks, Compact(summary), Say("Next."))
    rows = fates_of(transition_of(session_of(script, "claude-code", tmp_path)))
    assert {row.item: row.fate for row in rows if row.part == "task"} == {
        "Run CI verification": "kept",
        "Run the linter": "dropped",
        "Review loans/desk.py": "dropped",
    }


def test_an_enumeration_states_each_of_its_tasks(tmp_path: Path) -> None:
    tasks = (("Add the REWIND command (opens a picker)", "completed"), ("Add the TRACE command", "pending"))
    summary = Compact("Added three commands: `RESUME`, `REWIND`, `EXPLAIN`\nNothing else was begun in this session.")
    transition = transition_of(session_of((User("Go."), Tasks(tasks), summary), "claude-code", tmp_path))
    fates = {row.item: row.fate for row in fates_of(transition) if row.part == "task"}
    assert [fates[name] for name, _ in tasks] == ["kept", "dropped"]


@pytest.mark.parametrize(
    ("point", "fate"),
    [
        ("## Pending\n- Rewrite the loan importer with threads.", "revived"),
        ("The user approved rewriting the loan importer with threads.", "revived"),
        ("## Pending\n- Ask whether to rewrite the loan importer with threads.", "dropped"),
        ("## Done\n- Rewrote the loan exporter with threads.", "dropped"),
        ("## Pending\n- Do not rewrite the loan importer with threads.", "kept"),
    ],
)
def test_forbidden_work_that_a_summary_plans_is_revived(point: str, fate: str, tmp_path: Path) -> None:
    rule = User("Do not rewrite the loan importer with threads. Fix the fees first.")
    script = (*BEGIN, rule, Say("I fix the fees."), Compact(f"Late fees on overdue loans are added.\n{point}\n"))
    rows = fates_of(transition_of(session_of(script, "claude-code", tmp_path)))
    assert [row.fate for row in rows if row.part == "rule" and "threads" in row.item] == [fate]


def test_rule_is_stated_by_its_main_clause(tmp_path: Path) -> None:
    rule = User("The ledger must stay as docs/ledger.md has it, margins, headers and page numbers included.")
    summary = "Late fees on overdue loans are added.\n- The ledger must stay as docs/ledger.md has it; it is old.\n"
    script = (*BEGIN, rule, Say("I fix the fees."), Compact(summary))
    rows = fates_of(transition_of(session_of(script, "claude-code", tmp_path)))
    assert [row.fate for row in rows if row.part == "rule" and "ledger" in row.item] == ["kept"]


@pytest.mark.parametrize(
    ("rule", "statement", "fate"),
    [
        ("Never publish to the registry.", "You may publish to the registry once it builds.", "revived"),
        ("Do not restart the card printer.", "The card printer can be restarted freely.", "revived"),
        ("Don't edit fees/rates.csv.", "The agent is allowed to edit fees/rates.csv.", "revived"),
        ("Never publish to the registry.", "The agent may not publish to the registry.", "kept"),
        ("Do not restart the card printer.", "The barcode reader may be restarted.", "dropped"),
        ("Never publish to the registry.", "Ask whether publishing to the registry is allowed.", "dropped"),
    ],
)
def test_a_statement_that_allows_what_a_rule_forbids_revives_it(
    rule: str, statement: str, fate: str, tmp_path: Path
) -> None:
    script = (User(f"Print the cards of new readers. {rule}"), Run("ls", "cards\nfees"), Say("I see the cards."))
    summary = Compact(f"Request: print the cards of new readers.\n{statement}")
    rows = fates_of(transition_of(session_of((*script, summary), "claude-code", tmp_path)))
    assert [row.fate for row in rows if row.part == "rule"] == [fate]
