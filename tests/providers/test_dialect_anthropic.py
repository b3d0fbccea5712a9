"""The Anthropic form, read into parts and written from them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from inspector.conversation import Document, Image, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.providers.registry import make_message, parts_of, role_of, split, with_result_text, written
from tests.drawn import ANTHROPIC_MESSAGES


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
    assert parts_of({"role": "user", "content": [block]}, "anthropic") == (part,)


def test_reading_content_of_other_kinds() -> None:
    assert parts_of({"content": "Hi."}, "anthropic") == (Text("Hi."),)
    assert parts_of({"content": None}, "anthropic") == parts_of({}, "anthropic") == ()
    assert parts_of({"content": 7}, "anthropic") == (Unknown("", "7"),)
    assert role_of({"role": "owl"}, "anthropic") == "user"


def test_thinking_and_calls_have_no_place_in_a_result() -> None:
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    [part] = parts_of({"content": [result("t", [call, result("u")])]}, "anthropic")
    assert isinstance(part, ToolResult)
    assert [type(inner) for inner in part.parts] == [Unknown, Unknown]


def test_results_are_split_each_apart_and_the_words_behind_them() -> None:
    words = {"type": "text", "text": "Go on."}
    raw = {"role": "user", "content": [words, result("a"), result("b")], "extra": 1}
    assert split(raw, "anthropic") == [
        raw | {"content": [result("a")]},
        raw | {"content": [result("b")]},
        raw | {"content": [words]},
    ]
    alone = {"role": "user", "content": [result("a")]}
    assert split(alone, "anthropic") == [alone]
    assert split({"role": "user", "content": "Hi."}, "anthropic") == [{"role": "user", "content": "Hi."}]


def test_a_result_with_another_text_keeps_all_else() -> None:
    raw = {"role": "user", "content": [result("a", ["long"], cache_control={})], "extra": 1}
    assert with_result_text(raw, "anthropic", "short") == raw | {"content": [result("a", "short", cache_control={})]}


def test_writing() -> None:
    parts: list[Part] = [
        Thinking("Hm.", "s"),
        Thinking("lost"),
        Thinking("", "x"),
        Text("Hi."),
        Text(""),
        ToolCall("t", "f", "[1]"),
    ]
    assert written("assistant", parts, "anthropic") == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "text", "text": "Hi."},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"arguments": [1]}},
        ],
    }
    assert written("user", [Text("Hi.")], "anthropic") == {"role": "user", "content": "Hi."}
    assert written("tool", [ToolResult("t", (Text("3"),), True)], "anthropic") == {
        "role": "user",
        "content": [{**result("t", [{"type": "text", "text": "3"}]), "is_error": True}],
    }


@pytest.mark.parametrize("text", ["", "{}", "{broken", '"a"', "null"])
def test_arguments_become_an_object_whatever_they_are(text: str) -> None:
    [block] = written("assistant", [ToolCall("t", "f", text)], "anthropic")["content"]
    assert isinstance(block["input"], dict)


def test_words_pictures_and_calls_come_back_as_they_were() -> None:
    parts = (
        Text("Look."),
        Image("image/png", 0, 0, "data:image/png;base64,iVBORw0KGgo="),
        Document("application/pdf", "a.pdf", 1, "data:application/pdf;base64,JVBERi0="),
    )
    for dialect in ("anthropic", "openai"):
        assert parts_of(written("user", parts, dialect), dialect) == parts


@settings(deadline=None, max_examples=80)
@given(ANTHROPIC_MESSAGES)
def test_anything_can_be_read_and_a_message_holds_one_result_at_most(raw: dict[str, Any]) -> None:
    for piece in split(raw, "anthropic"):
        message = make_message("m", piece, "anthropic")
        assert sum(isinstance(part, ToolResult) for part in message.parts) == (message.role == "tool")
