"""Events of OpenHands: which observations failed, and what the agent was offered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.formats import load
from tests.formats.written import only, write_json

_TOOL = {"type": "function", "function": {"name": "run", "description": "Runs.", "parameters": {"type": "object"}}}
_SYSTEM = {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be brief.", "tools": [_TOOL]}}


def _ran(number: int, **beside: Any) -> list[dict[str, Any]]:
    """A command, and what came of it with `beside` next to its text."""
    call = {"id": f"c{number}", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    message = {"role": "assistant", "tool_calls": [call]}
    response = {"id": f"r{number}", "model": "m", "choices": [{"message": message}]}
    metadata = {"tool_call_id": f"c{number}", "function_name": "run", "model_response": response}
    about = {"source": "agent", "tool_call_metadata": metadata}
    report = {"accumulated_token_usage": {"context_window": 64_000}}
    return [
        {"id": number, "action": "run", "args": {"command": "ls"}, "llm_metrics": report, **about},
        {"id": number + 1, "observation": "run", "content": "done", **about, **beside},
    ]


def test_an_observation_without_success_is_an_error(tmp_path: Path) -> None:
    events = [_SYSTEM, *_ran(1, success=True), *_ran(3, success=False), *_ran(5, extras={"success": False})]
    session = only(write_json(tmp_path / "events.json", events))
    assert [message.is_error for message in session if message.role == "tool"] == [False, True, True]


def test_tools_and_the_context_window_are_those_that_were_recorded(tmp_path: Path) -> None:
    (session,) = load(write_json(tmp_path / "events.json", [_SYSTEM, *_ran(1)]))
    assert [tool["function"]["name"] for tool in session.tools] == ["run"]
    assert session.records_system and session.sizes is not None and session.sizes.limit == 64_000
