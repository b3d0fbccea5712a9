"""Every command on sessions whose arguments, schemas, results and unknown fields are nested deeply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.engine.strategies import STRATEGIES
from inspector.llm.providers import PROVIDERS
from tests.cli.calling import inspect, transcript

DEEP, DEEPEST = 300, 10_000
"""More levels than the fast writer of JSON takes; and more than any parser does, which only text can have."""


def nested(levels: int) -> Any:
    """Lists and objects in turn."""
    value: Any = "lamp 4711"
    for level in range(levels):
        value = {"properties": value} if level % 2 else [value]
    return value


def nested_text(levels: int) -> str:
    return "[" * levels + '"lamp 4711"' + "]" * levels


SCHEMA = {"type": "object", "properties": {"lamp": nested(DEEP)}}


def openai(arguments: str, result: Any, strange: Any) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": arguments}}
    return {
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "Never let the lamp go out."},
            {"role": "user", "content": "Find lamp 4711.", "strange": strange},
            {"role": "assistant", "content": "Reading.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": result},
            {"role": "assistant", "content": [{"type": "strange", "strange": strange}]},
            {"role": "user", "content": "And now?"},
        ],
        "tools": [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}],
        "metadata": strange,
    }


def anthropic() -> dict[str, Any]:
    value = nested(DEEP)
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "strange", "strange": value}]}
    return {
        "model": "claude-sonnet-4-20250514",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Never let the lamp go out.", "strange": value}],
        "messages": [
            {"role": "user", "content": "Find lamp 4711.", "strange": value},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": value}]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [{"type": "strange", "strange": value}]},
            {"role": "user", "content": "And now?"},
        ],
        "tools": [{"name": "read", "input_schema": SCHEMA}],
        "metadata": value,
    }


def recorded() -> list[dict[str, Any]]:
    """A transcript in which one line is written twice, so that the two are compared."""
    records = transcript()
    for record in records:
        record["toolUseResult"] = nested(DEEP)
    for block in records[1]["message"]["content"]:
        block["input"] = {"lamp 4711": nested(DEEP)}
    return [*records, records[1]]


SESSIONS = {
    "values.json": openai('{"path": 1}', [{"type": "strange", "strange": nested(DEEP)}], nested(DEEP)),
    "arguments.json": openai(json.dumps({"path": nested(DEEP)}), json.dumps(nested(DEEP)), {}),
    "text.json": openai(nested_text(DEEPEST), nested_text(DEEPEST), {}),
    "anthropic.json": anthropic(),
    "transcript.jsonl": recorded(),
}
PRESETS = ("--preset", "aggressive", "--preset", "conservative")
COMMANDS: list[tuple[str, ...]] = [
    ("ls", "FILE"),
    ("show", "FILE"),
    ("count", "FILE"),
    *(("compress", "FILE", "--strategy", name) for name in STRATEGIES),
    *(("diff", "FILE", "--strategy", name) for name in ("fifo", "mask_observations", "sliding_window")),
    *(("check", "FILE", "--all-turns", "--provider", provider) for provider in PROVIDERS),
    *(("export", "FILE", "--to", provider) for provider in PROVIDERS),
    ("replay", "FILE", "--strategy", "sliding_window", "--threshold", "10"),
    ("tune", "FILE"),
    ("compare", "FILE", *PRESETS),
    ("compare", "FILE", "FILE"),
    ("import", "FILE"),
    ("import", "FILE"),
    ("search", "lamp"),
    ("compress", "FILE", "--strategy", "sliding_window", "--set", "keep_recent=1", "--apply"),
    ("show", "FILE"),
    ("export", "FILE"),
]


@pytest.mark.parametrize("name", SESSIONS)
def test_every_command_takes_what_is_nested_deeply(tmp_path: Path, name: str) -> None:
    file, session = tmp_path / name, SESSIONS[name]
    file.write_text("\n".join(map(json.dumps, session if isinstance(session, list) else [session])))
    for number, command in enumerate(COMMANDS, list(SESSIONS).index(name)):  # as text and as JSON in turn
        form = ("--json",) if number % 2 else ()
        words = [str(file) if word == "FILE" else word for word in command]
        ended = inspect(*words, *form)
        assert ended.code in (0, 3), (command, ended.err)
        assert "mistake" not in ended.err
        assert not form or ended.json is not None


def test_deep_values_are_exported_as_they_were(tmp_path: Path) -> None:
    file, request = tmp_path / "anthropic.json", anthropic()
    file.write_text(json.dumps(request))
    sent = inspect("export", file).json
    assert sent["messages"][1] == request["messages"][1]
    assert sent["tools"] == request["tools"]
    assert inspect("export", file, "--to", "openai").json["tools"][0]["function"]["parameters"] == SCHEMA


def test_what_is_nested_too_deeply_for_any_parser_is_left_out(tmp_path: Path) -> None:
    deep = '{"role": "user", "content": "a", "deep": %s}' % nested_text(DEEPEST)  # noqa: UP031  it is full of braces
    whole = tmp_path / "whole.json"
    whole.write_text('{"model": "gpt-4o", "messages": [%s]}' % deep)  # noqa: UP031
    for command in COMMANDS[:-1]:
        ended = inspect(*[str(whole) if word == "FILE" else word for word in command])
        assert ended.code == 0 or "has no model calls" in ended.err, (command, ended.err)
    assert inspect("show", whole, "--json").json["damage"] == ["values nested more than 200 levels deep were left out"]
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"role": "user", "content": "b"}\n%s\n' % deep)  # noqa: UP031
    assert inspect("show", lines, "--json").json["damage"] == [
        "line 2: values nested more than 200 levels deep were left out"
    ]
