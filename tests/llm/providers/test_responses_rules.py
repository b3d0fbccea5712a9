"""The checks of Responses requests that other tests rely on find what the interface refuses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.responses_rules import check_responses

ASK = {"role": "user", "content": "Hi."}
CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "3"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}


def checked(*items: Any, **fields: Any) -> list[str]:
    return check_responses({"model": "m", "input": list(items), **fields})


def test_sound_requests_pass() -> None:
    assert checked(ASK, REASONING, CALL, ASK, OUTPUT, {"role": "assistant", "content": "3"}, instructions="s") == []


@pytest.mark.parametrize(
    ("items", "refusal"),
    [
        ([], 'One of "input"'),
        ([ASK, OUTPUT], "No tool call found for function call output with call_id c."),
        ([OUTPUT, CALL], "No tool call found"),
        ([ASK, CALL], "No tool output found for function call c."),
        ([CALL, OUTPUT, OUTPUT], "No tool call found"),
        ([CALL, OUTPUT, CALL, OUTPUT], "Duplicate"),
        ([CALL, {**OUTPUT, "type": "custom_tool_call_output"}], "No tool"),
        ([ASK, REASONING], "without its required following item"),
        ([ASK, REASONING, ASK], "without its required following item"),
        ([{**CALL, "call_id": "x" * 65}, {**OUTPUT, "call_id": "x" * 65}], "too long"),
        ([{**CALL, "call_id": None}], "Missing required parameter"),
        ([{**CALL, "arguments": {}}, OUTPUT], "expected a string"),
        ([{**CALL, "name": "a b"}, OUTPUT], "pattern"),
        ([CALL, {**OUTPUT, "output": None}], "got null"),
        ([{"role": "owl", "content": "x"}], "Supported values"),
        ([{"role": "user", "content": None}], "got null"),
        ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], "Supported values"),
        ([{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}], "Supported values"),
        ([{**ASK, "name": "Ada"}], "Unknown parameter"),
        ([{"type": "hologram"}], "Invalid value"),
    ],
)
def test_refusals(items: list[Any], refusal: str) -> None:
    assert any(refusal in result for result in checked(*items))


def test_refusals_of_what_stands_around_the_items() -> None:
    assert any("model" in result for result in check_responses({"model": "", "input": [ASK]}))
    for name in ("messages", "max_tokens", "reasoning_effort"):
        assert any(f"Unknown parameter: '{name}'" in result for result in checked(ASK, **{name: 1}))
    assert any("parameters" in result for result in checked(ASK, tools=[{"type": "function", "name": "f"}]))
    assert any("got null" in result for result in checked(ASK, temperature=None))
