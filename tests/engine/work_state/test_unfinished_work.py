"""Work that the agent left unfinished, checkouts side by side, plans that were asked for, and new releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state.fates import fates_of
from tests.engine.work_state.scripts import (
    ROOT,
    Agent,
    Compact,
    Edit,
    Plan,
    Run,
    Say,
    Skill,
    Step,
    Tasks,
    User,
    Where,
    Write,
    followed,
    session_of,
    transition_of,
)
from tests.engine.work_state.test_consequences import FORMS

STAGE = "/home/u/shop-stage"
STAGED: tuple[Step, ...] = (
    Where(STAGE, "main"),
    User("We work in the staging checkout ~/shop-stage here. ~/shop is what the customers see. Add a discount."),
    Edit(f"{STAGE}/src/totals.py"),
)
DISCOUNT = Compact("Summary: add a discount. src/totals.py is done, src/taxes.py is next.")
OWN_WORKTREE: tuple[Step, ...] = (
    User("Build the gift page. Put it on its own worktree so that I can go on on main."),
    Run("git worktree add ../shop-gifts -b gifts", "Preparing worktree (new branch 'gifts')"),
    Write("/home/u/shop-gifts/src/gifts.py"),
)
PARSER: tuple[Step, ...] = (
    User("The errors of our parser name the wrong column. Make a plan first."),
    Say("# Rewrite the parser with lark\n\n1. Add lark to pyproject.toml\n2. Write src/lark_parser.py\n3. Drop ours"),
)
LARK: tuple[Step, ...] = (
    Edit(f"{ROOT}/src/span.py"),
    Compact("Summary: errors name the wrong column. Next: carry on with the plan."),
    Write(f"{ROOT}/src/lark_parser.py", "import lark"),
)
RELEASE = Tasks((("Tag v2.4.0 and publish to npm", "completed"), ("Answer issue 88", "in_progress")))
RELEASED: tuple[Step, ...] = (
    User("Release 2.4.0, then answer issue 88."),
    Tasks((("Tag v2.4.0 and publish to npm", "in_progress"), ("Answer issue 88", "pending"))),
    Run("npm publish", "+ shop@2.4.0"),
    RELEASE,
    Compact("Release 2.4.0.\n- [ ] tag v2.4.0 and publish to npm\n- [ ] answer issue 88"),
)
FAULTS: dict[str, tuple[str, tuple[Step, ...]]] = {
    "checkout that the user names beside another": (
        "outside_folder",
        (*STAGED, DISCOUNT, Where(ROOT, "main"), Edit(f"{ROOT}/src/taxes.py")),
    ),
    "worktree that a command added": (
        "outside_folder",
        (*OWN_WORKTREE, DISCOUNT, Write(f"{ROOT}/src/taxes.py")),
    ),
    "plan that the user asked for and refused": (
        "refused_plan_carried_out",
        (*PARSER, User("I don't want a parser library. Keep ours and carry the column."), *LARK),
    ),
    "load test that fails": (
        "result_contradicted",
        (
            User("Search has to answer in 200 ms."),
            Run("k6 run load.js", "p(95)=371ms\nERRO[0031] thresholds have been crossed", 1),
            Compact("Summary: search has to answer in 200 ms."),
            Say("The load test passes now."),
        ),
    ),
    "finished work": (
        "acted_while_waiting",
        (
            User("Rename total to amount."),
            Edit(f"{ROOT}/src/totals.py"),
            Say("All three places use amount now, and the tests pass."),
            Compact("Summary: total is called amount."),
            Edit(f"{ROOT}/src/taxes.py"),
        ),
    ),
}
TRAPS: dict[str, tuple[Step, ...]] = {
    "port to the other checkout": (
        *STAGED,
        DISCOUNT,
        Where(ROOT, "main"),
        User("Looks right. Now do the same in ~/shop."),
        Edit(f"{ROOT}/src/taxes.py"),
    ),
    "plan that the user asked for and approved": (*PARSER, User("Good, do that."), *LARK),
    "version after the finished one": (
        *RELEASED,
        User("Someone found a typo in the types. Bump to 2.4.1 and publish that."),
        Edit(f"{ROOT}/package.json", '"version": "2.4.1"'),
        Run("npm publish", "+ shop@2.4.1"),
    ),
    "dropped task that is wanted after a reason": (
        User("Upgrade the client, move the tests to Playwright."),
        Tasks((("Upgrade the client", "in_progress"), ("Move the tests to Playwright", "pending"))),
        User("Leave the Playwright tests out, QA takes them over."),
        Compact("Summary: the client is upgraded. Remaining tasks: move the tests to Playwright."),
        User("QA has no time. Please move the tests to Playwright here after all."),
        Write(f"{ROOT}/tests/playwright/checkout.spec.ts"),
    ),
    "work that a reply leaves": (
        User("Make clippy clean."),
        Edit(f"{ROOT}/src/totals.rs"),
        Say("One of three findings is mended."),
        Compact("Summary: make clippy clean."),
        Edit(f"{ROOT}/src/taxes.rs"),
    ),
    "open task": (
        User("Add the tax, then the discount."),
        Tasks((("Add the tax", "completed"), ("Add the discount", "pending"))),
        Edit(f"{ROOT}/src/taxes.py"),
        Say("The tax is part of each total, and the tests pass."),
        Compact("Summary: the tax is there. Next: the discount."),
        Edit(f"{ROOT}/src/discount.py"),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str, form: str, tmp_path: Path) -> None:
    kind, script = FAULTS[name]
    assert kind in [one.kind for one in followed(session_of(script, form, tmp_path))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TRAPS)
def test_trap_gives_nothing(name: str, form: str, tmp_path: Path) -> None:
    assert followed(session_of(TRAPS[name], form, tmp_path)) == []


@pytest.mark.parametrize("form", FORMS)
def test_limit_of_sub_agents_is_broken_by_all_of_them(form: str, tmp_path: Path) -> None:
    script: tuple[Step, ...] = (
        Skill("walk", "# Walk\n\n- Use a background subagent (one, reuse it) for silent file writes.\n"),
        Edit(f"{ROOT}/a.py"),
        Compact("Summary: walk through the code."),
        *(Agent(f"Note {number}", f"a{number}") for number in (1, 2, 3)),
    )
    (broken,) = followed(session_of(script, form, tmp_path))
    assert broken.evidence == "3 sub-agents started: Note 1, Note 2, Note 3"


def test_refused_plan_is_stated_in_place_of_the_request(tmp_path: Path) -> None:
    script: tuple[Step, ...] = (
        User("Plan how to move the queue to Redis."),
        Plan("# Move the queue to Redis\n1. Add redis to pyproject.toml\n2. Write src/redis_queue.py", False),
        User("No. Shelve the plan. Just rename queue.py to jobs.py."),
        Run("git mv src/queue.py src/jobs.py"),
        Compact("1. Primary Request and Intent:\n   Move the queue to Redis.\n2. Files: src/price.py"),
    )
    rows = fates_of(transition_of(session_of(script, "claude-code", tmp_path)))
    (request,) = (row for row in rows if row.part == "request")
    assert (request.fate, request.after) == ("stale", "Move the queue to Redis.")


def test_dropped_task_is_revived_by_a_title_within_a_line(tmp_path: Path) -> None:
    script: tuple[Step, ...] = (
        Tasks((("Upgrade the client", "in_progress"), ("Move the tests to Playwright", "pending"))),
        User("Leave the Playwright tests out, QA takes them over."),
        Compact("The client is upgraded. Remaining tasks: move the tests to Playwright; update the docs."),
    )
    rows = fates_of(transition_of(session_of(script, "claude-code", tmp_path)))
    assert [row.fate for row in rows if row.item == "Move the tests to Playwright"] == ["revived"]
