"""Rules about commit messages, the order of work, reading and exceptions, and rules that the user lifts later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import (
    ROOT,
    Compact,
    Edit,
    Plan,
    Run,
    Say,
    Step,
    Tool,
    User,
    Write,
    followed,
    session_of,
)

COMPACTION = Compact("Summary: the work goes on.")
RULES: tuple[tuple[str, Step, Step], ...] = (
    (
        "Every commit subject starts with the ticket number.",
        Run("git commit -am 'Speed up the cart'"),
        Run("git commit -am 'SHOP-12: speed up the cart'"),
    ),
    (
        "Commit messages follow Conventional Commits.",
        Run("git commit -m 'Improve the cart'"),
        Run("git commit -m 'feat(cart): keep the coupon'"),
    ),
    (
        "Commit messages are single line, no body.",
        Run("git commit -am 'Evict entries' -m 'They are older than an hour.'"),
        Run("git commit -am 'Evict entries'"),
    ),
    (
        "Commit subjects have at most 40 characters.",
        Run("git commit -am 'Add the export of all invoices as CSV and XLSX'"),
        Run("git commit -am 'Add the export of invoices'"),
    ),
    (
        "Don't even read .env.production, it has live keys.",
        Run("cat .env.production"),
        Run("cat .env.example"),
    ),
    (
        "Never open the files in private/, not even for reading.",
        Tool("Read", {"file_path": f"{ROOT}/private/pay.csv"}, "x"),
        Tool("Read", {"file_path": f"{ROOT}/src/pay.py"}, "x"),
    ),
    ("Update all dependencies except django.", Run("pip install django==6.0"), Run("pip install flask==4.0")),
    ("Delete all branches apart from release/2.", Run("git branch -D release/2"), Run("git branch -D topic/a")),
    (
        "Take a dump before any schema change.",
        Run("psql -c 'ALTER TABLE orders DROP COLUMN a'"),
        Run("pg_dump shop > /tmp/shop.sql && psql -c 'ALTER TABLE orders DROP COLUMN a'"),
    ),
    ("Please abstain from reformatting files.", Run("prettier --write src"), Run("prettier --check src")),
    (
        "The Makefile belongs to the platform team, so ask them before editing it.",
        Edit(f"{ROOT}/Makefile"),
        Edit(f"{ROOT}/src/make.py"),
    ),
)
LIFTED: tuple[tuple[str, str, Step], ...] = (
    ("No pushing today.", "CI should see this, so get the branch up to origin.", Run("git push origin topic/a")),
    ("Please do not commit.", "I looked through it. Put it in git.", Run("git commit -am 'A'")),
    (
        "The staging database is off limits for you.",
        "Ops agreed: run the cleanup on staging.",
        Run("psql $STAGING -c 'delete from jobs'"),
    ),
    ("No new files please.", "Put that into a new module retry.py.", Write(f"{ROOT}/src/retry.py")),
    ("Run the tests before you commit.", "Commit it without the tests.", Run("git commit -am 'A'")),
)
SILENT: tuple[tuple[str, Step], ...] = (
    ("Never alter the ledger table.", Run("pg_dump -t ledger shop > /tmp/ledger.sql")),
    ("Don't write to the customers table.", Run("psql -c 'insert into customers_staging select * from raw'")),
    ("You don't have to leave the tests alone.", Edit(f"{ROOT}/tests/test_cart.py")),
    ("My colleague's bot must not merge.", Run("gh pr merge 7 --squash")),
    ("Don't change the public API.", Edit(f"{ROOT}/src/api.py")),
    ("Ask me before deleting files.", Run("git rm --cached -r build")),
    ("Never use git push --force.", Run("git push origin topic/a")),
)


def _kinds(folder: Path, *script: Step) -> list[list[str]]:
    """The kinds of consequences of a script, as both programs record it."""
    return [[one.kind for one in followed(session_of(script, form, folder))] for form in ("claude-code", "codex")]


@pytest.mark.parametrize(("rule", "broken", "kept"), RULES, ids=[row[0][:40] for row in RULES])
def test_a_rule_is_broken_by_one_action_and_not_by_a_similar_one(
    tmp_path: Path, rule: str, broken: Step, kept: Step
) -> None:
    is_reading = isinstance(broken, Tool)
    found = _kinds(tmp_path, User(rule), Run("ls"), COMPACTION, broken)
    assert found[0] == ["rule_broken"]
    assert is_reading or found[1] == ["rule_broken"]
    assert _kinds(tmp_path, User(rule), Run("ls"), COMPACTION, kept) == [[], []]


@pytest.mark.parametrize(("rule", "words", "action"), LIFTED, ids=[row[0] for row in LIFTED])
def test_a_rule_that_the_user_lifts_in_other_words_is_not_broken(
    tmp_path: Path, rule: str, words: str, action: Step
) -> None:
    script = (User(rule), Run("ls"), COMPACTION, Say("What next?"))
    assert _kinds(tmp_path, *script, User(words), action) == [[], []]


@pytest.mark.parametrize(("rule", "action"), SILENT, ids=[row[0] for row in SILENT])
def test_an_action_that_a_rule_is_not_about_breaks_nothing(tmp_path: Path, rule: str, action: Step) -> None:
    assert _kinds(tmp_path, User(rule), Run("ls"), COMPACTION, action) == [[], []]


def test_tests_before_each_commit_must_run_after_the_last_change(tmp_path: Path) -> None:
    start = (User("Always run the tests before you commit."), Run("pytest -q", "3 passed"), COMPACTION)
    commit = Run("git commit -am 'A'")
    assert _kinds(tmp_path, *start, commit) == [[], []]
    assert _kinds(tmp_path, *start, Edit(f"{ROOT}/a.py"), commit) == [["rule_broken"], ["rule_broken"]]
    assert _kinds(tmp_path, *start, Edit(f"{ROOT}/a.py"), Run("pytest -q", "3 passed"), commit) == [[], []]


def test_a_refused_plan_that_the_user_accepts_with_a_change_is_carried_out(tmp_path: Path) -> None:
    plan = Plan("# Use websockets\n1. npm install ws\n2. Write src/socket.ts", accepted=False)
    script = (User("Plan it."), plan, User("Fine, but call the file ws.ts."), Compact("Websockets."))
    assert _kinds(tmp_path, *script, Run("npm install ws"))[0] == []


@pytest.mark.parametrize("words", ["Run the tests.", "Please run the tests again."])
def test_a_request_to_run_the_tests_does_not_allow_to_change_them(tmp_path: Path, words: str) -> None:
    script = (User("Don't change the tests."), Run("ls"), COMPACTION, User(words))
    assert _kinds(tmp_path, *script, Edit(f"{ROOT}/tests/test_cart.py")) == [["rule_broken"], ["rule_broken"]]
    assert _kinds(tmp_path, *script, User("Fix the tests."), Edit(f"{ROOT}/tests/test_cart.py")) == [[], []]
