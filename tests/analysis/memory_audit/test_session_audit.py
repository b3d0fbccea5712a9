"""What sessions tell about memories: their cost, uses, broken rules, and corrections that no rule states."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.memory_audit import AuditFinding, audit_memories
from inspector.core.conversation import Session
from inspector.formats import load

RULES = "# Rules\n\n- Never push to main.\n- Do not use git stash.\n"


def bash(command: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": command, "name": "Bash", "input": {"command": command}}


def read(path: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": path, "name": "Read", "input": {"file_path": path}}


def session(folder: Path, *messages: str | Mapping[str, Any], day: int = 1) -> tuple[str, Session]:
    """Return a session of Claude Code: texts of the user, "=summary", and calls with their results."""
    rows: list[dict[str, Any]] = []

    def add(kind: str, content: Any, **more: Any) -> None:
        before = rows[-1]["uuid"] if rows else None
        message = {"role": kind, "content": content, **more.pop("message", {})}
        stamp = f"2026-03-{day:02}T10:00:{len(rows):02}Z"
        rows.append(
            {"type": kind, "uuid": f"{day}-{len(rows)}", "parentUuid": before, "sessionId": f"s{day}", "cwd": "/shop"}
            | {"version": "2.1.0", "timestamp": stamp, "message": message, **more}
        )

    for message in messages:
        if isinstance(message, str):
            add("user", message.removeprefix("="), **({"isCompactSummary": True} if message.startswith("=") else {}))
            continue
        usage = {"input_tokens": 1_000, "output_tokens": 10}
        fields = {"id": f"m{day}-{len(rows)}", "model": "claude-sonnet-4-5", "usage": usage}
        add("assistant", [message], message=fields)
        answer = [{"type": "tool_result", "tool_use_id": message["id"], "content": "done: 1 file"}]
        add("user", answer)
    path = folder / f"session{day}.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path.name, load(path)[0]


def findings(
    folder: Path, kind: str, sessions: Sequence[tuple[str, Session]], files: Mapping[str, str], days: int = 0
) -> list[AuditFinding]:
    project = folder / "shop"
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    audit = audit_memories(project, sessions=sessions, days=days)
    assert audit.sessions == len(sessions)
    return [finding for finding in audit.findings if finding.kind == kind]


def test_a_broken_rule_is_named_with_its_turns_before_and_after_a_compaction(tmp_path: Path) -> None:
    one = session(
        tmp_path, "Release it.", bash("git status"), bash("git push origin main"), "=Summary: it was released.",
        bash("git push origin main --tags"), bash("git push origin feature/x"),
    )  # fmt: skip
    (broken,) = findings(tmp_path, "broken", [one], {"CLAUDE.md": RULES})
    assert broken.items == ["CLAUDE.md:3", "session1.jsonl turn 2", "session1.jsonl turn 3"]
    assert "broken 2 times, 1 of them after a compaction" in broken.evidence
    assert broken.value == "git push origin main"


@pytest.mark.parametrize(
    ("rule", "is_sure"),
    [
        ("Never use `git worktree`.", True),
        ("Do not build from a forgotten local `trunk` or from a branch that was created off an old release.", False),
    ],
)
def test_a_rule_with_qualifications_that_a_call_does_not_show_is_uncertain(
    rule: str, is_sure: bool, tmp_path: Path
) -> None:
    one = session(tmp_path, "Go on.", bash("git status"), bash("git worktree add ../x -b feat origin/trunk"))
    broken = findings(tmp_path, "broken", [one], {"CLAUDE.md": f"- {rule}\n"})
    assert [finding.confidence > 0.5 for finding in broken] == [is_sure]


def test_what_the_user_allows_breaks_no_rule(tmp_path: Path) -> None:
    one = session(
        tmp_path, "Release it.", bash("git status"), "You can push to main now.", bash("git push origin main")
    )
    assert not findings(tmp_path, "broken", [one], {"CLAUDE.md": RULES})


def test_a_rule_about_a_subcommand_is_not_about_the_whole_program(tmp_path: Path) -> None:
    one = session(tmp_path, "Go on.", bash("git status"), bash("git stash pop"), bash("git diff"))
    (broken,) = findings(tmp_path, "broken", [one], {"CLAUDE.md": RULES})
    assert broken.items == ["CLAUDE.md:4", "session1.jsonl turn 2"]


def test_rules_of_another_program_are_not_broken(tmp_path: Path) -> None:
    one = session(tmp_path, "Go on.", bash("git status"), bash("git push origin main"))
    assert not findings(tmp_path, "broken", [one], {"GEMINI.md": RULES})


def test_a_correction_in_two_sessions_is_a_missing_rule_until_one_states_it(tmp_path: Path) -> None:
    sessions = [
        session(tmp_path, "Add a chart.", bash("npm i chart"), "Use pnpm, not npm.", day=1),
        session(tmp_path, "Bump react.", bash("npm i react"), "No, use pnpm, not npm, for packages!", day=2),
    ]
    (missing,) = findings(tmp_path, "missing", sessions, {"CLAUDE.md": RULES})
    assert missing.items == ["session1.jsonl turn 2", "session2.jsonl turn 2"]
    assert "+- No, use pnpm, not npm, for packages!" in missing.patch
    assert not findings(tmp_path, "missing", sessions[:1], {"CLAUDE.md": RULES})
    assert not findings(tmp_path, "missing", sessions, {"CLAUDE.md": f"{RULES}- Always use pnpm, never npm.\n"})


def test_a_file_that_is_read_again_after_each_compaction_is_missing(tmp_path: Path) -> None:
    path = "/shop/src/tax.py"
    reads = (read(path), "=Summary: it was read.", read(path), "=Summary: it was read again.", read(path))
    one = session(tmp_path, "Explain the tax.", *reads, bash("ls"))
    (missing,) = findings(tmp_path, "missing", [one], {"CLAUDE.md": RULES})
    assert missing.value == path
    assert "read again after 2 of 2 compactions" in missing.evidence


def test_a_rule_for_files_that_no_session_touches_is_unused(tmp_path: Path) -> None:
    sessions = [session(tmp_path, "Look.", read("/shop/src/tax.py"), day=day) for day in (1, 2)]
    files = {
        "CLAUDE.md": RULES,
        ".claude/rules/python.md": "---\npaths: src/**/*.py\n---\n- Use type hints everywhere.\n",
        ".claude/rules/go.md": "---\npaths: cmd/**/*.go\n---\n- Wrap all errors with context.\n",
        "cmd/main.go": "",
        "src/tax.py": "",
    }
    unused = findings(tmp_path, "unused", sessions, files)
    assert [finding.items for finding in unused] == [[".claude/rules/go.md:4"]]
    assert "2 sessions from 2026-03-01 to 2026-03-02" in unused[0].evidence


def test_only_sessions_of_the_last_days_count_as_uses(tmp_path: Path) -> None:
    files = {"memory/MEMORY.md": "- [tax](tax.md): rounding\n", "memory/tax.md": "Taxes are rounded half to even.\n"}
    used = session(tmp_path, "Look.", read("/home/u/memory/tax.md"), day=1)
    later = [session(tmp_path, "Look.", bash("ls"), day=day) for day in (20, 21)]
    assert not findings(tmp_path, "unused", [used, *later], files)
    (unused,) = findings(tmp_path, "unused", [used, *later], files, days=7)
    assert "was not read in 2 sessions" in unused.evidence


def test_a_recalled_item_is_used_if_a_result_contains_it(tmp_path: Path) -> None:
    graph = [
        {"type": "entity", "name": "shop", "entityType": "p", "observations": ["ships on Thursdays only", "has no fax"]}
    ]
    text = "".join(f"{json.dumps(row)}\n" for row in graph)
    recall = {"type": "tool_use", "id": "r", "name": "Read", "input": {"file_path": "/shop/memory.json"}}
    one, two = (session(tmp_path, "When?", recall, "It ships on Thursdays only", day=day) for day in (1, 2))
    said = session(tmp_path, "Recall.\nships on Thursdays only\n", recall, day=3)
    unused = findings(tmp_path, "unused", [one, two, said], {"memory.jsonl": text})
    assert [finding.items for finding in unused] == [["shop#2"]]


def test_a_loaded_file_costs_money_in_each_request(tmp_path: Path) -> None:
    long = "# Rules\n\n" + "".join(f"- Rule {n} is about the part {n} of the shop.\n" for n in range(40))
    one = session(tmp_path, "Look.", bash("ls"), bash("pwd"))
    (cost,) = findings(tmp_path, "cost", [one], {"CLAUDE.md": long})
    tokens = int(cost.value.split()[0]) // 2
    assert "2 requests of 1 session of 2026-03-01" in cost.evidence
    assert f"~{tokens:,} tokens" in cost.evidence
    assert "per week" in cost.evidence
