"""Other wordings, tools and records of what only looks wrong after a compaction."""

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
    Tasks,
    Tool,
    User,
    Where,
    Write,
    followed,
    session_of,
)
from tests.engine.work_state.test_consequences import (
    ASKED,
    BEFORE,
    ENGLISH,
    FAILING,
    FORMS,
    GERMAN,
    IN_TREE,
    LIST,
    LOADED,
    REFUSED,
    SERVER,
    SUMMARY,
    TODOS,
    TREE,
)

TRAPS: dict[str, tuple[Step, ...]] = {
    "found, not yet mended": (
        User("Correct the total of the basket."),
        Run("cat src/a.py", "total = 1"),
        Say("The discount is subtracted twice in the basket."),
        SUMMARY,
        Edit(f"{ROOT}/src/a.py"),
    ),
    "killed by the name of what a script runs": (
        User("Start the shop."),
        Run("pnpm dev --port 5173", background="u2"),
        Run("pkill -f vite", ""),
        SUMMARY,
        Run("pnpm dev --port 5173", background="u3"),
    ),
    "rule ok now": (*BEFORE, User("Don't push."), User("ok push it"), SUMMARY, Run("git push", "ok")),
    "rule dry": (*BEFORE, User("Never push."), SUMMARY, Run("git push --dry-run", "ok")),
    "cloud looked at": (*ASKED, SUMMARY, Run("aws s3 ls s3://old-logs", "2026-01-02 1.gz")),
    "rule help": (*BEFORE, User("Never push."), SUMMARY, Run("git help push", "ok")),
    "rule echo": (*BEFORE, User("Never push."), SUMMARY, Run("echo 'git push is up to the user'", "ok")),
    "stash list": (*BEFORE, User("Never use git stash."), SUMMARY, Run("git stash list", "")),
    "read file": (
        *BEFORE,
        User("Do not touch config/prod.yaml."),
        SUMMARY,
        Run("cat config/prod.yaml", "x"),
        Run("grep x config/prod.yaml > /tmp/o", ""),
    ),
    "copy": (*BEFORE, User("Do not touch config/prod.yaml."), SUMMARY, Write(f"{ROOT}/config/prod.yaml.example")),
    "rule moot": (
        *BEFORE,
        User("Never push."),
        User("Forget what I said about pushing, go ahead and push."),
        SUMMARY,
        Run("git push", "ok"),
    ),
    "feel free": (
        *BEFORE,
        User("Don't touch config/prod.yaml."),
        User("Feel free to edit config/prod.yaml now."),
        SUMMARY,
        Edit(f"{ROOT}/config/prod.yaml"),
    ),
    "after: user asks": (
        *BEFORE,
        User("Don't touch config/prod.yaml."),
        SUMMARY,
        User("Set a = 2 in config/prod.yaml please."),
        Edit(f"{ROOT}/config/prod.yaml"),
    ),
    "other tests": (*BEFORE, User("Don't change the tests."), SUMMARY, Edit(f"{ROOT}/src/latest.py")),
    "uv pip": (*BEFORE, User("Always use uv, never pip."), SUMMARY, Run("uv pip install requests", "ok")),
    "only edit": (*BEFORE, User("Only change files in src/ui."), SUMMARY, Edit(f"{ROOT}/src/ui/x.py")),
    "moved ok": (
        *IN_TREE,
        User("Great, merge it into main."),
        Where(ROOT, "main"),
        SUMMARY,
        Run("git merge feat/loyalty", "ok"),
        Edit(f"{ROOT}/src/points.py"),
    ),
    "removed tree": (
        *IN_TREE,
        User("Remove the worktree and go on in the root."),
        Run(f"cd {ROOT} && git worktree remove {TREE}", "ok"),
        Where(ROOT, "main"),
        SUMMARY,
        Edit(f"{ROOT}/src/points.py"),
    ),
    "after: main": (
        *IN_TREE,
        Where(ROOT, "main"),
        SUMMARY,
        User("Fix the typo in the README of the main repo."),
        Edit(f"{ROOT}/README.md"),
    ),
    "plan file": (*IN_TREE, SUMMARY, Write("/home/u/.claude/plans/x.md")),
    "wait: answered german": (*ASKED, User("Beim Anzeigen."), SUMMARY, Edit(f"{ROOT}/src/currency.py")),
    "wait: go": (*ASKED, User("your call"), SUMMARY, Edit(f"{ROOT}/src/currency.py")),
    "wait: compact cmd": (*ASKED, User("the second"), Run("ls"), SUMMARY, Edit(f"{ROOT}/src/currency.py")),
    "wait: continue": (*ASKED, SUMMARY, User("continue"), Edit(f"{ROOT}/src/currency.py")),
    "wait: tests": (*ASKED, SUMMARY, Run("pytest -q", "9 passed"), Run("git status", ""), Run("git log -3", "")),
    "wait: mkdir tmp": (*ASKED, SUMMARY, Run("git diff > /tmp/x.diff", "")),
    "plan: approved later": (
        *REFUSED,
        SUMMARY,
        User("Fine, let's go with Kafka."),
        Write(f"{ROOT}/src/kafka_bus.py", "import kafka"),
    ),
    "plan: yes": (
        User("Plan."),
        Say("Plan:\n1. Write src/kafka_bus.py\n2. Delete src/bus.py\n\nProceed?"),
        User("y"),
        SUMMARY,
        Write(f"{ROOT}/src/kafka_bus.py"),
    ),
    "plan: new plan": (
        *REFUSED,
        Plan("# Use NATS\n1. Write src/nats_bus.py", True),
        SUMMARY,
        Write(f"{ROOT}/src/nats_bus.py", "import nats"),
    ),
    "task: asked": (
        *LIST,
        User("Skip the vouchers table."),
        User("Actually, do the vouchers table too."),
        SUMMARY,
        Tasks(((TODOS[1], "in_progress"),)),
    ),
    "task: reworked": (
        *LIST,
        SUMMARY,
        User("The rounding in src/price.py is wrong, fix it."),
        Tasks(((TODOS[0], "in_progress"),)),
        Edit(f"{ROOT}/src/price.py", "round(x,2)"),
    ),
    "task: same file": (
        *LIST,
        Compact(f"Completed:\n- {TODOS[0]}\nPending Tasks:\n- {TODOS[2]}\n"),
        Edit(f"{ROOT}/src/price.py", "round(prices)"),
    ),
    "twice: kill port": (
        *SERVER,
        SUMMARY,
        Run("lsof -ti:8000 | xargs kill -9", ""),
        Run("uvicorn shop.api:app --reload", background="c77"),
    ),
    "twice: fuser": (
        *SERVER,
        SUMMARY,
        Run("fuser -k 8000/tcp; sleep 1; uvicorn shop.api:app --reload", background="c77"),
    ),
    "twice: died": (
        *SERVER,
        Tool("BashOutput", {"bash_id": "b51c2d"}, "<status>failed</status>\n<exit_code>1</exit_code>"),
        SUMMARY,
        Run("uvicorn shop.api:app --reload", background="c77"),
    ),
    "twice: crash seen after": (
        *SERVER,
        SUMMARY,
        Tool("BashOutput", {"bash_id": "b51c2d"}, "<status>killed</status>"),
        Run("uvicorn shop.api:app --reload", background="c77"),
    ),
    "twice: tests": (User("T."), Run("npm test", background="b1"), SUMMARY, Run("npm test", background="b2")),
    "twice: other dir": (
        User("T."),
        Run("cd web && npm run dev", background="b1"),
        SUMMARY,
        Run("cd admin && npm run dev", background="b2"),
    ),
    "twice: other port": (
        User("T."),
        Run("npx vite --port 5173", background="b1"),
        SUMMARY,
        Run("npx vite --port 5174", background="b2"),
    ),
    "claim: later pass": (*FAILING, SUMMARY, Run("pytest -q", "9 passed"), Say("All tests pass.")),
    "claim: quote": (*FAILING, SUMMARY, Say("You asked that all tests pass; one still fails.")),
    "claim: before": (*FAILING, SUMMARY, Say("The stock tests passed before my change, but shipping fails.")),
    "claim: goal": (*FAILING, SUMMARY, Say("Goal: all tests pass. Next I look at the zone.")),
    "claim: lint": (*FAILING, SUMMARY, Say("Lint is clean.")),
    "lang: switched de": (*GERMAN, User("Switch to English from now on."), Compact("Summary."), ENGLISH),
    "lang: code": (*GERMAN, Compact("Summary."), Say("```\nthe code is in the file and it is all for you\n```")),
    "lang: user english": (
        *GERMAN[1:],
        User("Thanks. Now what about the shipping costs, are they right?"),
        Compact("Summary."),
        ENGLISH,
    ),
    "lang: commit msg": (
        *GERMAN,
        Compact("Summary."),
        Say("Ich habe die Rechnungen geprüft. Commit: “Fix the totals of the invoices and the tests”."),
    ),
    "shape: 404": (
        *LOADED,
        SUMMARY,
        Tool("mcp__hub__create_issue", {"title": "c", "body": "d"}, "Error 404: repository not found", True),
    ),
    "shape: other tool": (
        *LOADED,
        SUMMARY,
        Tool("Edit", {"path": "x"}, "InputValidationError: required parameter `file_path` is missing", True),
    ),
    "shape: reloaded ok": (
        *LOADED,
        SUMMARY,
        Tool("ToolSearch", {"query": "select:mcp__hub__create_issue"}, "Loaded create_issue"),
        Tool("mcp__hub__create_issue", {"title": "c", "body": "d"}, "Created #2"),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TRAPS)
def test_what_is_allowed_in_other_words_is_no_fault(name: str, form: str, tmp_path: Path) -> None:
    assert followed(session_of(TRAPS[name], form, tmp_path)) == []
