"""A conversation as a span: what the conventions name is there, and all of it is read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspector.core.conversation import Usage
from inspector.formats import WRITERS, Conversation, load
from tests.formats.written import only, write_lines

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
USAGE = {"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 10}


def transcript(folder: Path) -> Path:
    call = {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "pier"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "fog", "is_error": True}
    contents: list[tuple[str, list[dict[str, Any]]]] = [
        ("user", [{"type": "text", "text": "What is there?"}, PICTURE]),
        (
            "assistant",
            [{"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "text", "text": "I look."}, call],
        ),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": "Fog."}]),
    ]
    records = [
        {
            "type": role,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "s1",
            "timestamp": f"2026-01-02T03:04:0{number}.000Z",
            "message": {"role": role, "content": content}
            | ({"id": f"m{number}", "model": "claude-sonnet-4", "usage": USAGE} if role == "assistant" else {}),
        }
        for number, (role, content) in enumerate(contents)
    ]
    return write_lines(folder / "log.jsonl", records)


def test_a_span_has_the_attributes_of_the_conventions(tmp_path: Path) -> None:
    session = only(transcript(tmp_path))
    text = WRITERS["open-telemetry"].write(
        Conversation(session.title, session.id, session.format, session.messages, session.context)
    )
    (span,) = json.loads(text)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    values = {row["key"]: next(iter(row["value"].values())) for row in span["attributes"]}
    assert (len(span["traceId"]), len(span["spanId"]), span["name"]) == (32, 16, "chat claude-sonnet-4")
    assert span["startTimeUnixNano"] == "1767323040000000000" and span["endTimeUnixNano"] == "1767323043000000000"
    assert values["gen_ai.usage.input_tokens"] == "100" and values["gen_ai.response.model"] == "claude-sonnet-4"
    sent, answer = json.loads(values["gen_ai.input.messages"]), json.loads(values["gen_ai.output.messages"])
    assert [[part["type"] for part in message["parts"]] for message in sent] == [
        ["text", "blob"],
        ["reasoning", "text", "tool_call"],
        ["tool_call_response"],
    ]
    assert sent[0]["parts"][1] == {
        "type": "blob",
        "modality": "image",
        "mime_type": "image/png",
        "content": "iVBORw0KGgo=",
    }
    assert sent[1]["parts"][2] == {"type": "tool_call", "id": "c1", "name": "look", "arguments": {"at": "pier"}}
    assert [(message["parts"], message["finish_reason"]) for message in answer] == [
        ([{"type": "text", "content": "Fog."}], "stop")
    ]


def test_what_is_read_back_has_times_usage_and_failures(tmp_path: Path) -> None:
    session = only(transcript(tmp_path))
    path = tmp_path / "x.json"
    conversation = Conversation(session.title, session.id, session.format, session.messages, session.context)
    path.write_text(WRITERS["open-telemetry"].write(conversation), encoding="utf-8")
    (again,) = load(path)
    assert (again.id, again.title, again.model, again.problems) == (session.id, session.title, session.model, ())
    assert [(m.role, m.time, m.is_error) for m in again.messages] == [
        (m.role, m.time, m.is_error) for m in session.messages
    ]
    assert [again.messages[place].usage for place in again.turns()] == [Usage(100, 3, 80, 10)] * 2
    assert again.messages[0].images == 1 and again.messages[1].thinks


def test_a_span_of_another_program_is_read_as_before_where_one_of_ours_stands_beside_it(tmp_path: Path) -> None:
    session = only(transcript(tmp_path))
    text = WRITERS["open-telemetry"].write(
        Conversation(session.title, session.id, session.format, session.messages, session.context)
    )
    own = json.loads(text)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Another question."}]}])
    other = {"traceId": "t", "attributes": [{"key": "gen_ai.input.messages", "value": {"stringValue": asked}}]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [own, other]}]}]}), encoding="utf-8")
    texts = {message.text for one in load(path) for message in one.messages}
    assert {"Another question.", "Fog."} <= texts
