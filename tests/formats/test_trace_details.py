"""What traces tell beside messages: calls that failed, cached tokens, tools, pictures, and the agent around a span."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Image, Thinking, Usage
from tests.formats.written import only, write_json

ASK, REPLY = {"role": "user", "content": "Which lamp?"}, {"role": "assistant", "content": "The third."}
SCHEMA = {"type": "object", "properties": {"lamp": {"type": "integer"}}}


def observation(**fields: Any) -> dict[str, Any]:
    own = {"id": "o1", "traceId": "t1", "type": "GENERATION", "startTime": "2026-01-02T03:04:05Z", "model": "gpt-4o"}
    return own | {"input": [ASK], "output": REPLY} | fields


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"input": 12, "input_cached_tokens": 8, "output": 5, "total": 25}, Usage(20, 5, cache_read=8)),
        ({"input": 20, "input_cached_tokens": 8, "output": 5, "total": 25}, Usage(20, 5, cache_read=8)),
        ({"input": 12, "output": 3, "output_reasoning_tokens": 4, "total": 19}, Usage(12, 7)),
        ({"input": 12, "output": 5}, Usage(12, 5)),
        ({"promptTokens": 12, "completionTokens": 5, "totalTokens": 17}, Usage(12, 5)),
    ],
)
def test_the_total_of_langfuse_tells_what_its_parts_hold(tmp_path: Path, counts: dict[str, int], usage: Usage) -> None:
    session = only(write_json(tmp_path / "x.json", observation(usageDetails=counts)))
    assert session.messages[-1].usage == usage


def test_a_page_of_langfuse_is_its_observations(tmp_path: Path) -> None:
    trace = {"id": "t1", "name": "lamps", "observations": [observation()]}
    session = only(write_json(tmp_path / "x.json", {"data": [trace], "meta": {"page": 1}}))
    assert [message.text for message in session] == ["Which lamp?", "The third."]


RUN = {"id": "r1", "run_type": "llm", "inputs": {"messages": [ASK]}, "outputs": {}, "error": "429: too many lamps"}
SPAN_TEXTS = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps([ASK])}


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (observation(output=None, level="ERROR", statusMessage="429: too many lamps"), "429: too many lamps"),
        (RUN, "429: too many lamps"),
        ({"attributes": SPAN_TEXTS, "status": {"code": 2, "message": "timeout"}}, "timeout"),
        ({"attributes": SPAN_TEXTS, "status": {"status_code": "ERROR", "description": "timeout"}}, "timeout"),
        (
            {
                "attributes": SPAN_TEXTS,
                "status": {"code": "STATUS_CODE_ERROR"},
                "events": [{"name": "exception", "attributes": {"exception.message": "no oil"}}],
            },
            "no oil",
        ),
    ],
    ids=["langfuse", "langsmith", "otlp", "sdk", "exception"],
)
def test_a_call_that_failed_is_said_with_its_reason(tmp_path: Path, record: dict[str, Any], reason: str) -> None:
    session = only(write_json(tmp_path / "x.json", record))
    assert [str(problem) for problem in session.problems] == [f"call 1 of a model failed: {reason}"]
    assert [message.text for message in session] == ["Which lamp?"]


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "llm.tools.0.tool.json_schema": json.dumps(
                {"type": "function", "function": {"name": "light", "parameters": SCHEMA}}
            )
        },
        {"llm.request.functions.0.name": "light", "llm.request.functions.0.parameters": json.dumps(SCHEMA)},
        {"ai.prompt.tools": [json.dumps({"type": "function", "name": "light", "inputSchema": SCHEMA})]},
    ],
    ids=["OpenInference", "Traceloop", "AI SDK"],
)
def test_tools_of_every_convention_are_kept(tmp_path: Path, attributes: dict[str, Any]) -> None:
    session = only(write_json(tmp_path / "x.json", {"attributes": SPAN_TEXTS | attributes}))
    assert [tool["function"]["name"] for tool in session.tools] == ["light"]
    assert session.tools[0]["function"]["parameters"] == SCHEMA


def test_the_agent_is_the_one_around_the_call(tmp_path: Path) -> None:
    rows = [
        {"spanId": "a", "attributes": {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Keeper"}},
        {"spanId": "b", "parentSpanId": "a", "attributes": {"gen_ai.operation.name": "step"}},
        {"spanId": "c", "parentSpanId": "b", "attributes": SPAN_TEXTS},
    ]
    assert only(write_json(tmp_path / "x.json", rows)).title == "Keeper: Which lamp?"
    loop = [{"spanId": "c", "parentSpanId": "c", "attributes": SPAN_TEXTS}]
    assert only(write_json(tmp_path / "y.json", loop)).title == "Which lamp?"


def test_a_picture_of_openinference_is_one(tmp_path: Path) -> None:
    place = "llm.input_messages.0.message.contents.0.message_content"
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        f"{place}.type": "image",
        f"{place}.image.image.url": "https://example.org/lamp.png",
    }
    (part,) = only(write_json(tmp_path / "x.json", {"attributes": attributes})).messages[0].parts
    assert isinstance(part, Image) and part.source == "https://example.org/lamp.png"


def test_a_tool_in_the_form_of_responses_is_one_of_the_chat_form(tmp_path: Path) -> None:
    tool = {"type": "function", "name": "light", "parameters": SCHEMA, "strict": True}
    sent = {"messages": [ASK], "tools": [tool, {"type": "web_search"}]}
    first, second = only(write_json(tmp_path / "x.json", observation(input=sent))).tools
    assert first["function"] == {"name": "light", "description": "", "parameters": SCHEMA}
    assert second == {"type": "web_search"}


def test_failures_and_usage_of_langchain_are_read_out_of_a_run(tmp_path: Path) -> None:
    def said(kind: str, **fields: Any) -> dict[str, Any]:
        return {"lc": 1, "type": "constructor", "id": ["langchain", "messages", kind], "kwargs": fields}

    calls = [{"name": "light", "args": {}, "id": "c1"}]
    answer = said("ToolMessage", content="no oil", tool_call_id="c1", status="error")
    sent = [said("HumanMessage", content="Which lamp?"), said("AIMessage", content="", tool_calls=calls), answer]
    counts = {"input_tokens": 70, "output_tokens": 2, "input_token_details": {"cache_read": 10}}
    reply = said("AIMessage", content="None.", usage_metadata=counts)
    outputs = {"generations": [[{"text": "None.", "message": reply}]]}
    run = {"id": "r1", "run_type": "llm", "inputs": {"messages": [sent]}, "outputs": outputs}
    session = only(write_json(tmp_path / "x.json", run))
    assert [message.is_error for message in session] == [False, False, True, False]
    assert "is_error" not in session.messages[2].raw
    assert session.messages[3].usage == Usage(70, 2, cache_read=10)


def test_a_reply_keeps_its_reasoning_and_the_request_its_tools_when_later_ones_leave_them_out(tmp_path: Path) -> None:
    ask, thought = {"role": "user", "content": "Count the gulls."}, {"reasoning_content": "I look up."}
    nine, ten = ({"role": "assistant", "content": text} for text in ("Nine.", "Ten."))
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    rows = [
        {
            "request": {"model": "m", "messages": [ask], "tools": [tool]},
            "response": {"choices": [{"message": nine | thought}]},
        },
        {
            "request": {"model": "m", "messages": [ask, nine, ask]},
            "response": {"choices": [{"message": ten | thought}]},
        },
        {"request": {"model": "m", "messages": [ask, nine, ask, {**ten, "content": "Ten"}, ask]}},
    ]
    session = only(write_json(tmp_path / "x.json", rows))
    thinks = [any(isinstance(part, Thinking) for part in message.parts) for message in session]
    assert thinks == [False, True, False, False, False]  # the second came back in other words
    assert session.tools == (tool,)
