"""`inspector count`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import HOSTILE, hostile_chat, inspect, transcript, written


def methods(target: Path, *words: object) -> dict[str, dict[str, Any]]:
    found = inspect("count", target, "--json", *words).json["methods"]
    return {method["how"] if method["name"] == "characters" else method["name"]: method for method in found}


def test_the_ways_of_counting_stand_side_by_side(log: Path) -> None:
    found = methods(log)
    assert list(found) == ["reported", "tiktoken", "4 characters a token", "tokenizer", "calibrated"]
    assert found["tokenizer"]["tokens"] == found["tiktoken"]["tokens"] == found["calibrated"]["tokens"]
    assert found["reported"]["note"] == "No call reported its usage."


def test_the_count_is_the_one_that_show_shows(log: Path) -> None:
    assert methods(log)["calibrated"]["tokens"] == inspect("show", log, "--json").json["window"]["total"]


def test_each_error_is_told_where_usage_was_reported(tmp_path: Path) -> None:
    found = methods(written(tmp_path / "agent.jsonl", transcript(turns=6)))
    assert found["reported"]["tokens"] == 15_000 + 60 * 6 + 5
    assert found["reported"]["error_pct"] == 0.0
    assert found["tiktoken"]["error_pct"] > 0
    assert found["tokenizer"]["note"] == "The tokenizer of anthropic models is not public."
    assert {"3.5 characters a token", "4 characters a token"} <= found.keys()


def test_the_text_has_a_line_for_each_and_fits_the_terminal(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript(turns=6))
    for columns in (60, 80, 110):
        out = inspect("count", file, COLUMNS=str(columns)).out
        assert max(map(len, out.splitlines())) <= columns
    assert "6 windows with a reported size" in out
    for name in ("reported", "tiktoken", "characters", "tokenizer", "calibrated"):
        assert any(line.startswith(f"  {name} ") for line in out.splitlines())
    assert "The recording does not contain the system prompt and the tools" in " ".join(out.split())


def test_it_is_the_same_from_a_file_and_from_the_store(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript("77aa-lamp"))
    read = methods(file)
    inspect("import", file)
    assert methods(Path("77aa")) == read


def test_an_agent_that_is_not_there_is_wrong_usage(log: Path) -> None:
    ended = inspect("count", log, "--agent", "mian")
    assert (ended.code, ended.out) == (2, "")


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    ended = inspect("count", tmp_path / "missing.json")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)


def test_nothing_in_a_recording_commands_the_terminal(tmp_path: Path) -> None:
    file = written(tmp_path / "evil.json", hostile_chat())
    for words in ((), ("--json",)):
        out = inspect("count", file, *words).out
        assert not set(out) & set(HOSTILE) & {"\x1b", "\x9b", "\u202e", "\u2066", "\x00", "\x7f"}


SAILOR = {"role": "user", "content": "Count the gulls."}
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "Nine."}]}


def pi_session() -> list[dict[str, Any]]:
    usage = {"input": 100, "output": 5, "cacheRead": 0, "cacheWrite": 0, "cost": {"input": 0.5, "total": 0.75}}
    return [
        {"type": "session", "version": 3, "id": "p1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/pier"},
        {"type": "message", "id": "a", "parentId": None, "timestamp": "2026-01-01T00:00:01Z", "message": SAILOR},
        {
            **{"type": "message", "id": "b", "parentId": "a", "timestamp": "2026-01-01T00:00:02Z"},
            "message": REPLY | {"model": "claude-opus-4-5", "usage": usage},
        },
    ]


def cline_task() -> dict[str, Any]:
    metrics = {"inputTokens": 100, "outputTokens": 5, "cost": 0.75}
    info = {"id": "claude-opus-4-5", "provider": "anthropic"}
    reply = REPLY | {"ts": 2, "modelInfo": info, "metrics": metrics}
    return {"version": 1, "sessionId": "c1", "messages": [SAILOR | {"ts": 1}, reply]}


def opencode_export() -> dict[str, Any]:
    def entry(role: str, text: str, **fields: Any) -> dict[str, Any]:
        info = {"id": f"msg_{role}", "sessionID": "s1", "role": role, "time": {"created": 1}, **fields}
        return {"info": info, "parts": [{"type": "text", "text": text, "id": role, "messageID": f"msg_{role}"}]}

    tokens = {"input": 100, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    model = {"modelID": "claude-opus-4-5", "providerID": "anthropic"}
    messages = [entry("user", "Count."), entry("assistant", "Nine.", tokens=tokens, cost=0.75, **model)]
    return {"info": {"id": "s1", "title": "Gulls", "time": {"created": 1}}, "messages": messages}


def mini_trajectory(**extra: Any) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": "Count."},
        SAILOR,
        {"role": "assistant", "content": "Nine.", "extra": extra},
    ]
    stats = {"instance_cost": 0.75, "api_calls": 1}
    return {"trajectory_format": "mini-swe-agent-1.1", "info": {"model_stats": stats}, "messages": messages}


def swe_run() -> dict[str, Any]:
    history = [{"role": "system", "content": "Count."}, SAILOR, {"role": "assistant", "content": "Nine."}]
    step = {"action": "ls", "observation": "", "response": "Nine.", "thought": "", "state": "{}"}
    return {"trajectory": [step], "history": history, "info": {"model_stats": {"instance_cost": 0.75}}}


@pytest.mark.parametrize(
    ("name", "make", "calls"),
    [
        ("p.jsonl", pi_session, "1 call"),
        ("c.json", cline_task, "1 call"),
        ("o.json", opencode_export, "1 call"),
        ("m.json", lambda: mini_trajectory(cost=0.75), "1 call"),
        ("n.json", mini_trajectory, "all calls"),
        ("s.traj", swe_run, "all calls"),
    ],
)
def test_the_cost_that_a_file_states_is_shown_beside_the_computed_one(
    tmp_path: Path, name: str, make: Callable[[], Any], calls: str
) -> None:
    value = make()
    path = tmp_path / name
    path.write_text("\n".join(map(json.dumps, value)) if isinstance(value, list) else json.dumps(value))
    sentence = f"The file itself states $0.75 for {calls}."
    assert sentence in " ".join(inspect("count", path).out.split())
    assert sentence in " ".join(inspect("why", path).out.split())
    assert inspect("count", path, "--json").json["stated_cost"] == 0.75


def test_a_file_that_states_no_cost_has_none(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript(turns=2))
    assert inspect("count", file, "--json").json["stated_cost"] is None
