"""The OpenAI chat form, read into parts and written from them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from inspector.core.conversation import Document, Image, Part, Role, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.core.text.json_text import dumps
from inspector.llm.providers import wire_of
from tests.drawn import JSON, OPENAI_MESSAGES

WIRE = wire_of("openai")

DATA = "data:image/png;base64,iVBORw0KGgo="


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        ({"role": "user", "content": "Hi."}, (Text("Hi."),)),
        ({"role": "user", "content": None}, ()),
        ({"role": "user"}, ()),
        ({"role": "user", "content": ["Hi.", {"type": "input_text", "text": "There."}]}, (Text("Hi."), Text("There."))),
        ({"role": "user", "content": {"a": 1}}, (Unknown("content", '{"a":1}'),)),
        ({"role": "user", "content": [{"type": "hologram"}]}, (Unknown("hologram", '{"type":"hologram"}'),)),
        ({"role": "user", "content": [{"type": "text", "text": 5}]}, (Unknown("text", '{"type":"text","text":5}'),)),
        ({"role": "user", "content": [7]}, (Unknown("", "7"),)),
        ({"role": "assistant", "content": None, "refusal": "No."}, (Text("No."),)),
        ({"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."}, (Thinking("Hm."), Text("Yes."))),
        (
            {"role": "assistant", "thinking_blocks": [{"thinking": "Hm.", "signature": "s"}, {"data": "x"}, 3]},
            (Thinking("Hm.", "s"), Thinking("", "x")),
        ),
        ({"role": "tool", "tool_call_id": "c1", "content": "3"}, (ToolResult("c1", (Text("3"),)),)),
        ({"role": "tool", "content": None}, (ToolResult("", ()),)),
        ({"role": "function", "name": "f", "content": "3"}, (ToolResult("f", (Text("3"),)),)),
    ],
)
def test_reading(raw: dict[str, Any], parts: tuple[Part, ...]) -> None:
    assert WIRE.parse(raw) == parts


@pytest.mark.parametrize(
    ("call", "part"),
    [
        ({"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}}, ToolCall("c", "f", '{"a": 1}')),
        ({"id": "c", "function": {"name": "f", "arguments": {"a": 1}}}, ToolCall("c", "f", '{"a":1}')),
        ({"id": None, "function": {"name": "f"}}, ToolCall("", "f", "")),
        ({"id": "c", "name": "f", "arguments": {"a": 1}}, ToolCall("c", "f", '{"a":1}')),
        ({"id": "c", "type": "custom", "custom": {"name": "f", "input": "ls -l"}}, ToolCall("c", "f", "ls -l")),
    ],
)
def test_reading_calls(call: dict[str, Any], part: ToolCall) -> None:
    assert WIRE.parse({"role": "assistant", "tool_calls": ["junk", call, {}]}) == (part,)


def test_reading_pictures_and_files() -> None:
    blocks = [
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "input_image", "image_url": DATA},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"}},
        {"type": "file", "file": {"file_data": "JVBERi0="}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
    ]
    assert WIRE.parse({"role": "user", "content": blocks}) == (
        Image(source="https://example.org/a.png"),
        Image("image/png", source=DATA),
        Document("application/pdf", "a.pdf", 1, "data:application/pdf;base64,JVBERi0="),
        Document("application/pdf", "", 1, "JVBERi0="),
        Image("image/png", source=DATA),
    )


@pytest.mark.parametrize(
    ("said", "meant"),
    [("developer", "system"), ("function", "tool"), ("nobody", "user"), (None, "user"), (3, "user")],
)
def test_roles(said: Any, meant: str) -> None:
    assert WIRE.role({"role": said}) == meant


def test_writing_a_reply() -> None:
    parts: list[Part] = [Thinking("Hm."), Text("One."), Text("Two."), ToolCall("c", "f", "{}")]
    assert WIRE.encode("assistant", parts) == {
        "role": "assistant",
        "content": "One.\n\nTwo.",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    }
    assert WIRE.encode("assistant", [ToolCall("c", "f", "{}")])["content"] is None
    assert WIRE.encode("assistant", []) == {"role": "assistant", "content": ""}


def test_writing_pictures_from_the_user_only() -> None:
    picture = Image("image/png", 1, 2, DATA)
    assert WIRE.encode("user", [Text("Look."), picture, Image()])["content"] == [
        {"type": "text", "text": "Look."},
        {"type": "image_url", "image_url": {"url": DATA}},
        {"type": "text", "text": "[image]"},
    ]
    assert WIRE.encode("assistant", [picture])["content"] == "[image image/png 1x2]"


def test_writing_a_result() -> None:
    result = ToolResult("c", (Text("a"), Image("image/png")), is_error=True)
    assert WIRE.encode("tool", [result], "f") == {
        "role": "tool",
        "tool_call_id": "c",
        "content": "Error: a\n[image image/png]",
        "name": "f",
    }


def test_a_result_with_another_text_keeps_all_else() -> None:
    raw = {"role": "tool", "tool_call_id": "c", "content": "long", "extra": 1}
    assert WIRE.with_result_text(raw, "short") == raw | {"content": "short"}


@given(OPENAI_MESSAGES)
def test_anything_can_be_read_and_written_in_both_forms(raw: dict[str, Any]) -> None:
    assert WIRE.split(raw) == [raw]
    for part in WIRE.parse(raw):
        role: Role = "tool" if isinstance(part, ToolResult) else "assistant"
        WIRE.encode(role, [part])
        wire_of("anthropic").encode(role, [part])


@given(JSON)
def test_any_value_has_a_json_text(value: Any) -> None:
    assert isinstance(dumps(value), str)


def test_json_text_of_what_no_json_can_hold() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert dumps({1: 2**80}) == '{"1":1208925819614629174706176}'
    assert dumps("\ud800") == '"\\ud800"'
    assert dumps(deep) == "[" * 5001 + "]" * 5001
