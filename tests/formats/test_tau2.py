"""Simulations of tau2-bench: the user's own calls are words that the agent is not sent, the agent's are calls."""

from __future__ import annotations

from pathlib import Path

from inspector.formats import load
from tests.formats.written import write_lines


def test_many_simulations_are_many_sessions_and_users_call_tools_too(tmp_path: Path) -> None:
    messages = [
        {"role": "assistant", "content": "Please restart it.", "turn_idx": 0},
        {"role": "user", "tool_calls": [{"id": "u1", "name": "restart", "arguments": {}, "requestor": "user"}]},
        {"role": "tool", "id": "u1", "content": "restarted", "requestor": "user"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "a1", "name": "check", "arguments": {"line": 3}, "requestor": "assistant"}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 3},
        },
        {"role": "tool", "id": "a1", "content": "no such line", "requestor": "assistant", "error": True},
    ]
    simulation = {"id": "s1", "task_id": "t1", "trial": 0, "termination_reason": "user_stop", "messages": messages}
    results = {
        "info": {"agent_info": {"llm": "gpt-4o"}},
        "simulations": [simulation, simulation | {"id": "s2", "trial": 1}, simulation | {"id": "s3", "messages": []}],
    }
    first, second = load(write_lines(tmp_path / "results.json", [results]))
    assert (first.id, second.id, first.model) == ("s1", "s2", "gpt-4o")
    assert [message.role for message in first] == ["assistant", "user", "user", "assistant", "tool"]
    assert first.messages[1].text == "restart {}" and first.messages[2].text == "restarted"
    assert [message.kind for message in first] == ["chat", "notice", "notice", "chat", "chat"]
    assert first.messages[4].is_error and first.messages[4].answers == "a1"
    assert [message.usage.input for message in first if message.usage] == [12]
