"""Trajectories of mini-swe-agent: what was sent, and what the program knows of each message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.core.conversation import Usage
from inspector.formats import load
from tests.formats.written import write_json

Record = dict[str, Any]


def reply(number: int, **extra: Any) -> Record:
    text = f"THOUGHT: next.\n\n```mswea_bash_command\nls box-{number}\n```"
    response = {"model": "claude-opus-4-5", "usage": {"prompt_tokens": 100 * number, "completion_tokens": 20}}
    extra = {"actions": [{"command": f"ls box-{number}"}], "response": response, "cost": 0.01, **extra}
    return {"role": "assistant", "content": text, "tool_calls": None, "function_call": None, "extra": extra}


def run(*messages: Record, **fields: Any) -> Record:
    settings = {"model": {"model_name": "anthropic/claude-opus-4-5"}}
    info = {"exit_status": "Submitted", "model_stats": {"instance_cost": 0.02, "api_calls": 2}, "config": settings}
    start = [{"role": "system", "content": "You count scans."}, {"role": "user", "content": "Count box 3."}]
    return {"info": info, "messages": [*start, *messages], "trajectory_format": "mini-swe-agent-1.1", **fields}


def test_replies_have_their_model_usage_and_time(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.traj.json", run(reply(1, timestamp=1_767_323_045.5), instance_id="archive-3"))
    [session] = load(path)
    assert (session.format, session.id, session.model) == ("mini-swe-agent", "archive-3", "claude-opus-4-5")
    assert [message.role for message in session] == ["system", "user", "assistant"]
    answer = session.messages[2]
    assert answer.usage == Usage(100, 20) and answer.model == "claude-opus-4-5"
    assert answer.time == "2026-01-02T03:04:05.500Z"
    assert answer.record["extra"]["cost"] == 0.01 and "extra" not in answer.raw and "tool_calls" not in answer.raw


def test_what_commands_printed_is_no_word_of_the_person(tmp_path: Path) -> None:
    printed = {"role": "user", "content": "<returncode>0</returncode>", "extra": {"returncode": 0}}
    said = {"role": "user", "content": "Box 4 too.", "extra": {"interrupt_type": "UserInterruption"}}
    end = {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}}
    [session] = load(write_json(tmp_path / "a.json", run(reply(1), printed, said, reply(2), end)))
    kinds = [message.kind for message in session]
    assert kinds == ["chat", "chat", "chat", "injected", "chat", "chat", "notice"]


def test_calls_of_tools_are_answered(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "3 scans", "extra": {"returncode": 0}}
    [session] = load(write_json(tmp_path / "a.json", run({**reply(1), "tool_calls": [call]}, answer)))
    assert session.messages[2].calls[0].name == "bash" and session.messages[3].answers == "c1"
    assert session.messages[3].name == "bash"


def test_an_older_file_names_no_format(tmp_path: Path) -> None:
    older = run(reply(1))
    del older["trajectory_format"]
    assert load(write_json(tmp_path / "a.json", older))[0].format == "mini-swe-agent"


def test_replies_of_the_responses_interface_are_calls_with_their_usage(tmp_path: Path) -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command":"ls"}'}
    usage = {"input_tokens": 100, "output_tokens": 9, "input_tokens_details": {"cached_tokens": 30}}
    response = {"object": "response", "model": "gpt-5", "output": [call], "usage": usage, "extra": {"cost": 0.01}}
    printed = {"type": "function_call_output", "call_id": "c1", "output": "3 scans", "extra": {"returncode": 0}}
    [session] = load(write_json(tmp_path / "a.traj.json", run(response, printed)))
    answer, result = session.messages[2:]
    assert (answer.role, answer.usage, answer.model) == ("assistant", Usage(100, 9, 30), "gpt-5")
    assert (result.role, result.answers, result.text) == ("tool", "c1", "3 scans")
    assert answer.record["extra"] == {"cost": 0.01}
