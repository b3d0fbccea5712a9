"""Traffic with APIs that have notations of their own, a stream in YAML, and the calls among Inspect's events."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from inspector.core.conversation import Usage
from inspector.engine.window import compute_timeline
from inspector.formats import load
from inspector.llm.tokens import estimate_sizes
from tests.formats.written import only, texts, write_json, write_lines


def cassette(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "cassette.yaml"
    path.write_text(yaml.safe_dump({"interactions": list(rows), "version": 1}))
    return path


def exchange(address: str, asked: Any, answer: Any) -> dict[str, Any]:
    body = answer if isinstance(answer, str | bytes) else json.dumps(answer)
    return {
        "request": {"uri": address, "method": "POST", "body": json.dumps(asked)},
        "response": {"status": {"code": 200}, "body": {"string": body}},
    }


COHERE = "https://api.cohere.com/v1/chat"
CALL = {"name": "tide", "parameters": {"port": "Brest"}}


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_call_of_cohere_continues_its_history(tmp_path: Path, is_streamed: bool) -> None:
    start = [{"role": "SYSTEM", "message": "Be brief."}]
    tools = [{"name": "tide", "description": "Tides.", "parameter_definitions": {"port": {"type": "str"}}}]
    first = {"message": "Tide in Brest?", "model": "command-r", "chat_history": start, "tools": tools}
    said = {"text": "", "tool_calls": [CALL], "meta": {"tokens": {"input_tokens": 40, "output_tokens": 6}}}
    history = [
        *start,
        {"role": "USER", "message": "Tide in Brest?"},
        {"role": "CHATBOT", "message": "", "tool_calls": [CALL]},
    ]
    results = [{"call": CALL, "outputs": [{"height": 7}]}]
    second = {"message": "", "model": "command-r", "chat_history": history, "tool_results": results, "tools": tools}
    end = {"text": "7 m", "meta": {"billed_units": {"input_tokens": 60, "output_tokens": 3}}}
    body = "\n".join(json.dumps(row) for row in ({"event_type": "x"}, {"event_type": "stream-end", "response": end}))
    session = only(
        cassette(tmp_path, exchange(COHERE, first, said), exchange(COHERE, second, body if is_streamed else end))
    )
    assert [message.role for message in session.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert session.messages[2].calls[0].id == session.messages[3].answers
    usages = [session.messages[place].usage for place in session.turns()]
    assert [(one.input, one.output) for one in usages if one] == [(40, 6), (60, 3)]
    assert session.tools and not session.problems


def test_the_second_version_of_cohere_and_its_errors_are_read(tmp_path: Path) -> None:
    asked = {"model": "command-a", "messages": [{"role": "user", "content": "Tide?"}]}
    reply = {
        "message": {"role": "assistant", "content": [{"type": "text", "text": "High."}]},
        "finish_reason": "COMPLETE",
        "usage": {"tokens": {"input_tokens": 12, "output_tokens": 2}},
    }
    session = only(cassette(tmp_path, exchange("https://api.cohere.com/v2/chat", asked, reply)))
    assert texts(session) == ["Tide?", "High."]
    assert session.messages[1].usage == Usage(12, 2, 0, 0)
    failed = {"message": "Tide?", "model": "gone"}
    session = only(cassette(tmp_path, exchange(COHERE, failed, {"message": "model 'gone' was removed"})))
    assert "model 'gone' was removed" in str(session.problems[0])


def test_a_recorded_call_of_grpc_has_the_calls_that_the_service_ran(tmp_path: Path) -> None:
    call = {"id": "c1", "function": {"name": "tide", "arguments": '{"port":"Brest"}'}}
    asked = {
        "model": "grok-4",
        "messages": [{"role": "ROLE_USER", "content": [{"text": "Tide?"}]}],
        "tools": [{"function": {"name": "tide", "parameters": '{"type":"object"}'}}],
    }
    outputs: list[dict[str, Any]] = [
        {"message": {"role": "ROLE_ASSISTANT", "tool_calls": [call]}},
        {"message": {"role": "ROLE_TOOL", "content": "7 m", "tool_calls": [deepcopy(call)]}},
        {"message": {"role": "ROLE_ASSISTANT", "content": "High."}},
    ]
    usage = {"prompt_tokens": 90, "completion_tokens": 5, "reasoning_tokens": 4, "cached_prompt_text_tokens": 30}
    answer = {"outputs": outputs, "usage": usage, "model": "grok-4"}
    row = {"request_sample": {"json": asked}, "response_sample": {"json": answer}}
    session = only(cassette(tmp_path, row))
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "assistant"]
    assert session.messages[-1].usage == Usage(90, 9, 30, 0)
    assert session.model == "grok-4"


def test_messages_between_agents_of_one_context_are_one_session(tmp_path: Path) -> None:
    def asking(text: str, **more: Any) -> dict[str, Any]:
        message = {"role": "user", "parts": [{"kind": "text", "text": text}], "messageId": text, **more}
        return {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}

    def update(text: str) -> str:
        said = {"role": "agent", "parts": [{"kind": "text", "text": text}]}
        result = {"kind": "status-update", "contextId": "k", "status": {"state": "completed", "message": said}}
        return f"data: {json.dumps({'jsonrpc': '2.0', 'id': 1, 'result': result})}\n\n"

    task = {"kind": "task", "contextId": "k", "artifacts": [{"parts": [{"kind": "text", "text": "At six."}]}]}
    second = exchange("http://localhost:1/", asking("When?", contextId="k"), {"id": 1, "result": task})
    first = exchange("http://localhost:1/", asking("Tide?"), update("High."))
    session = only(cassette(tmp_path, first, second))
    assert texts(session) == ["Tide?", "High.", "When?", "At six."]


def framed(payload: Any) -> bytes:
    """A message in AWS's event stream encoding, without headers. Its checksums are not checked."""
    data = json.dumps(payload).encode()
    return (len(data) + 16).to_bytes(4, "big") + bytes(8) + data + bytes(4)


@pytest.mark.parametrize("is_text", [False, True])
def test_the_traces_of_an_agent_of_bedrock_have_its_calls(tmp_path: Path, is_text: bool) -> None:
    def trace(**inner: Any) -> dict[str, Any]:
        return {"agentAliasId": "A", "eventTime": "2026-02-01T10:00:00Z", "trace": {"orchestrationTrace": inner}}

    messages = [{"role": "user", "content": "[{text=Tide?, type=text}]"}]
    sent = json.dumps({"system": "Be brief.", "messages": messages})
    asked = {"text": sent, "traceId": "t1", "foundationModel": "anthropic.claude-3-5-haiku-20241022-v1:0"}
    usage = {"usage": {"inputTokens": 70, "outputTokens": 8}}
    raw = json.dumps({"type": "message", "content": [{"type": "text", "text": "High."}]})
    answered = {"rawResponse": {"content": raw}, "metadata": usage, "traceId": "t1"}
    events = [trace(modelInvocationInput=asked), trace(modelInvocationOutput=answered)]
    compact = [json.dumps(event, separators=(",", ":")) for event in events]
    body = "\ufffd".join(compact) if is_text else b"".join(map(framed, events))
    address = "https://bedrock-agent-runtime.us-east-1.amazonaws.com/agents/A/text"
    session = only(cassette(tmp_path, exchange(address, {"inputText": "Tide?"}, body)))
    assert [message.role for message in session.messages] == ["system", "user", "assistant"]
    assert session.messages[-1].text == "High." and session.messages[-1].usage == Usage(70, 8, 0, 0)


def test_a_stream_of_claude_code_in_yaml_is_a_transcript(tmp_path: Path) -> None:
    rows = [
        {"type": "system", "subtype": "init", "session_id": "s1", "model": "claude-sonnet-4-6", "tools": ["Bash"]},
        {
            "type": "assistant",
            "session_id": "s1",
            "uuid": "u1",
            "parent_tool_use_id": None,
            "message": {"role": "assistant", "id": "m1", "content": [{"type": "text", "text": "High."}]},
        },
        {"type": "result", "subtype": "success", "session_id": "s1", "is_error": False, "num_turns": 1},
    ]
    path = tmp_path / "stream.yaml"
    path.write_text(yaml.safe_dump({"messages": rows}))
    session = only(path)
    assert (session.format, texts(session)) == ("claude-code", ["High."])


def model_event(number: int, *messages: tuple[str, str], reply: str) -> dict[str, Any]:
    return {
        "event": "model",
        "model": "openai/gpt-4o",
        "completed": f"2026-01-02T03:04:0{number}Z",
        "input": [{"role": role, "content": text} for role, text in messages],
        "output": {
            "choices": [{"message": {"role": "assistant", "content": reply}}],
            "usage": {"input_tokens": 100 * number, "output_tokens": 5},
        },
    }


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_compaction_among_events_begins_a_context(tmp_path: Path, is_recorded: bool) -> None:
    first = [("system", "Be brief."), ("user", "Sort the shells.")]
    summary = [("user", "The shells are half sorted.")] if is_recorded else []
    events = [
        model_event(3, *first, reply="Sorting."),
        {"event": "compaction", "type": "summary"},
        model_event(1, *first, *summary, reply="Done."),
        model_event(2, *first, *summary, ("assistant", "Done."), ("user", "Sure?"), reply="Yes."),
    ]
    for path in (
        write_json(tmp_path / "events.json", {"events": events}),
        write_lines(tmp_path / "events.jsonl", events),
    ):
        session = only(path)
        words = "The shells are half sorted." if is_recorded else "[A summary, not recorded]"
        assert [session.messages[place].text for place in session.compactions] == [words]
        timeline = compute_timeline(session, estimate_sizes(session))
        assert (session.format, timeline.compactions, str(timeline.change(2))) == ("inspect-eval", (2,), "300 → 100")
        assert not session.problems


def test_a_sample_with_a_compaction_is_read_from_its_calls(tmp_path: Path) -> None:
    first = [("user", "Sort the shells.")]
    events = [
        model_event(3, *first, reply="Sorting."),
        {"event": "compaction", "type": "summary"},
        model_event(1, ("user", "Shells are half sorted."), reply="Done."),
    ]
    whole = [{"role": "user", "content": "Sort the shells."}, {"role": "assistant", "content": "Done."}]
    sample = {"id": 1, "epoch": 1, "messages": whole, "events": events}
    session = only(write_json(tmp_path / "log.json", {"eval": {"task": "shells"}, "samples": [sample]}))
    assert [session.messages[place].text for place in session.compactions] == ["Shells are half sorted."]
    assert session.title.startswith("shells 1, epoch 1")


def test_rows_of_the_state_of_cursor_are_chats(tmp_path: Path) -> None:
    bubbles = [{"type": "user", "id": "b1", "rawText": "Tide?"}, {"type": "ai", "id": "b2", "rawText": "High."}]
    tabs = {"tabs": [{"tabId": "t1", "chatTitle": "Tides", "bubbles": bubbles}]}
    rows = [[7, "workbench.panel.aichat.view.aichat.chatdata", json.dumps(tabs)]]
    [session] = load(write_json(tmp_path / "rows.json", {"rows": rows, "columns": ["rowid", "key", "value"]}))
    assert (session.title, texts(session)) == ("Tides", ["Tide?", "High."])
