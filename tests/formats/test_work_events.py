"""The folder, branch and mode that formats record beside the words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.engine.work_state import WorkHistory
from inspector.formats import load

TIME = "2026-10-01T10:00:00.000Z"
COPILOT: list[dict[str, Any]] = [
    {"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/w/shop", "branch": "main"}}},
    {"type": "user.message", "data": {"content": "Go on."}},
    {"type": "session.context_changed", "data": {"cwd": "/w/shop", "branch": "feat/x"}},
    {"type": "assistant.message", "data": {"messageId": "m", "content": "I do."}},
]
PI: list[dict[str, Any]] = [
    {"type": "session", "id": "s", "cwd": "/w/shop", "timestamp": TIME},
    {"type": "message", "id": "a", "message": {"role": "user", "content": "Go on."}},
    {"type": "message", "id": "b", "parentId": "a", "message": {"role": "assistant", "content": "I do."}},
]
OPENCODE = {
    "info": {"id": "ses_1", "title": "Shop", "directory": "/w"},
    "messages": [
        {"info": {"id": "m1", "role": "user"}, "parts": [{"type": "text", "text": "Go on."}]},
        {
            "info": {"id": "m2", "role": "assistant", "mode": "plan", "path": {"cwd": "/w/shop", "root": "/w"}},
            "parts": [{"type": "text", "text": "I do."}],
        },
    ],
}


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(
        json.dumps({"id": f"e{number}", "timestamp": TIME, "parentId": None} | record) + "\n"
        for number, record in enumerate(records)
    )


@pytest.mark.parametrize(
    ("text", "branch", "mode"),
    [(lines(COPILOT), "feat/x", ""), (lines(PI), "", ""), (json.dumps(OPENCODE), "", "plan")],
    ids=["copilot-cli", "pi", "opencode"],
)
def test_a_format_gives_the_state_that_it_records(text: str, branch: str, mode: str, tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_text(text)
    state = WorkHistory(load(path)[0]).at_turn()
    assert state.text("where", "folder") == "/w/shop"
    assert (state.text("where", "branch"), state.text("mode", "permission")) == (branch, mode)
