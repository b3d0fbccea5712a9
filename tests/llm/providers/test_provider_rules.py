"""The checks that other tests rely on find what the providers refuse."""

from __future__ import annotations

from typing import Any

import pytest

from tests.provider_rules import check_anthropic, check_openai

USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "3"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
TOOLS = [{"name": "f", "input_schema": {"type": "object"}}]
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
ANSWER = {"role": "tool", "tool_call_id": "c", "content": "3"}
ASK = {"role": "user", "content": "Hi."}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def reply(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def chat(*messages: Any, **fields: Any) -> list[str]:
    return check_openai({"model": "m", "messages": list(messages), **fields})


def claude(*messages: Any, **fields: Any) -> list[str]:
    return check_anthropic({"model": "m", "max_tokens": 9, "tools": TOOLS, "messages": list(messages), **fields})


def test_sound_requests_pass() -> None:
    assert chat({"role": "system", "content": "s"}, ASK, CALLING, ANSWER, {"role": "assistant", "content": "3"}) == []
    assert (
        claude(
            ASK,
            reply(THOUGHT, USE),
            user(RESULT, {"type": "text", "text": "On."}),
            reply({"type": "text", "text": "3"}),
        )
        == []
    )


@pytest.mark.parametrize(
    ("messages", "refusal"),
    [
        ([], "too short"),
        ([ASK, ANSWER], "must be a response to a preceding message with 'tool_calls'"),
        ([CALLING, ASK, ANSWER], "must be followed by tool messages"),
        ([CALLING], "did not have response messages: c"),
        ([CALLING, ANSWER, ANSWER], "must be a response"),
        ([{**CALLING, "tool_calls": []}], "minimum length 1"),
        ([{**CALLING, "tool_calls": [CALL, CALL]}, ANSWER], "Duplicate"),
        ([{"role": "assistant", "content": None}], "got null"),
        ([{"role": "user", "content": []}], "empty array"),
        ([{"role": "user", "content": 7}], "string or array"),
        ([{"role": "owl", "content": "x"}], "Supported values"),
        ([{**ASK, "name": None}], "got null"),
        ([{**CALLING, "tool_calls": [{**CALL, "id": "x" * 65}]}, {**ANSWER, "tool_call_id": "x" * 65}], "too long"),
        (
            [{**CALLING, "tool_calls": [{**CALL, "function": {"name": "f", "arguments": {}}}]}, ANSWER],
            "expected a string",
        ),
        (
            [{"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}],
            "only allowed for messages",
        ),
        ([ASK, ASK], "could be one"),
    ],
)
def test_openai_refusals(messages: list[Any], refusal: str) -> None:
    assert any(refusal in result for result in chat(*messages))


@pytest.mark.parametrize(
    ("messages", "refusal"),
    [
        ([], "at least one message"),
        ([reply({"type": "text", "text": "x"})], "first message must use the user role"),
        ([ASK, ASK], "roles must alternate"),
        ([{"role": "user", "content": ""}], "non-empty"),
        ([user({"type": "text", "text": " "})], "non-whitespace"),
        ([ASK, reply(USE), ASK], "without `tool_result` blocks immediately after: t"),
        ([ASK, reply(USE)], "immediately after"),
        ([user(RESULT)], "unexpected `tool_use_id`"),
        ([ASK, reply(USE), user({"type": "text", "text": "x"}, RESULT)], "must come first"),
        ([ASK, reply(USE), user(RESULT, RESULT)], "single result"),
        ([ASK, reply(USE), user(RESULT), reply(USE), user(RESULT)], "must be unique"),
        ([ASK, reply({**USE, "id": "a:b"}), user({**RESULT, "tool_use_id": "a:b"})], "match pattern"),
        ([ASK, reply({**USE, "input": "x"}), user(RESULT)], "valid dictionary"),
        ([ASK, reply(USE), user({**RESULT, "content": "", "is_error": True})], "cannot be empty"),
        ([ASK, reply({"type": "thinking", "thinking": "x"}, USE), user(RESULT)], "signature"),
        ([ASK, reply(THOUGHT), ASK], "final block"),
        ([ASK, reply({"type": "hologram"}), ASK], "Input tag 'hologram'"),
        ([ASK, reply({"type": "text", "text": "x "})], "trailing whitespace"),
        ([ASK, reply(THOUGHT, {"type": "text", "text": "x"})], "final position cannot contain"),
        ([user({"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "x"}})], "media_type"),
    ],
)
def test_anthropic_refusals(messages: list[Any], refusal: str) -> None:
    assert any(refusal in result for result in claude(*messages))


def test_refusals_of_what_stands_around_the_messages() -> None:
    assert any("model" in result for result in check_openai({"model": "", "messages": [ASK]}))
    late = reply({"type": "text", "text": "x"}, THOUGHT, USE)
    for kind, is_refused in (("enabled", True), ("adaptive", False)):
        refusals = claude(ASK, late, user(RESULT), thinking={"type": kind})
        assert any("first block must be" in result for result in refusals) is is_refused
    for model, is_refused in (("claude-opus-4-6", True), ("claude-opus-4-5", False)):
        refusals = check_anthropic(
            {"model": model, "max_tokens": 9, "messages": [ASK, reply({"type": "text", "text": "x"})]}
        )
        assert any("prefill" in result for result in refusals) is is_refused
    assert any("max_tokens" in result for result in check_anthropic({"model": "m", "messages": [ASK]}))
    assert any("must define tools" in result for result in claude(ASK, reply(USE), user(RESULT), tools=None))
    assert any("system" in result for result in claude(ASK, system=" "))
    assert any(
        "start with a thinking block" in result
        for result in claude(ASK, reply(USE), user(RESULT), thinking={"type": "enabled"})
    )
    assert any("JSON" in result for result in chat(ASK, seed=float("nan")))
    assert any("tool_choice" in result for result in chat(ASK, tool_choice="auto"))
