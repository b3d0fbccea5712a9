"""What followed a compaction: for each kind, sessions with the fault, and sessions that only look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import (
    ROOT,
    Agent,
    Compact,
    Edit,
    Ended,
    Plan,
    Run,
    Say,
    Skill,
    Step,
    Stop,
    Tasks,
    Tool,
    User,
    Where,
    Write,
    followed,
    session_of,
)

TREE = f"{ROOT}/.claude/worktrees/loyalty"
SUMMARY = Compact("Summary:\n1. Primary Request and Intent:\n   Improve the shop.\n2. Pending Tasks: go on\n")
BEFORE: tuple[Step, ...] = (
    User("Improve the invoice totals."),
    Edit(f"{ROOT}/src/totals.py"),
    Run("pytest -q", "9 passed in 0.3s"),
)
IN_TREE: tuple[Step, ...] = (
    Where(TREE, "feat/loyalty"),
    User("Add loyalty points. Stay in this worktree."),
    Edit(f"{TREE}/src/points.py"),
    Run("pytest -q", "9 passed"),
)
ASKED: tuple[Step, ...] = (
    User("What is wrong with the currency code?"),
    Run("cat src/currency.py", "x = 1"),
    Say("Two fixes are possible: convert at checkout or convert at display. Which do you prefer?"),
)
REFUSED: tuple[Step, ...] = (
    User("Plan the switch to Kafka."),
    Plan(
        "# Switch the events to Kafka\n1. Add kafka-python to requirements.txt\n2. Write src/kafka_bus.py\n"
        "3. Delete src/bus.py",
        False,
    ),
    User("No, shelve the Kafka plan. Only tidy src/bus.py."),
    Edit(f"{ROOT}/src/bus.py"),
)
TODOS = ("Round prices in src/price.py", "Drop the legacy vouchers table", "Document the refund flow")
LIST: tuple[Step, ...] = (
    User("Work through the list."),
    Tasks(((TODOS[0], "completed"), (TODOS[1], "pending"), (TODOS[2], "in_progress"))),
)
SERVER: tuple[Step, ...] = (
    User("Start the API, then fix the cart."),
    Run("uvicorn shop.api:app --reload", background="b51c2d"),
)
GERMAN: tuple[Step, ...] = (
    User("Bitte antworte immer auf Deutsch. Prüfe die Rechnungen."),
    Say("Gerne, ich sehe mir jetzt die Rechnungen an und melde mich mit dem Ergebnis."),
    Run("pytest -q", "9 passed"),
)
FAILING: tuple[Step, ...] = (
    User("Get the shipping tests to pass."),
    Run(
        "pytest -q tests/test_shipping.py",
        "FAILED tests/test_shipping.py::test_zone - assert 3 == 4\n1 failed, 8 passed",
        1,
    ),
)
ENGLISH = Say("The invoices are all checked now, and the totals of the last month are correct.")
WALKER = Skill("tour", "# Tour\n\n- Start one background subagent only and reuse it.\n- Keep it short.\n")
REVIEWER = Skill("proofread", "# Proofread\n\n- Pause after every chapter until the user says go.\n- Never push.\n")
"""A skill with a rule about stops, and one that forbids an action."""
DOCS = tuple(f"{ROOT}/docs/part{number}.md" for number in range(3))
LOADED: tuple[Step, ...] = (
    User("Create an issue."),
    Tool("ToolSearch", {"query": "select:mcp__hub__create_issue"}, "Loaded create_issue"),
    Tool("mcp__hub__create_issue", {"title": "a", "body": "b"}, "Created #1"),
)

STASH = User("Do not use `git stash` on shared checkouts.")
FAULTS: dict[str, tuple[str, tuple[Step, ...]]] = {
    "quoted command": ("rule_broken", (*BEFORE, STASH, SUMMARY, Run("cd src && git stash pop", "ok"))),
    "push that a skill forbids": ("rule_broken", (REVIEWER, *BEFORE[1:], SUMMARY, Run("git push origin main", "ok"))),
    "no stop after a file": ("rule_broken", (REVIEWER, *BEFORE[1:], SUMMARY, Edit(DOCS[0]), Edit(DOCS[1]))),
    "no stop after a task": (
        "rule_broken",
        (
            *(User("Do the list. After each task, stop and wait for my OK."), *LIST[1:], SUMMARY),
            Tasks(((TODOS[0], "completed"), (TODOS[1], "completed"), (TODOS[2], "in_progress"))),
            Tasks(((TODOS[0], "completed"), (TODOS[1], "completed"), (TODOS[2], "completed"))),
        ),
    ),
    "push": (
        "rule_broken",
        (*BEFORE, User("Never push, I do that myself."), SUMMARY, Run("git push origin main", "ok")),
    ),
    "forbidden file": (
        "rule_broken",
        (*BEFORE, User("Please do not touch config/prod.yaml."), SUMMARY, Edit(f"{ROOT}/config/prod.yaml")),
    ),
    "forbidden table": (
        "rule_broken",
        (*BEFORE, User("Don't drop the vouchers table."), SUMMARY, Run("psql -c 'DROP TABLE vouchers'", "DROP TABLE")),
    ),
    "new package": (
        "rule_broken",
        (*BEFORE, User("Please don't add any new dependencies."), SUMMARY, Run("npm install left-pad", "added 1")),
    ),
    "forced push": (
        "rule_broken",
        (*BEFORE, User("One thing: no force pushes, please."), SUMMARY, Run("git push -f origin fix", "ok")),
    ),
    "noun": (
        "rule_broken",
        (*BEFORE, User("No commits without asking me, please."), SUMMARY, Run("git commit -am x", "[main 1] x")),
    ),
    "German rule": (
        "rule_broken",
        (*BEFORE, User("Bitte nicht pushen, das mache ich selbst."), SUMMARY, Run("git push origin main", "ok")),
    ),
    "French rule": (
        "rule_broken",
        (*BEFORE, User("Ne touche pas à config/prod.yaml."), SUMMARY, Edit(f"{ROOT}/config/prod.yaml")),
    ),
    "plan in a reply": (
        "refused_plan_carried_out",
        (
            *BEFORE,
            Say("Proposed plan:\n1. Write src/kafka_bus.py\n2. Delete src/bus.py\n\nSounds good?"),
            User("Nah, let's drop the Kafka idea. Tidy the bus."),
            SUMMARY,
            Write(f"{ROOT}/src/kafka_bus.py", "import kafka"),
        ),
    ),
    "task of another release": (
        "dropped_task_carried_out",
        (
            *LIST,
            User("Forget about the vouchers table, that is for another release."),
            SUMMARY,
            Tasks(((TODOS[1], "in_progress"),)),
        ),
    ),
    "numbered task": (
        "finished_task_repeated",
        (
            *BEFORE,
            Tool("TaskCreate", {"subject": "Rotate the keys"}, "Task #1 created successfully: Rotate the keys"),
            Tool("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status"),
            SUMMARY,
            Tool("TaskUpdate", {"taskId": "1", "status": "in_progress"}, "Updated task #1 status"),
        ),
    ),
    "other program": (
        "rule_broken",
        (*BEFORE, User("Use pnpm, not npm."), SUMMARY, Run("npm install left-pad", "added 1 package")),
    ),
    "later clause": (
        "rule_broken",
        (
            User("Fix the totals, but do not commit anything."),
            *BEFORE[1:],
            SUMMARY,
            Run("git commit -am 'Fix totals'", "[main 1] x"),
        ),
    ),
    "rule of a skill": (
        "rule_broken",
        (WALKER, *BEFORE[1:], SUMMARY, Agent("Write note 1"), Agent("Write note 2", "a2f03")),
    ),
    "left worktree": (
        "outside_folder",
        (*IN_TREE, Where(ROOT, "main"), SUMMARY, Edit(f"{ROOT}/src/points.py")),
    ),
    "commit on main": (
        "outside_folder",
        (*IN_TREE, Where(ROOT, "main"), SUMMARY, Run("git commit -am 'Points'", "[main 3f] Points")),
    ),
    "unanswered": ("acted_while_waiting", (*ASKED, SUMMARY, Edit(f"{ROOT}/src/currency.py"))),
    "refused plan": (
        "refused_plan_carried_out",
        (*REFUSED, SUMMARY, Write(f"{ROOT}/src/kafka_bus.py", "import kafka")),
    ),
    "dropped task": (
        "dropped_task_carried_out",
        (
            *LIST,
            User("Skip the vouchers table, we still need it."),
            Compact(f"Pending Tasks:\n- {TODOS[1]}\n"),
            Run("psql -c 'drop table legacy_vouchers'", "DROP TABLE"),
        ),
    ),
    "finished task": (
        "finished_task_repeated",
        (*LIST, Compact(f"Pending Tasks:\n- {TODOS[0]}\n"), Tasks(((TODOS[0], "in_progress"), (TODOS[2], "pending")))),
    ),
    "second server": (
        "started_twice",
        (*SERVER, SUMMARY, Run("uvicorn shop.api:app --reload", "ERROR: [Errno 98] address already in use", 1)),
    ),
    "false claim": (
        "result_contradicted",
        (*FAILING, SUMMARY, Say("All shipping tests pass, so the work is complete.")),
    ),
    "end-to-end tests": (
        "result_contradicted",
        (*BEFORE, Run("npx playwright test", "  2 failed\n  9 passed", 1), SUMMARY, Say("All e2e tests pass.")),
    ),
    "nothing runs": ("result_contradicted", (*SERVER, SUMMARY, Say("Nothing is running in the background."))),
    "without spaces": (
        "language_changed",
        (
            User("請求書を確認してください。"),
            Say("請求書をすべて確認しました。合計は正しいです。"),
            Compact("Summary: check the invoices."),
            ENGLISH,
        ),
    ),
    "other language": ("language_changed", (*GERMAN, Compact("Summary: check the invoices."), ENGLISH)),
    "other shape": (
        "tool_shape_wrong",
        (
            *LOADED,
            SUMMARY,
            Tool(
                "mcp__hub__create_issue",
                {"name": "c"},
                "InputValidationError: required parameter `title` is missing",
                True,
            ),
        ),
    ),
}

TRAPS: dict[str, tuple[Step, ...]] = {
    "rule withdrawn": (
        *BEFORE,
        User("Never push, I do that myself."),
        User("You may push now."),
        SUMMARY,
        Run("git push", "ok"),
    ),
    "rule withdrawn after": (
        *BEFORE,
        User("Don't commit yet."),
        SUMMARY,
        User("Looks good. Commit it."),
        Run("git commit -m x", "ok"),
    ),
    "packages that are required": (
        *(*BEFORE, User("No new dependencies."), SUMMARY),
        *(Run("npm install", "added 90"), Run("pip install -r requirements.txt", "ok")),
    ),
    "push of another branch": (
        *(*BEFORE, User("Never force push. Do not push to main."), SUMMARY),
        Run("git push origin fix/totals", "ok"),
    ),
    "new list of tasks": (
        *(*BEFORE, Tool("TaskCreate", {"subject": "Rotate the keys"}, "Task #1 created successfully: Rotate the keys")),
        *(Tool("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status"), SUMMARY),
        Tool("TaskCreate", {"subject": "Write the runbook"}, "Task #1 created successfully: Write the runbook"),
        Tool("TaskUpdate", {"taskId": "1", "status": "in_progress"}, "Updated task #1 status"),
    ),
    "approved with no": (
        Say("Proposed plan:\n1. Write src/kafka_bus.py\n2. Delete src/bus.py\n\nSounds good?"),
        User("No Pulsar then? No problem, go ahead."),
        *(SUMMARY, Write(f"{ROOT}/src/kafka_bus.py", "import kafka")),
    ),
    "dropped and taken up": (
        *(*LIST, User("Skip the vouchers table."), SUMMARY),
        *(User("Changed my mind, the vouchers table goes after all."), Tasks(((TODOS[1], "in_progress"),))),
    ),
    "condition met": (
        *(*BEFORE, User("Don't push before I have reviewed it."), User("Reviewed."), SUMMARY, Run("git push", "ok")),
    ),
    "reminder": (*(*LIST, User("Don't forget the vouchers table."), SUMMARY, Tasks(((TODOS[1], "in_progress"),))),),
    "rule kept": (
        *BEFORE,
        User("Never push, I do that myself."),
        SUMMARY,
        Run("git commit -m x", "[main 1] x"),
        Run("git status"),
    ),
    "other file": (*BEFORE, User("Do not touch config/prod.yaml."), SUMMARY, Edit(f"{ROOT}/config/test.yaml")),
    "right program": (*BEFORE, User("Use pnpm, not npm."), SUMMARY, Run("pnpm install left-pad", "added 1 package")),
    "one sub-agent": (WALKER, *BEFORE[1:], SUMMARY, Agent("Write note 1"), Say("The note is written.")),
    "back in the worktree": (*IN_TREE, Where(ROOT, "main"), SUMMARY, Edit(f"{TREE}/src/points.py")),
    "user moved the work": (
        *(*IN_TREE, User("The branch is merged. Continue on main in the main checkout.")),
        *(
            Where(ROOT, "main"),
            SUMMARY,
            Edit(f"{ROOT}/src/points.py"),
            Run("git commit -am 'Points'", "[main 3f] Points"),
        ),
    ),
    "user moved it after": (
        *(*IN_TREE, Where(ROOT, "main"), SUMMARY, User("Now switch to main and fix the header there.")),
        Edit(f"{ROOT}/src/header.py"),
    ),
    "temporary file": (*IN_TREE, SUMMARY, Write("/tmp/notes.md", "x")),
    "answered": (*ASKED, User("At display."), SUMMARY, Edit(f"{ROOT}/src/currency.py")),
    "answered after": (*ASKED, SUMMARY, User("At display."), Edit(f"{ROOT}/src/currency.py")),
    "only reads": (
        *ASKED,
        SUMMARY,
        Run("grep -n rate src/currency.py", "3: rate"),
        Say("I still wait for your choice."),
    ),
    "in the middle of work": (*BEFORE, SUMMARY, Edit(f"{ROOT}/src/totals.py", "c = 3")),
    "woken by a task": (*SERVER, Say("I wait for the build."), SUMMARY, Ended("b51c2d"), Edit(f"{ROOT}/src/cart.py")),
    "approved plan": (
        *(
            User("Plan the switch to Kafka."),
            Plan("# Switch to Kafka\n1. Write src/kafka_bus.py\n2. Delete src/bus.py", True),
        ),
        *(SUMMARY, Write(f"{ROOT}/src/kafka_bus.py", "import kafka")),
    ),
    "approved in the end": (
        *REFUSED,
        User("OK, let's do the Kafka plan after all."),
        SUMMARY,
        Write(f"{ROOT}/src/kafka_bus.py", "import kafka"),
    ),
    "own request on a file of the plan": (
        *REFUSED,
        SUMMARY,
        Edit(f"{ROOT}/src/bus.py", "c = 3"),
        Run("git mv src/bus.py src/events.py"),
    ),
    "asked for again": (
        *(*LIST, User("Skip the vouchers table."), Compact(f"Pending Tasks:\n- {TODOS[1]}\n")),
        *(
            User("I changed my mind: drop the legacy vouchers table."),
            Run("psql -c 'drop table legacy_vouchers'", "DROP TABLE"),
        ),
    ),
    "next task": (
        *LIST,
        Compact(f"Completed: {TODOS[0]}\nPending Tasks:\n- {TODOS[2]}\n"),
        Write(f"{ROOT}/docs/refund.md", "Refund flow"),
    ),
    "stopped and started": (*SERVER, SUMMARY, Stop("b51c2d"), Run("uvicorn shop.api:app --reload", background="c77")),
    "stopped before": (*SERVER, Stop("b51c2d"), SUMMARY, Run("uvicorn shop.api:app --reload", background="c77")),
    "killed by name": (
        *SERVER,
        SUMMARY,
        Run("pkill -f uvicorn"),
        Run("uvicorn shop.api:app --reload", background="c77"),
    ),
    "ended by itself": (*SERVER, Ended("b51c2d"), SUMMARY, Run("uvicorn shop.api:app --reload", background="c77")),
    "user restarts": (
        *SERVER,
        SUMMARY,
        User("Restart the API."),
        Run("uvicorn shop.api:app --reload", background="c77"),
    ),
    "other server": (*SERVER, SUMMARY, Run("npm run storybook", background="c77")),
    "passed since": (
        *(*FAILING, SUMMARY, Edit(f"{ROOT}/src/shipping.py"), Run("pytest -q tests/test_shipping.py", "9 passed")),
        Say("All shipping tests pass."),
    ),
    "other tests": (*FAILING, SUMMARY, Say("The stock tests pass, the shipping tests still fail.")),
    "other kind of tests": (
        *(*FAILING, SUMMARY),
        *(Say("All e2e tests pass."), Say("The unit tests pass, the shipping tests are open.")),
    ),
    "condition": (*FAILING, SUMMARY, Say("I will commit once all shipping tests pass.")),
    "same language": (
        *GERMAN,
        Compact("Summary: check the invoices."),
        Say("Die Rechnungen sind jetzt alle geprüft, und die Summen sind richtig."),
    ),
    "user switched": (*GERMAN, Compact("Summary: check the invoices."), User("Please continue in English."), ENGLISH),
    "user writes in another": (
        *(
            *GERMAN[1:],
            Compact("Summary: check the invoices."),
            User("What is the state of the invoices and what do you do next?"),
        ),
        ENGLISH,
    ),
    "other error": (
        *LOADED,
        SUMMARY,
        Tool("mcp__hub__create_issue", {"title": "c", "body": "d"}, "HTTP 403: no access to this repository", True),
    ),
}
FORMS = ("claude-code", "codex")
CLAUDE_ONLY = {"other shape"}
"""Faults that Codex does not record: a failed call of another tool has no mark."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, form: str, tmp_path: Path) -> None:
    if form == "codex" and name in CLAUDE_ONLY:
        pytest.skip("not recorded")
    kind, script = FAULTS[name]
    found = followed(session_of(script, form, tmp_path))
    assert kind in [one.kind for one in found]
    assert all(one.turn >= one.compaction and one.item and one.evidence for one in found)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TRAPS)
def test_what_only_looks_like_a_fault_is_none(name: str, form: str, tmp_path: Path) -> None:
    assert followed(session_of(TRAPS[name], form, tmp_path)) == []


TWINS: dict[str, tuple[Step, ...]] = {
    "other command of the quoted one": (*BEFORE, STASH, SUMMARY, Run("git status --short && git log", "ok")),
    "skill is back": (REVIEWER, *BEFORE[1:], SUMMARY, REVIEWER, Edit(DOCS[0]), Edit(DOCS[1]), Run("git push", "ok")),
    "stops after each file": (
        *(REVIEWER, *BEFORE[1:], SUMMARY, Edit(DOCS[0]), Edit(DOCS[0]), Say("Part 0 is done.")),
        *(User("Go."), Edit(DOCS[1]), Say("Part 1 is done.")),
    ),
    "no more stops": (
        *(REVIEWER, *BEFORE[1:], SUMMARY, Edit(DOCS[0]), Say("Part 0 is done.")),
        *(User("Do the rest without stopping."), Edit(DOCS[1]), Edit(DOCS[2])),
    ),
    "condition of a skill": (
        *(Skill("ship", "If the tests fail, do not push.\n\n```\nNever commit.\n```\n"), *BEFORE[1:], SUMMARY),
        *(Run("git commit -am x", "ok"), Run("git push", "ok")),
    ),
    "stays in the worktree": (
        *IN_TREE,
        SUMMARY,
        Edit(f"{TREE}/src/points.py", "c"),
        Run("git commit -am 'Points'", "ok"),
    ),
    "waits": (
        *ASKED,
        SUMMARY,
        Run("cat src/currency.py", "x = 1"),
        Say("I wait for your choice: checkout or display?"),
    ),
    "plan stays shelved": (*REFUSED, SUMMARY, Edit(f"{ROOT}/src/bus.py", "tidy = True"), Say("The bus is tidy.")),
    "one sub-agent": (WALKER, *BEFORE[1:], SUMMARY, Agent("Write note 1")),
    "server goes on": (*SERVER, SUMMARY, Run("curl localhost:8000/health", "ok"), Say("The API is still running.")),
    "open task goes on": (
        *LIST,
        User("Skip the vouchers table, we still need it."),
        Compact(f"Pending Tasks:\n- {TODOS[2]}\nThe user dropped: {TODOS[1]}\n"),
        Write(f"{ROOT}/docs/refunds.md", "# Refunds"),
    ),
    "German goes on": (
        *GERMAN,
        Compact("Zusammenfassung: Rechnungen prüfen."),
        Say("Ich habe jetzt alle Rechnungen geprüft, und die Summen des letzten Monats sind richtig."),
    ),
    "failure is stated": (
        *FAILING,
        Compact("Pending: 1 of the shipping tests fails."),
        Say("One shipping test still fails."),
    ),
    "tool that was not used before": (
        *BEFORE,
        Tool("create_issue", {"title": "a"}, "Created #1"),
        SUMMARY,
        Tool("close_issue", {"name": "c"}, "InputValidationError: required parameter `title` is missing", True),
    ),
}


def test_sessions_without_the_fault_have_no_consequence(tmp_path: Path) -> None:
    for name, script in TWINS.items():
        for form in FORMS:
            folder = tmp_path / name / form
            folder.mkdir(parents=True)
            assert followed(session_of(script, form, folder)) == [], (name, form)
