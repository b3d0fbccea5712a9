"""Anthropic requests, and how they are told from OpenAI's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Text, ToolResult, Usage
from inspector.formats import load
from tests.formats.written import calls, only, says, texts, write_json, write_lines

ASK = {"role": "user", "content": "How many orders?"}
CALL = {"role": "assistant", "content": [says("Let me count."), calls("t1", "count")]}
ANSWER = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "3"}, says("And refunds?")],
}
TOOL = {"name": "count", "description": "Counts.", "input_schema": {"type": "object"}}
REQUEST = {
    "model": "claude-x",
    "max_tokens": 1000,
    "system": [says("Be brief.") | {"cache_control": {"type": "ephemeral"}}],
    "tools": [TOOL],
    "messages": [ASK, CALL, ANSWER],
    "temperature": 0.5,
}


def test_a_request(tmp_path: Path) -> None:
    session = only(write_json(tmp_path / "x", REQUEST))
    assert (session.format, session.dialect, session.model) == ("anthropic", "anthropic", "claude-x")
    assert [(m.id, m.role, m.parent) for m in session] == [
        ("system", "system", -1),
        ("m1", "user", 0),
        ("m2", "assistant", 1),
        ("m3", "tool", 2),
        ("m3#2", "user", 3),
    ]
    assert texts(session)[-2:] == ["3", "And refunds?"]
    assert session.messages[3].parts == (ToolResult("t1", (Text("3"),)),)
    assert session.messages[3].name == "count"
    assert session.tools == (TOOL,)
    assert session.settings == {"max_tokens": 1000, "temperature": 0.5}
    assert session.title == "How many orders?"


def test_a_request_with_what_was_answered(tmp_path: Path) -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 10, "output_tokens": 7}
    response = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x-1",
        "content": [says("Three.")],
        "stop_reason": "end_turn",
        "usage": usage,
    }
    for logged in (REQUEST | {"response": response}, {"request": REQUEST, "response": response, "status": 200}):
        session = only(write_json(tmp_path / "x", logged))
        reply = session.messages[-1]
        assert reply.raw == {"role": "assistant", "content": [says("Three.")]}
        assert reply.usage == Usage(105, 7, 90, 10)
        assert reply.record["stop_reason"] == "end_turn"
        assert reply.model == "claude-x-1"
        assert session.settings == {"max_tokens": 1000, "temperature": 0.5}


def test_requests_on_lines_that_continue_each_other_are_one_session(tmp_path: Path) -> None:
    cached = {"role": "user", "content": [says("How many orders?") | {"cache_control": {"type": "ephemeral"}}]}
    requests = [REQUEST | {"messages": [cached]}, REQUEST]
    session = only(write_lines(tmp_path / "x", requests))
    assert len(session.messages) == 5
    assert session.id == only(write_json(tmp_path / "y", requests[0])).id


PLAIN = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]


@pytest.mark.parametrize(
    ("value", "format"),
    [
        ({"messages": PLAIN}, "openai"),
        ({"model": "gpt-4o", "max_tokens": 9, "messages": PLAIN}, "openai"),
        ({"model": "claude-x", "messages": PLAIN}, "openai"),
        ({"model": "anthropic/claude-x", "max_tokens": 9, "messages": PLAIN}, "anthropic"),
        ({"system": "Be brief.", "messages": PLAIN}, "anthropic"),
        ({"tools": [TOOL], "messages": PLAIN}, "anthropic"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}], "messages": PLAIN}, "openai"),
        ({"messages": [ASK, CALL]}, "anthropic"),
        ([ASK, CALL, ANSWER], "anthropic"),
        ([{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}]}], "anthropic"),
        ([{"role": "user", "content": [says("Hi.")]}], "openai"),
        ({"model": "claude-x", "max_tokens": 9, "messages": [{"role": "system", "content": "s"}, *PLAIN]}, "openai"),
        ({"messages": PLAIN, "response": {"type": "message", "role": "assistant", "content": "x"}}, "anthropic"),
        ({"messages": PLAIN[:1], "choices": [{"message": PLAIN[1]}]}, "openai"),
        ({"messages": PLAIN, "response": None}, "openai"),
    ],
)
def test_whose_form_a_request_is_in(tmp_path: Path, value: Any, format: str) -> None:
    session = only(write_json(tmp_path / "x", value))
    assert (session.format, session.dialect) == (format, format)


def test_one_message_a_line(tmp_path: Path) -> None:
    session = only(write_lines(tmp_path / "x", [ASK, CALL, ANSWER]))
    assert session.format == "anthropic"
    assert len(session.messages) == 4


def test_a_log_of_both_forms_gives_each_session_its_own(tmp_path: Path) -> None:
    other = {"model": "gpt-4o", "messages": [{"role": "system", "content": "s"}, *PLAIN]}
    assert [s.format for s in load(write_lines(tmp_path / "x", [REQUEST, other]))] == ["anthropic", "openai"]
