"""`inspector ask` by the Responses API and by Anthropic's own API, on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import inspect, transcript, written
from tests.cli.test_cli_ask import village
from tests.engine.summaries.endpoint import Asked, serving

USAGE = {"input_tokens": 70, "output_tokens": 9}


def responses(asked: Asked) -> None:
    """A stream of the Responses API: a text and a call."""
    asked.head()
    call = {"type": "function_call", "id": "f", "call_id": "c", "name": "look", "arguments": '{"path": "/a"}'}
    content = [{"type": "output_text", "text": "The key is KEY-9922.", "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    whole = {"id": "r", "object": "response", "created_at": 1, "model": "gpt-4o", "output": [message, call]}
    delta: dict[str, Any] = {"type": "response.output_text.delta", "delta": "The key is KEY-9922.", "item_id": "m"}
    end: dict[str, Any] = {"type": "response.completed", "response": whole | {"status": "completed", "usage": USAGE}}
    for number, event in enumerate((delta | {"output_index": 0, "content_index": 0}, end)):
        asked.raw(f"event: {event['type']}\ndata: {json.dumps(event | {'sequence_number': number})}\n\n")


def messages(asked: Asked) -> None:
    """A stream of the Messages API: thinking, a text and a call."""
    asked.head()
    start: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "claude",
        "stop_reason": None,
    }
    usage = {"input_tokens": 50, "cache_read_input_tokens": 20, "output_tokens": 1}
    blocks: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "Hm."}),
        ({"type": "text", "text": ""}, {"type": "text_delta", "text": "Lamp 4 next."}),
        (
            {"type": "tool_use", "id": "t", "name": "Read", "input": {}},
            {"type": "input_json_delta", "partial_json": '{"file_path": "/pier/4.txt"}'},
        ),
    ]
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start | {"usage": usage}}]
    for index, (block, delta) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}})
    events.append({"type": "message_stop"})
    for event in events:
        asked.raw(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n")


def test_the_responses_api_is_asked_with_items(tmp_path: Path) -> None:
    names = {"INSPECTOR_MODEL": "gpt-4o", "OPENAI_API_KEY": "k"}
    with serving(responses) as endpoint:
        names["OPENAI_BASE_URL"] = endpoint.url
        path = written(tmp_path / "s.json", village())
        ended = inspect("ask", path, "--api", "responses", "--yes", "--json", **names)
    (row,) = ended.json["replies"]
    assert (row["text"], row["calls"][0]["object"]) == ("The key is KEY-9922.", "/a")
    assert (row["usage"]["input"], row["usage"]["output"]) == (70, 9)
    assert "promptfoo takes chat requests only" in inspect("ask", path, "--list", "--to", "promptfoo").err
    asked = endpoint.requests[0]
    assert asked.path == "/v1/responses" and asked.body["input"][-1]["role"] == "user"
    assert asked.body["max_output_tokens"] == 4096 and asked.body["stream"] is True


def test_anthropics_api_is_asked_with_blocks(tmp_path: Path) -> None:
    pytest.importorskip("anthropic")
    names = {"INSPECTOR_MODEL": "claude-sonnet-4-20250514", "ANTHROPIC_API_KEY": "k"}
    with serving(messages) as endpoint:
        names["ANTHROPIC_BASE_URL"] = endpoint.url
        path = written(tmp_path / "s.jsonl", transcript(turns=4))
        ended = inspect("ask", path, "--turn", 4, "--api", "anthropic", "--yes", "--json", **names)
    (row,) = ended.json["replies"]
    assert (row["text"], row["same_as_recorded"]) == ("Lamp 4 next.", True)
    assert row["calls"][0]["object"] == "/pier/4.txt"
    assert row["usage"] == {"input": 70, "output": 9, "cache_read": 20, "cache_write": 0}
    asked = endpoint.requests[0]
    key = asked.headers["x-api-key"] or asked.headers["authorization"]
    assert asked.path == "/v1/messages" and key.endswith("k")
    assert asked.body["messages"][-1]["content"][0]["type"] == "tool_result"


def test_a_failed_response_is_one_sentence(tmp_path: Path) -> None:
    def fail(asked: Asked) -> None:
        asked.head()
        event = {"type": "response.failed", "response": {"status": "failed", "error": {"message": "Too busy"}}}
        asked.raw(f"event: response.failed\ndata: {json.dumps(event)}\n\n")

    names = {"INSPECTOR_MODEL": "gpt-4o", "OPENAI_API_KEY": "k"}
    with serving(fail) as endpoint:
        names["OPENAI_BASE_URL"] = endpoint.url
        path = written(tmp_path / "s.json", village())
        ended = inspect("ask", path, "--api", "responses", "--yes", "--json", **names)
    assert ended.code == 1 and "stopped with an error (Too busy)" in ended.json["replies"][0]["problem"]
