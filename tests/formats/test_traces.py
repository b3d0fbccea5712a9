"""Traces of LangSmith, Langfuse and OpenTelemetry: calls of a model become the conversations that they are part of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from inspector.formats import UnreadableError, load
from tests.formats.samples import ASK, REPLY, attribute, otel_message
from tests.formats.written import write_lines

CALL = {"id": "call_1", "name": "count", "args": {"month": "May"}}


def written(folder: Path, *records: Any) -> Path:
    return write_lines(folder / "trace.jsonl", list(records))


def said(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in session]


def generation(number: int, sent: Any, answer: Any, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"o{number}",
        "traceId": "t1",
        "type": "GENERATION",
        "startTime": f"2026-01-02T03:04:{number:02}Z",
        "model": "gpt-4o",
        "input": sent,
        "output": answer,
        "usageDetails": {"input": 10 * number, "output": 3},
        **fields,
    }


def test_calls_that_go_on_are_one_session_and_others_their_own(tmp_path: Path) -> None:
    asked = [{"role": "system", "content": "Be brief."}, ASK]
    called = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "count", "arguments": "{}"}}],
    }
    result = {"role": "tool", "tool_call_id": "call_1", "content": "3"}
    observations = [
        generation(2, json.dumps([*asked, called, result]), {"role": "assistant", "content": REPLY}),
        generation(1, asked, called),
        generation(3, [{"role": "user", "content": "Is that right?"}], "Yes."),
        {"id": "s", "traceId": "t1", "type": "SPAN", "startTime": "2026-01-02T03:04:00Z", "input": None},
    ]
    count, check = load(written(tmp_path, {"trace": {"id": "t1"}, "observations": observations}))
    assert said(count) == [
        ("system", "Be brief."),
        ("user", ASK["content"]),
        ("assistant", "count({})"),
        ("tool", "3"),
        ("assistant", REPLY),
    ]
    assert said(check) == [("user", "Is that right?"), ("assistant", "Yes.")]
    assert [message.usage.input for message in count if message.usage] == [10, 20]
    assert count.model == "gpt-4o" and [message.calls[0].name for message in count if message.calls] == ["count"]


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        ({"contents": ASK["content"]}, {"candidates": [{"content": {"parts": [{"text": REPLY}], "role": "model"}}]}),
        ({"contents": [{"role": "user", "parts": [{"text": ASK["content"]}]}]}, {"content": REPLY, "role": "ai"}),
        ([otel_message("user", ASK["content"])], [otel_message("assistant", REPLY)]),
        (
            {"messages": [{"type": "human", "content": ASK["content"]}]},
            {"messages": [{"type": "ai", "content": REPLY}]},
        ),
        (
            [{"type": "human", "data": {"content": [{"type": "text", "text": ASK["content"]}]}}],
            {"generations": [[{"text": "", "message": {"id": ["x", "AIMessage"], "kwargs": {"content": REPLY}}}]]},
        ),
        (
            [{"role": "user", "content": [{"type": "input_text", "text": ASK["content"]}]}],
            {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": REPLY}]}]},
        ),
        (ASK["content"], REPLY),
    ],
)
def test_messages_of_every_library_are_read(tmp_path: Path, sent: Any, answer: Any) -> None:
    (session,) = load(written(tmp_path, {"trace": {"id": "t1"}, "observations": [generation(1, sent, answer)]}))
    assert said(session) == [("user", ASK["content"]), ("assistant", REPLY)]


def test_calls_and_results_of_every_library_are_linked(tmp_path: Path) -> None:
    openai = {"id": "call_1", "function": {"name": "count", "arguments": '{"month":"May"}'}}
    for called, result in (
        (
            {"type": "ai", "content": "", "tool_calls": [CALL]},
            {"type": "tool", "tool_call_id": "call_1", "content": "3"},
        ),
        (
            {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [openai]}},
            {"role": "tool", "tool_call_id": "call_1", "content": "3"},
        ),
        (
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "call_1", "name": "count", "input": {"month": "May"}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "3"}]},
        ),
        (
            {"role": "model", "parts": [{"functionCall": {"id": "call_1", "name": "count", "args": {"month": "May"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "call_1", "response": "3"}}]},
        ),
        (
            {
                "role": "assistant",
                "parts": [{"type": "tool_call", "id": "call_1", "name": "count", "arguments": {"month": "May"}}],
            },
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_1", "response": "3"}]},
        ),
        (
            {"type": "function_call", "call_id": "call_1", "name": "count", "arguments": {"month": "May"}},
            {"type": "function_call_output", "call_id": "call_1", "output": "3"},
        ),
    ):
        call = generation(1, [ASK, called, result], REPLY)
        (session,) = load(written(tmp_path, {"trace": {"id": "t1"}, "observations": [call]}))
        assert [message.role for message in session] == ["user", "assistant", "tool", "assistant"], called
        assert session.messages[2].answers == "call_1" == session.messages[1].calls[0].id
        assert session.messages[2].text == "3" and session.messages[2].name == "count"


def test_a_run_that_was_begun_and_ended_is_one(tmp_path: Path) -> None:
    begun = {"id": "r1", "run_type": "llm", "inputs": {"messages": [ASK], "model": "o1-mini"}, "outputs": {}}
    answer = {"choices": [{"message": {"role": "assistant", "content": REPLY}}], "model": "o1-mini-2024"}
    counts = {"input_tokens": 43, "output_tokens": 9, "input_token_details": {"cache_read": 40}}
    ended = {"id": "r1", "end_time": "2026-01-02T03:04:05+00:00", "outputs": answer | {"usage_metadata": counts}}
    (session,) = load(written(tmp_path, {"post": [begun], "patch": [ended]}))
    assert said(session) == [("user", ASK["content"]), ("assistant", REPLY)]
    usage = session.messages[-1].usage
    assert usage is not None and (usage.input, usage.output, usage.cache_read) == (43, 9, 40)
    assert session.model == "o1-mini-2024" and session.messages[-1].time.startswith("2026-01-02")


def span(number: int, *attributes: Any, events: Any = ()) -> dict[str, Any]:
    return {
        "traceId": "t1",
        "spanId": f"s{number}",
        "startTimeUnixNano": str(1_767_323_045_000_000_000 + number),
        "attributes": list(attributes),
        "events": list(events),
    }


def spans(*rows: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(rows)}]}]}


NUMBERED = span(
    1,
    attribute("gen_ai.prompt.0.role", "user"),
    attribute("gen_ai.prompt.0.content", ASK["content"]),
    attribute("gen_ai.completion.0.role", "assistant"),
    attribute("gen_ai.completion.0.content", REPLY),
)
OPENINFERENCE = span(
    1,
    attribute("openinference.span.kind", "LLM"),
    attribute("llm.input_messages.0.message.role", "user"),
    attribute("llm.input_messages.0.message.content", ASK["content"]),
    attribute("llm.output_messages.0.message.role", "assistant"),
    attribute("llm.output_messages.0.message.content", REPLY),
)
EVENTS = span(
    1,
    events=[
        {"name": "gen_ai.user.message", "attributes": [attribute("content", ASK["content"])]},
        {"name": "gen_ai.choice", "attributes": [attribute("message", json.dumps({"content": REPLY}))]},
    ],
)


WHOLE_EVENTS = span(
    1,
    events=[
        {"name": "gen_ai.content.prompt", "attributes": [attribute("gen_ai.prompt", json.dumps([ASK]))]},
        {"name": "gen_ai.content.completion", "attributes": [attribute("gen_ai.completion", REPLY)]},
    ],
)
AI_SDK = span(
    1,
    attribute("ai.model.id", "gpt-4o"),
    attribute(
        "ai.prompt.messages", json.dumps([{"role": "user", "content": [{"type": "text", "text": ASK["content"]}]}])
    ),
    attribute("ai.response.text", REPLY),
)


@pytest.mark.parametrize("row", [NUMBERED, OPENINFERENCE, EVENTS, WHOLE_EVENTS, AI_SDK])
def test_spans_of_every_convention_are_read(tmp_path: Path, row: Any) -> None:
    (session,) = load(written(tmp_path, spans(row)))
    assert said(session) == [("user", ASK["content"]), ("assistant", REPLY)]


PLAIN = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-4o",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": ASK["content"],
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": REPLY,
}
NESTED = {
    "llm": {
        "model_name": "gpt-4o",
        "input_messages": [{"message": ASK}],
        "output_messages": [{"message.role": "assistant", "message.content": REPLY}],
    }
}
TAGS = [{"key": key, "type": "string", "value": value} for key, value in PLAIN.items()]
ASKED = {"kvlistValue": {"values": [attribute("content", ASK["content"])]}}
CHOICE = {"kvlistValue": {"values": [attribute("message", json.dumps({"content": REPLY}))]}}
LOG = [
    {"spanId": "s", "eventName": "gen_ai.user.message", "body": ASKED},
    {"spanId": "s", "attributes": [attribute("event.name", "gen_ai.choice")], "body": CHOICE},
]


@pytest.mark.parametrize(
    "record",
    [
        {"name": "chat", "context": {"trace_id": "t"}, "attributes": PLAIN, "end_time": "2026-01-02T03:04:05Z"},
        {"name": "chat", "span_kind": "LLM", "attributes": NESTED},
        {"name": "chat", **{f"attributes.{key}": value for key, value in PLAIN.items()}},
        {"data": [{"traceID": "t", "spans": [{"traceID": "t", "operationName": "chat", "tags": TAGS}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": LOG}]}]},
    ],
    ids=["printed by the sdk", "nested", "flat", "jaeger", "log"],
)
def test_spans_are_read_however_they_are_written(tmp_path: Path, record: Any) -> None:
    (session,) = load(written(tmp_path, record))
    assert said(session) == [("user", ASK["content"]), ("assistant", REPLY)]
    assert session.format == "open-telemetry"


def test_calls_of_the_ai_sdk_are_read(tmp_path: Path) -> None:
    calls = [{"toolCallType": "function", "toolCallId": "c1", "toolName": "count", "input": {"month": "May"}}]
    row = span(
        1,
        attribute("ai.prompt.messages", json.dumps([ASK])),
        attribute("ai.response.toolCalls", json.dumps(calls)),
        {"key": "ai.usage.inputTokens", "value": {"intValue": "40"}},
    )
    (session,) = load(written(tmp_path, spans(row)))
    assert [call.name for call in session.messages[-1].calls] == ["count"]
    assert session.messages[-1].usage is not None and session.messages[-1].usage.input == 40


def test_instructions_usage_and_the_agents_name_are_kept(tmp_path: Path) -> None:
    count = {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "12"}}
    around = span(0, attribute("gen_ai.operation.name", "invoke_agent"), attribute("gen_ai.input.messages", "[]"))
    row = span(
        1,
        attribute("gen_ai.operation.name", "chat"),
        attribute("gen_ai.agent.name", "Counter"),
        attribute("gen_ai.system_instructions", json.dumps([{"type": "text", "content": "Be brief."}])),
        attribute("gen_ai.input.messages", json.dumps([otel_message("user", ASK["content"])])),
        attribute("gen_ai.output.messages", json.dumps([otel_message("assistant", REPLY)])),
        count,
    )
    (session,) = load(written(tmp_path, spans(around), spans(row)))
    assert said(session)[0] == ("system", "Be brief.") and session.title.startswith("Counter: ")
    assert [message.usage.input for message in session if message.usage] == [12]


def test_a_telemetry_log_without_conversations_is_refused(tmp_path: Path) -> None:
    row = span(1, attribute("http.request.method", "GET"))
    with pytest.raises(
        UnreadableError, match="a span or a trace of OpenTelemetry without the messages of a model call"
    ):
        load(written(tmp_path, spans(row)))
