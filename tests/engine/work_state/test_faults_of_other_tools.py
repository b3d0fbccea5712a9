"""Faults that show in tools of servers, detached commands, results, and summaries in other languages than English."""

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
    Stop,
    Tasks,
    Tool,
    User,
    Where,
    Write,
    followed,
    session_of,
)
from tests.engine.work_state.test_consequences import BEFORE, FAILING, FORMS, IN_TREE, SERVER, SUMMARY

COMMENT = Tool("mcp__jira__add_comment", {"issue": "A-1", "body": "x"}, "ok")
REJECTED = (
    "tool call error: tool call failed for `jira/add_comment`\n\nCaused by:\n    Mcp error: -32602: Invalid arguments"
)
BUILD = "ERROR in src/label.tsx: Unexpected token"
LIST: tuple[Step, ...] = (
    User("Do these."),
    Tasks((("Add label PDF", "completed"), ("Add label ZPL export", "pending"), ("Add label tests", "in_progress"))),
)
PRICES: tuple[Step, ...] = (
    User("How would you cache prices?"),
    Say("Plan propuesto:\n1. Crear src/cache/redis.py\n2. Instalar redis\n\n¿Empiezo?"),
)
IDEAS: tuple[Step, ...] = (
    User("I'd like to hear ideas for the double transfers."),
    Say("Two ideas:\n\nA. An outbox that a `KafkaRelay` publishes from.\n**B.** A unique key and an upsert."),
)
QUERY = "mcp__grafana__query_range"
FAULTS: dict[str, tuple[str, tuple[Step, ...]]] = {
    "another way than the one that was taken": (
        "refused_plan_carried_out",
        (
            *(*IDEAS, User("I don't want Kafka, so A is off the table. B please."), Edit(f"{ROOT}/src/transfer.py")),
            *(SUMMARY, Write(f"{ROOT}/src/KafkaRelay.java")),
        ),
    ),
    "worker with long options": (
        "started_twice",
        (
            *(*BEFORE, Run("celery -A core worker -l info -c 2", background="u1"), SUMMARY),
            Run(f"cd {ROOT} && celery -A core worker --loglevel=info --concurrency=2", background="u2"),
        ),
    ),
    "unknown keys": (
        "tool_shape_wrong",
        (
            *(*BEFORE, COMMENT, SUMMARY),
            Tool("mcp__jira__add_comment", {"key": "A-1"}, 'Input validation error: Unrecognized keys: "key"', True),
        ),
    ),
    "what a target builds": (
        "result_contradicted",
        (
            *(*BEFORE, Run("make boot", "ld: region BOOT overflowed by 412 bytes\nmake: *** Error 1", 1), SUMMARY),
            Say("The bootloader builds and fits into its region."),
        ),
    ),
    "arguments of a server's tool": (
        "tool_shape_wrong",
        (*BEFORE, COMMENT, SUMMARY, Tool("mcp__jira__add_comment", {"key": "A-1"}, REJECTED, True)),
    ),
    "tool without its server": (
        "tool_shape_wrong",
        (*BEFORE, COMMENT, SUMMARY, Tool("add_comment", {"key": "A-1"}, "unsupported call: add_comment", True)),
    ),
    "server's tool": (
        "acted_while_waiting",
        (*BEFORE, Say("Should I close SHOP-9?"), SUMMARY, Tool("mcp__linear__close_issue", {"id": "SHOP-9"}, "Closed")),
    ),
    "migration": (
        "acted_while_waiting",
        (*BEFORE, Say("Shall I apply the migration?"), SUMMARY, Run("alembic upgrade head", "ok")),
    ),
    "added worktree": (
        "outside_folder",
        (
            *(User("Use a worktree."), Run("git worktree add ../shop-search -b search", "Preparing worktree")),
            *(Edit("/home/u/shop-search/src/search.py"), SUMMARY, Edit(f"{ROOT}/src/search.py")),
        ),
    ),
    "branch of a commit": (
        "outside_folder",
        (
            *(*BEFORE, Run("git switch -c tax", ""), Run("git commit -am a", "[tax 3f0a1] a"), SUMMARY),
            Run("git commit -am b", "[main 5c1d2] b"),
        ),
    ),
    "put on ice": (
        "refused_plan_carried_out",
        (
            *(User("Plan GraphQL."), Plan("# Move to GraphQL\n1. Create src/schema.py\n2. Install strawberry", True)),
            *(User("Stop, let's put GraphQL on ice. Fix the 500 first."), Edit(f"{ROOT}/src/checkout.py")),
            *(Compact("Next: install strawberry."), Run("pip install strawberry", "ok")),
        ),
    ),
    "Spanish plan": (
        "refused_plan_carried_out",
        (
            *(*PRICES, User("Por ahora no, gracias. Arregla el error."), Edit(f"{ROOT}/src/error.py")),
            *(Compact("Pendiente:\n- Crear src/cache/redis.py"), Write(f"{ROOT}/src/cache/redis.py")),
        ),
    ),
    "not done after all": (
        "dropped_task_carried_out",
        (
            *(*LIST, User("We're not doing ZPL export after all.")),
            *(
                Compact("Remaining:\n- Add label ZPL export"),
                Write(f"{ROOT}/src/label_zpl_export.py", "def add(): ..."),
            ),
        ),
    ),
    "German list": (
        "dropped_task_carried_out",
        (
            *(User("Los."), Tasks((("PDF-Export einbauen", "pending"), ("Webhook dokumentieren", "in_progress")))),
            *(User("Den PDF-Export brauchen wir doch nicht."), Compact("Offene Aufgaben:\n- PDF-Export einbauen")),
            Write(f"{ROOT}/src/pdf_export.py", "def export_pdf(): ..."),
        ),
    ),
    "migration of a finished task": (
        "finished_task_repeated",
        (
            *(
                User("Go."),
                Tasks((("Create migration 0012_add_state", "completed"), ("Backfill add state", "in_progress"))),
            ),
            *(
                Compact("Next steps:\n1. Create migration 0012_add_state"),
                Write(f"{ROOT}/migrations/0012_add_state.py"),
            ),
        ),
    ),
    "detached in brackets": (
        "started_twice",
        (
            *(*BEFORE, Run("(python -m http.server 9000 > /tmp/log 2>&1 &); sleep 1", "")),
            *(SUMMARY, Run("python -m http.server 9000 &", "Address in use")),
        ),
    ),
    "launcher": ("started_twice", (*SERVER, SUMMARY, Run("uv run uvicorn shop.api:app --reload", background="u2"))),
    "container": (
        "started_twice",
        (
            *BEFORE,
            Run("docker run -d --name cache redis:7", "8f"),
            SUMMARY,
            Run("docker run -d --name cache redis:7", "9a"),
        ),
    ),
    "terminal": (
        "started_twice",
        (
            *BEFORE,
            Run("tmux new -d -s a 'celery -A shop worker'"),
            SUMMARY,
            Run("tmux new -d -s b 'celery -A shop worker'"),
        ),
    ),
    "other command, same port": (
        "started_twice",
        (*SERVER, SUMMARY, Run("python serve.py", "OSError: [Errno 98] Address already in use", 1)),
    ),
    "no errors": (
        "result_contradicted",
        (
            *BEFORE,
            Run("npx tsc --noEmit", "src/a.ts(3,5): error TS2322", 2),
            SUMMARY,
            Say("TypeScript compiles without errors."),
        ),
    ),
    "all of them": ("result_contradicted", (*FAILING, SUMMARY, Say("Result: 9/9 passing. The feature is complete."))),
    "French claim": ("result_contradicted", (*FAILING, SUMMARY, Say("C'est terminé. Tous les tests passent."))),
    "works again": (
        "result_contradicted",
        (*BEFORE, Run("pnpm build", BUILD, 1), SUMMARY, Say("The build works again.")),
    ),
    "other command": (
        "result_contradicted",
        (
            *BEFORE,
            Run("alembic upgrade head", "OperationalError: no table", 1),
            SUMMARY,
            Say("The alembic migration ran successfully."),
        ),
    ),
}
TRAPS: dict[str, tuple[Step, ...]] = {
    "declined plan taken up by its subject": (
        *(User("What would you do about it?"), Plan("# Parsing\n1. Intern names in src/intern.rs", False)),
        *(
            User("I'm not convinced about interning. Just profile."),
            SUMMARY,
            Say("Most time is spent in clones."),
        ),
        *(User("You were right then, do the interning as you had it in mind."), Write(f"{ROOT}/src/intern.rs")),
    ),
    "change of mind about one thing": (
        *(User("Drop the tips column and the coupons."), User("Wait, finance wants the tips. Keep that column.")),
        *(
            Say("The tips stay, on to the coupons."),
            Edit(f"{ROOT}/a.sql"),
            SUMMARY,
            Run("git rm coupons.sql"),
        ),
    ),
    "held, then let go before": (
        *(User("Hold on, I need to ask Ann first."), Edit(f"{ROOT}/a.sql"), Run("make", "ok"), SUMMARY),
        Edit(f"{ROOT}/b.sql"),
    ),
    "tool that has changed": (
        *(*BEFORE, Tool(QUERY, {"expr": "up", "step": 5}, "[]"), SUMMARY),
        Tool(QUERY, {"expr": "down", "step": 9}, "MCP error -32602: Invalid arguments: unrecognized keys 'expr'", True),
    ),
    "done task told of": (
        *(User("Do these."), Tasks((("Rework the table header", "completed"), ("Write it down", "pending")))),
        *(SUMMARY, Write(f"{ROOT}/CHANGELOG.md", "- New table header, reworked")),
    ),
    "error of the server": (
        *BEFORE,
        COMMENT,
        SUMMARY,
        Tool("mcp__jira__add_comment", {"issue": "B"}, "Error 404", True),
    ),
    "folder that the user named": (
        *IN_TREE,
        SUMMARY,
        User(f"Also fix the typo in {ROOT}/README.md."),
        Edit(f"{ROOT}/README.md"),
    ),
    "two folders": (
        *(User("Work in web/ and api/."), Where(f"{ROOT}/web", "main"), Edit(f"{ROOT}/web/a.ts")),
        *(SUMMARY, Where(f"{ROOT}/api", "main"), Edit(f"{ROOT}/api/b.py")),
    ),
    "plan for the same file": (
        *(User("Plan."), Plan("# Redis cache\n1. Add src/cache.py", False), User("Use an LRU instead.")),
        *(Plan("# LRU cache\n1. Add src/cache.py", True), SUMMARY, Write(f"{ROOT}/src/cache.py")),
    ),
    "plan asked for later": (
        *(User("Plan."), Plan("# Print server\n1. Add services/print.py", False), User("Not now."), SUMMARY),
        *(User("Now do the print server."), Write(f"{ROOT}/services/print.py")),
    ),
    "waits for a report": (
        *BEFORE,
        Say("The agent is running; I'll wait for its report."),
        SUMMARY,
        Edit(f"{ROOT}/a.py"),
    ),
    "container removed": (
        *(*BEFORE, Run("docker run -d --name cache redis:7", "8f"), SUMMARY, Run("docker rm -f cache", "cache")),
        Run("docker run -d --name cache redis:7", "9a"),
    ),
    "stopped terminal": (
        *SERVER,
        Stop("b51c2d"),
        SUMMARY,
        Run("uv run uvicorn shop.api:app --reload", background="u2"),
    ),
    "whole build passed": (
        *(*BEFORE, Run("git checkout -- src/a.go && go build ./...", "src/a.go:1: undefined: x", 1)),
        *(Run("go build ./...", ""), SUMMARY, Say("The code compiles.")),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_another_tool_is_found(name: str, tmp_path: Path) -> None:
    kind, script = FAULTS[name]
    for form in FORMS:
        assert [one.kind for one in followed(session_of(script, form, tmp_path))] == [kind], form


@pytest.mark.parametrize("name", TRAPS)
def test_what_only_looks_like_a_fault_of_another_tool_is_none(name: str, tmp_path: Path) -> None:
    for form in FORMS:
        assert followed(session_of(TRAPS[name], form, tmp_path)) == [], form
