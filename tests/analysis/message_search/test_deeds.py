"""What a message did, as it can be taken along."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.analysis.message_search import copyable_action_of
from inspector.llm.providers import message_from_raw


def call(arguments: Any, id: str = "c1", name: str = "tool") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def calling(*calls: dict[str, Any], says: str | None = None) -> Any:
    return message_from_raw("m1", {"role": "assistant", "content": says, "tool_calls": list(calls)}, "openai")


def result(of: str) -> Any:
    return message_from_raw("m2", {"role": "tool", "tool_call_id": of, "content": "what came back"}, "openai")


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"command": "pytest -q\n  tests", "timeout": 5}, "command", "pytest -q\n  tests"),
        ({"command": ["bash", "-lc", "ls 'a b'"]}, "command", "bash -lc 'ls '\"'\"'a b'\"'\"''"),
        ({"offset": 3, "file_path": "/src/gate.py"}, "path", "/src/gate.py"),
        ({"url": "https://a.b/c"}, "address", "https://a.b/c"),
        ({"pattern": "gate.*"}, "query", "gate.*"),
        ({"command": ["a", 1], "x": "y"}, "arguments", 'command: ["a",1]\nx: y'),
        ("not json", "arguments", "not json"),
        ({}, "arguments", ""),
    ],
)
def test_a_call_and_its_result_are_what_was_asked_for(arguments: Any, kind: str, text: str) -> None:
    caller = calling(call({"path": "other"}, "c0"), call(arguments))
    for deed in (copyable_action_of(calling(call(arguments)), []), copyable_action_of(result("c1"), [caller])):
        assert (deed.kind, deed.text) == (kind, text)


def test_several_calls_stand_one_below_the_other() -> None:
    deed = copyable_action_of(calling(call({"path": "a"}), call({"path": "b"}, "c2")), [])
    assert (deed.kind, deed.text) == ("path", "a\nb")
    assert copyable_action_of(calling(call({"path": "a"}), call({"command": "ls"}, "c2")), []).kind == "arguments"


def test_what_says_something_or_has_no_call_is_its_text() -> None:
    assert copyable_action_of(calling(call({"path": "a"}), says="I look."), []).kind == "text"
    assert copyable_action_of(result("c9"), [calling(call({"path": "a"}))]).text == "what came back"
