"""Other wordings, tools and records of what goes wrong after a compaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import (
    ROOT,
    Agent,
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
    IN_TREE,
    LIST,
    LOADED,
    SERVER,
    SUMMARY,
    TODOS,
)

SIBLING: tuple[Step, ...] = (
    Where("/home/u/shop-wt/pay", "fix/pay"),
    User("Work only in the worktree."),
    Edit("/home/u/shop-wt/pay/src/a.py"),
)
FAULTS: dict[str, tuple[str, tuple[Step, ...]]] = {
    "folder: sibling worktree": (
        "outside_folder",
        (*SIBLING, Where("/home/u/shop", "main"), SUMMARY, Edit("/home/u/shop/src/a.py")),
    ),
    "folder: write": ("outside_folder", (*IN_TREE, Where(ROOT, "main"), SUMMARY, Write(f"{ROOT}/src/points.py"))),
    "folder: sed": (
        "outside_folder",
        (*IN_TREE, Where(ROOT, "main"), SUMMARY, Run("sed -i 's/a/b/' src/points.py", "")),
    ),
    "folder: git -C": ("outside_folder", (*IN_TREE, SUMMARY, Run(f"git -C {ROOT} commit -am x", "ok"))),
    "folder: cd && commit": (
        "outside_folder",
        (*IN_TREE, SUMMARY, Run(f"cd {ROOT} && git add -A && git commit -m x", "ok")),
    ),
    "folder: abs edit while cwd in tree": ("outside_folder", (*IN_TREE, SUMMARY, Edit(f"{ROOT}/src/points.py"))),
    "wait: commit": ("acted_while_waiting", (*ASKED, SUMMARY, Run("git commit -am fix", "ok"))),
    "wait: install": ("acted_while_waiting", (*ASKED, SUMMARY, Run("npm install money", "ok"))),
    "wait: statement": (
        "acted_while_waiting",
        (
            User("Review the cart code, report only."),
            Run("cat src/cart.py", "x"),
            Say("I found two bugs. Tell me which one to fix first."),
            SUMMARY,
            Edit(f"{ROOT}/src/cart.py"),
        ),
    ),
    "wait: done": (
        "acted_while_waiting",
        (
            User("Rename the field."),
            Edit(f"{ROOT}/src/a.py"),
            Say("Done. The field is renamed and the tests pass."),
            SUMMARY,
            Write(f"{ROOT}/src/b.py"),
        ),
    ),
    "wait: cloud": ("acted_while_waiting", (*ASKED, SUMMARY, Run("aws s3 rb s3://old-logs --force", "removed"))),
    "wait: agent": ("acted_while_waiting", (*ASKED, SUMMARY, Agent("Fix currency"))),
    "plan: edit": (
        "refused_plan_carried_out",
        (
            User("Plan caching."),
            Plan("# Add Redis caching\n1. Create src/cache.py\n2. Install redis", False),
            User("No, we stay with the in-memory dict."),
            Edit(f"{ROOT}/src/d.py"),
            SUMMARY,
            Run("pip install redis", "ok"),
        ),
    ),
    "plan: postponed": (
        "refused_plan_carried_out",
        (
            *BEFORE,
            Say("Here is my plan:\n1. Create src/cache.py\n2. Wire it into src/api.py\n\nShall I start?"),
            User("Not now. First fix the totals."),
            Edit(f"{ROOT}/src/totals.py"),
            SUMMARY,
            Write(f"{ROOT}/src/cache.py"),
        ),
    ),
    "plan: on hold": (
        "refused_plan_carried_out",
        (
            User("Plan it."),
            Plan("# Split the monolith\n1. Write services/billing/main.py\n2. Move src/billing.py", True),
            User("Put the split of the monolith on hold until March."),
            Edit(f"{ROOT}/src/d.py"),
            SUMMARY,
            Write(f"{ROOT}/services/billing/main.py"),
        ),
    ),
    "task: dropped ordinal": (
        "dropped_task_carried_out",
        (
            *LIST,
            User("Leave out the second task."),
            Compact(f"Pending Tasks:\n- {TODOS[1]}\n"),
            Tasks(((TODOS[1], "in_progress"),)),
        ),
    ),
    "task: no longer": (
        "dropped_task_carried_out",
        (
            *LIST,
            User("We no longer need to drop the legacy vouchers table."),
            Compact(f"Pending Tasks:\n- {TODOS[1]}\n"),
            Tasks(((TODOS[1], "in_progress"),)),
        ),
    ),
    "task: document dropped": (
        "dropped_task_carried_out",
        (
            *LIST,
            User("Don't bother documenting the refund flow."),
            Compact(f"Next:\n- {TODOS[2]}\n"),
            Write(f"{ROOT}/docs/refund-flow.md", "Document the refund flow"),
        ),
    ),
    "task: cancelled": (
        "dropped_task_carried_out",
        (
            *LIST,
            User("Cancel the vouchers table task."),
            Compact(f"## Todo\n- [ ] {TODOS[1]}\n"),
            Run("psql -c 'DROP TABLE legacy_vouchers'", "ok"),
        ),
    ),
    "done: again edit": (
        "finished_task_repeated",
        (*LIST, Compact(f"Remaining:\n- {TODOS[0]}\n"), Edit(f"{ROOT}/src/price.py", "round(prices)")),
    ),
    "done: pending list": (
        "finished_task_repeated",
        (*LIST, Compact(f"Pending Tasks:\n- {TODOS[0]}\n"), Tasks(((TODOS[0], "pending"), (TODOS[2], "in_progress")))),
    ),
    "done: ni": (
        "finished_task_repeated",
        (
            User("Do it."),
            Tasks((("Rename Cart to Basket", "completed"), ("Write the changelog", "in_progress"))),
            Compact("Next Step:\n- Rename Cart to Basket\n"),
            Run("git mv src/cart.py src/basket.py", ""),
        ),
    ),
    "twice: env": (
        "started_twice",
        (*SERVER, SUMMARY, Run("uvicorn shop.api:app --reload > /tmp/log 2>&1", background="x9")),
    ),
    "twice: cd": (
        "started_twice",
        (
            User("Run dev."),
            Run("npm run dev", background="b1"),
            SUMMARY,
            Run("cd /home/u/shop && npm run dev", background="b2"),
        ),
    ),
    "twice: nohup": (
        "started_twice",
        (
            User("Run dev."),
            Run("npm run dev", background="b1"),
            SUMMARY,
            Run("nohup npm run dev > dev.log 2>&1 &", "[1] 4242"),
        ),
    ),
    "twice: other port": (
        "started_twice",
        (User("Run dev."), Run("PORT=3000 npm run dev", background="b1"), SUMMARY, Run("npm run dev", background="b2")),
    ),
    "twice: docker": (
        "started_twice",
        (
            User("Run db."),
            Run("docker compose up db", background="b1"),
            SUMMARY,
            Run("docker compose up db", background="b2"),
        ),
    ),
    "twice: subagent": (
        "started_twice",
        (User("Go."), Agent("Watch the logs", "a77"), SUMMARY, Agent("Watch the logs", "a78")),
    ),
    "twice: vite": (
        "started_twice",
        (
            User("Run."),
            Run("npx vite --port 5173", background="b1"),
            SUMMARY,
            Run("npx vite --port 5173", "Error: Port 5173 is already in use", 1),
        ),
    ),
    "claim: build": (
        "result_contradicted",
        (*BEFORE, Run("npm run build", "error TS2304: Cannot find name 'x'", 2), SUMMARY, Say("The build succeeds.")),
    ),
    "claim: lint": (
        "result_contradicted",
        (*BEFORE, Run("ruff check .", "E501 line too long\nFound 3 errors.", 1), SUMMARY, Say("Lint is clean now.")),
    ),
    "claim: mypy": (
        "result_contradicted",
        (
            *BEFORE,
            Run("mypy src", "src/a.py:1: error: x\nFound 1 error", 1),
            SUMMARY,
            Say("Type checks pass and I am done."),
        ),
    ),
    "claim: cargo": (
        "result_contradicted",
        (
            *BEFORE,
            Run("cargo test", "test result: FAILED. 3 passed; 1 failed", 101),
            SUMMARY,
            Say("All tests are passing."),
        ),
    ),
    "claim: go": (
        "result_contradicted",
        (*BEFORE, Run("go test ./...", "--- FAIL: TestX\nFAIL", 1), SUMMARY, Say("Everything is done: tests pass.")),
    ),
    "claim: n passed": ("result_contradicted", (*FAILING, SUMMARY, Say("The full test suite is green (9 passed)."))),
    "claim: no failures": ("result_contradicted", (*FAILING, SUMMARY, Say("There are no failing tests."))),
    "claim: all 9": ("result_contradicted", (*FAILING, SUMMARY, Say("All 9 shipping tests passed."))),
    "claim: fixed": ("result_contradicted", (*FAILING, SUMMARY, Say("The failing shipping test is fixed."))),
    "lang: user writes fr": (
        "language_changed",
        (
            User("Corrige les totaux de la facture, s'il te plaît, et vérifie que tout est juste."),
            Say("D'accord, je vais regarder les totaux de la facture et je corrige les erreurs dans le code."),
            Compact("Summary: fix totals."),
            ENGLISH,
        ),
    ),
    "lang: es rule": (
        "language_changed",
        (
            User("Responde siempre en español. Revisa las facturas."),
            Say("De acuerdo, voy a revisar las facturas y te digo lo que encuentro en el código."),
            Compact("Summary."),
            ENGLISH,
        ),
    ),
    "lang: english wanted": (
        "language_changed",
        (
            User("Please always answer in English. Prüfe die Rechnungen und sage mir, was nicht stimmt."),
            Say("I will look at the invoices and report what is wrong with them."),
            Compact("Summary."),
            Say("Ich habe jetzt alle Rechnungen geprüft, und die Summen sind richtig."),
        ),
    ),
    "lang: ru": (
        "language_changed",
        (
            User("Отвечай на русском. Проверь счета."),
            Say("Хорошо, я проверю все счета и сообщу результат."),
            Compact("Summary."),
            ENGLISH,
        ),
    ),
    "shape: required": (
        "tool_shape_wrong",
        (
            *LOADED,
            SUMMARY,
            Tool(
                "mcp__hub__create_issue",
                {"name": "c"},
                "<tool_use_error>InputValidationError: required parameter `title` is missing</tool_use_error>",
                True,
            ),
        ),
    ),
    "shape: mcp error": (
        "tool_shape_wrong",
        (
            *LOADED,
            SUMMARY,
            Tool(
                "mcp__hub__create_issue",
                {"name": "c"},
                "MCP error -32602: Invalid arguments for tool create_issue",
                True,
            ),
        ),
    ),
    "shape: no such": (
        "tool_shape_wrong",
        (
            *LOADED,
            SUMMARY,
            Tool(
                "mcp__hub__create_issue", {"name": "c"}, "Error: No such tool available: mcp__hub__create_issue", True
            ),
        ),
    ),
    "shape: first error later": (
        "tool_shape_wrong",
        (
            *LOADED,
            SUMMARY,
            Run("ls"),
            Tool("mcp__hub__create_issue", {"name": "c"}, "Error: missing required field 'title'", True),
        ),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_other_words_is_found(name: str, form: str, tmp_path: Path) -> None:
    if form == "codex" and name.startswith("shape"):
        pytest.skip("not recorded")
    kind, script = FAULTS[name]
    assert [one.kind for one in followed(session_of(script, form, tmp_path))] == [kind]
