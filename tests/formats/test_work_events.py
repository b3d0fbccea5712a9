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
    {"type": "session.model_change", "data": {"newModel": "claude-sonnet-4.6", "reasoningEffort": "medium"}},
    {"type": "session.permissions_changed", "data": {"allowAllPermissions": True}},
    {"type": "assistant.message", "data": {"messageId": "m", "content": "I do."}},
]
PI: list[dict[str, Any]] = [
    {
        "type": "session",
        "id": "s",
        "cwd": "/w/shop",
        "timestamp": TIME,
        "modelId": "claude-opus-4-5",
        "thinkingLevel": "off",
    },
    {"type": "message", "id": "a", "message": {"role": "user", "content": "Go on."}},
    {"type": "thinking_level_change", "parentId": "a", "thinkingLevel": "high"},
    {"type": "model_change", "parentId": "a", "provider": "anthropic", "modelId": "claude-sonnet-4-5"},
    {"type": "message", "id": "b", "parentId": "a", "message": {"role": "assistant", "content": "I do."}},
]
OPENCODE = {
    "info": {"id": "ses_1", "title": "Shop", "directory": "/w"},
    "messages": [
        {"info": {"id": "m1", "role": "user"}, "parts": [{"type": "text", "text": "Go on."}]},
        {
            "info": {"id": "m2", "role": "assistant", "mode": "plan", "modelID": "gpt-5.2", "path": {"cwd": "/w/shop"}},
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
    [
        (lines(COPILOT), "feat/x", {"permission": "allow all", "model": "claude-sonnet-4.6", "effort": "medium"}),
        (lines(PI), "", {"model": "claude-sonnet-4-5", "effort": "high"}),
        (json.dumps(OPENCODE), "", {"permission": "plan", "agent": "plan", "model": "gpt-5.2"}),
    ],
    ids=["copilot-cli", "pi", "opencode"],
)
def test_a_format_gives_the_state_that_it_records(text: str, branch: str, mode: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_text(text)
    state = WorkHistory(load(path)[0]).at_turn()
    assert state.text("where", "folder") == "/w/shop"
    assert state.text("where", "branch") == branch
    assert {item.name: item.text for item in state.of("mode")} == mode


SDK: list[dict[str, Any]] = [
    {
        "id": "c1",
        "agent": {"kind": "Agent", "llm": {"model": "anthropic/claude-opus-4-5"}},
        "workspace": {"working_dir": "/w"},
        "confirmation_policy": {"kind": "AlwaysConfirm"},
        "stats": {},
    },
    {
        "kind": "MessageEvent",
        "source": "user",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": "Go on."}]},
    },
    {
        "kind": "ActionEvent",
        "source": "agent",
        "llm_response_id": "r1",
        "tool_name": "terminal",
        "tool_call_id": "t1",
        "tool_call": {"id": "t1", "name": "terminal", "arguments": '{"command": "cd shop"}'},
    },
    {
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_call_id": "t1",
        "tool_name": "terminal",
        "observation": {"content": "ok", "metadata": {"exit_code": 0, "working_dir": "/w/shop"}},
    },
]
OPENHANDS: list[dict[str, Any]] = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": "Go on."}, "timestamp": TIME},
    {"id": 1, "source": "agent", "action": "run", "args": {"command": "cd shop"}, "timestamp": TIME},
    {
        "id": 2,
        "source": "agent",
        "observation": "run",
        "cause": 1,
        "content": "ok",
        "extras": {"metadata": {"exit_code": 0, "working_dir": "/w/shop"}},
        "timestamp": TIME,
    },
    {"id": 3, "source": "agent", "action": "finish", "args": {"thought": "Done."}, "timestamp": TIME},
]


@pytest.mark.parametrize(("records", "permission"), [(SDK, "AlwaysConfirm"), (OPENHANDS, "")], ids=["sdk", "runs"])
def test_openhands_gives_the_folder_after_each_command(
    records: list[dict[str, Any]], permission: str, tmp_path: Path
) -> None:
    path = tmp_path / "recording.json"
    path.write_text(json.dumps(records) if permission == "" else lines(records))
    (session,) = load(path)
    assert session.format.startswith("openhands")
    state = WorkHistory(session).at_turn()
    assert state.text("where", "folder") == "/w/shop"
    assert state.text("mode", "permission") == permission
    assert state.actor == ("agent" if permission else "user")
