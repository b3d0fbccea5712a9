"""The Anthropic form, read into parts and written from them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from inspector.core.conversation import Document, Image, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.llm.providers import message_from_raw, wire_of
from tests.drawn import ANTHROPIC_MESSAGES

WIRE = wire_of("anthropic")


def result(id: str, content: Any = "3", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ("bare", Text("bare")),
        ({"type": "text", "text": "Hi."}, Text("Hi.")),
        ({"type": "text", "text": None}, Unknown("text", '{"type":"text","text":null}')),
        ({"type": "thinking", "thinking": "Hm.", "signature": "s"}, Thinking("Hm.", "s")),
        ({"type": "thinking", "thinking": "Hm."}, Thinking("Hm.")),
        ({"type": "redacted_thinking", "data": "x"}, Thinking("", "x")),
        ({"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}, ToolCall("t", "f", '{"a":1}')),
        ({"type": "tool_use", "id": "t"}, Unknown("tool_use", '{"type":"tool_use","id":"t"}')),
        (result("t"), ToolResult("t", (Text("3"),))),
        (result("t", None, is_error=True), ToolResult("t", (), True)),
        (result("t", ["a", {"type": "text", "text": "b"}]), ToolResult("t", (Text("a"), Text("b")))),
        ({"type": "image", "source": {"type": "url", "url": "u"}}, Image(source="u")),
        (
            {"type": "image", "source": {"type": "file", "file_id": "f"}},
            Unknown("image", '{"type":"image","source":{"type":"file","file_id":"f"}}'),
        ),
        (
            {
                "type": "document",
                "title": "a",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
            },
            Document("application/pdf", "a", 1, "data:application/pdf;base64,JVBERi0="),
        ),
        ({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}, Text("words")),
        ({"type": "hologram", "depth": 3}, Unknown("hologram", '{"type":"hologram","depth":3}')),
        ({"type": ["odd"]}, Unknown("", '{"type":["odd"]}')),
        (None, Unknown("", "null")),
    ],
)
def test_reading(block: Any, part: Part) -> None:
    assert WIRE.parse({"role": "user", "content": [block]}) == (part,)


def test_reading_content_of_other_kinds() -> None:
    assert WIRE.parse({"content": "Hi."}) == (Text("Hi."),)
    assert WIRE.parse({"content": None}) == WIRE.parse({}) == ()
    assert WIRE.parse({"content": 7}) == (Unknown("", "7"),)
    assert WIRE.role({"role": "owl"}) == "user"


def test_thinking_and_calls_have_no_place_in_a_result() -> None:
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    [part] = WIRE.parse({"content": [result("t", [call, result("u")])]})
    assert isinstance(part, ToolResult)
    assert [type(inner) for inner in part.parts] == [Unknown, Unknown]


def test_results_are_split_each_apart_and_the_words_behind_them() -> None:
    words = {"type": "text", "text": "Go on."}
    raw = {"role": "user", "content": [words, result("a"), result("b")], "extra": 1}
    assert WIRE.split(raw) == [
        raw | {"content": [result("a")]},
        raw | {"content": [result("b")]},
        raw | {"content": [words]},
    ]
    alone = {"role": "user", "content": [result("a")]}
    assert WIRE.split(alone) == [alone]
    assert WIRE.split({"role": "user", "content": "Hi."}) == [{"role": "user", "content": "Hi."}]


def test_a_result_with_another_text_keeps_all_else() -> None:
    raw = {"role": "user", "content": [result("a", ["long"], cache_control={})], "extra": 1}
    assert WIRE.with_result_text(raw, "short") == raw | {"content": [result("a", "short", cache_control={})]}


def test_writing() -> None:
    parts: list[Part] = [
        Thinking("Hm.", "s"),
        Thinking("lost"),
        Thinking("", "x"),
        Text("Hi."),
        Text(""),
        ToolCall("t", "f", "[1]"),
    ]
    assert WIRE.encode("assistant", parts) == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "text", "text": "Hi."},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"arguments": [1]}},
        ],
    }
    assert WIRE.encode("user", [Text("Hi.")]) == {"role": "user", "content": "Hi."}
    assert WIRE.encode("tool", [ToolResult("t", (Text("3"),), True)]) == {
        "role": "user",
        "content": [{**result("t", [{"type": "text", "text": "3"}]), "is_error": True}],
    }


@pytest.mark.parametrize("text", ["", "{}", "{broken", '"a"', "null"])
def test_arguments_become_an_object_whatever_they_are(text: str) -> None:
    [block] = WIRE.encode("assistant", [ToolCall("t", "f", text)])["content"]
    assert isinstance(block["input"], dict)


def test_words_pictures_and_calls_come_back_as_they_were() -> None:
    parts = (
        Text("Look."),
        Image("image/png", 0, 0, "data:image/png;base64,iVBORw0KGgo="),
        Document("application/pdf", "a.pdf", 1, "data:application/pdf;base64,JVBERi0="),
    )
    for dialect in ("anthropic", "openai"):
        assert wire_of(dialect).parse(wire_of(dialect).encode("user", parts)) == parts


@given(ANTHROPIC_MESSAGES)
def test_anything_can_be_read_and_a_message_holds_one_result_at_most(raw: dict[str, Any]) -> None:
    for piece in WIRE.split(raw):
        message = message_from_raw("m", piece, "anthropic")
        assert sum(isinstance(part, ToolResult) for part in message.parts) == (message.role == "tool")
