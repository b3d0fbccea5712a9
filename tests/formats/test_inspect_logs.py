"""Samples of Inspect: what the events say of the calls that gave the replies, content of every kind, attachments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Image, Session, Thinking, Usage
from inspector.formats import format_records
from tests.formats.written import only, write_json

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
CALL = {"id": "c1", "function": "light", "arguments": {"lamp": 3}}
TOOL = {"name": "light", "description": "attachment://a2", "parameters": {"type": "object", "properties": {"lamp": {}}}}
MESSAGES: list[dict[str, Any]] = [
    {
        "id": "m1",
        "role": "user",
        "content": [{"type": "text", "text": "attachment://a1"}, {"type": "image", "image": PIXEL}],
    },
    {
        "id": "m2",
        "role": "assistant",
        "content": [
            {"type": "reasoning", "reasoning": "Which one?"},
            {
                "type": "tool_use",
                "tool_type": "web_search",
                "id": "w1",
                "name": "search",
                "arguments": "{}",
                "result": "Three.",
            },
            {"type": "text", "text": "The third."},
        ],
        "tool_calls": [CALL],
    },
    {
        "id": "m3",
        "role": "tool",
        "tool_call_id": "c1",
        "content": "no oil",
        "error": {"type": "unknown", "message": "no oil"},
    },
    {"id": "m4", "role": "assistant", "content": "It has no oil."},
]


def call_event(message: dict[str, Any], **usage: int) -> dict[str, Any]:
    return {
        "event": "model",
        "model": "openai/gpt-4o",
        "timestamp": "2026-01-02T03:04:05+00:00",
        "completed": "2026-01-02T03:04:09+00:00",
        "tools": [TOOL],
        "output": {"model": "gpt-4o", "choices": [{"message": message}], "usage": usage},
    }


def sample_of(tmp_path: Path, model: str = "openai/gpt-4o", messages: list[dict[str, Any]] | None = None) -> Session:
    messages = MESSAGES if messages is None else messages
    reports = (
        {"input_tokens": 90, "output_tokens": 12, "input_tokens_cache_read": 40, "total_tokens": 102},
        {
            "input_tokens": 10,
            "output_tokens": 5,
            "input_tokens_cache_read": 80,
            "total_tokens": 115,
            "input_tokens_cache_write": 20,
        },
    )
    replies = [message for message in messages if message["role"] == "assistant"]
    events = [call_event(message, **report) for message, report in zip(replies, reports, strict=True)]
    sample = {
        "id": 1,
        "epoch": 1,
        "messages": messages,
        "events": [{"event": "state"}, *events],
        "attachments": {"a1": "Light the lamp.", "a2": "Lights a lamp."},
    }
    value = {"eval": {"task": "lamps", "model": model}, "samples": [sample]}
    return only(write_json(tmp_path / "log.json", value))


def test_replies_have_the_usage_the_model_and_the_time_of_their_call(tmp_path: Path) -> None:
    session = sample_of(tmp_path)
    first, second = (session.messages[position] for position in session.turns())
    assert first.usage == Usage(90, 12, cache_read=40), "the cache is among what was sent: the total says so"
    assert second.usage == Usage(110, 5, cache_read=80, cache_write=20), "and here it is not"
    assert first.model == "openai/gpt-4o"
    assert first.time == "2026-01-02T03:04:09+00:00"
    assert session.records_system is True


@pytest.mark.parametrize("model", ["openai/gpt-4o", "anthropic/claude-sonnet-4-5"])
def test_tools_are_those_that_were_sent_in_the_form_of_the_model(tmp_path: Path, model: str) -> None:
    (tool,) = sample_of(tmp_path, model).tools
    function = tool["function"] if model.startswith("openai") else tool
    assert (function["name"], function["description"]) == ("light", "Lights a lamp.")
    assert "lamp" in (function.get("parameters") or function["input_schema"])["properties"]


def test_content_of_every_kind_is_what_it_is(tmp_path: Path) -> None:
    session = sample_of(tmp_path)
    ask, reply, found, failed, _ = session.messages
    assert [type(part) for part in ask.parts][-1] is Image and ask.images == 1
    assert ask.text.startswith("Light the lamp.")
    assert isinstance(reply.parts[0], Thinking) and [call.name for call in reply.calls] == ["search", "light"]
    assert (found.answers, found.text) == ("w1", "Three.")
    assert failed.is_error and failed.answers == "c1"


def test_replies_without_ids_are_known_by_what_they_say(tmp_path: Path) -> None:
    messages = [{key: value for key, value in message.items() if key != "id"} for message in MESSAGES]
    session = sample_of(tmp_path, messages=messages)
    assert [session.messages[position].usage is not None for position in session.turns()] == [True, True]


def test_a_sample_without_events_says_nothing_of_calls(tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "messages": MESSAGES[-1:]}
    session = only(write_json(tmp_path / "log.json", {"eval": {"task": "lamps"}, "samples": [sample]}))
    assert session.messages[0].usage is None and session.tools == () and session.records_system is False


def test_only_logs_with_calls_record_compactions(tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "messages": MESSAGES}
    path = write_json(tmp_path / "plain.json", {"eval": {"task": "lamps"}, "samples": [sample]})
    assert not format_records(only(path), "compactions")
    assert format_records(only(path), "thinking")
    assert format_records(sample_of(tmp_path), "compactions")
