"""Files of known tools that hold no conversation are refused by what they are, and what they are like is not."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.formats import UnreadableError, load
from inspector.formats.unsupported import STRANGERS

PROMPT = {"sessionId": "s1", "messageId": 0, "type": "user", "message": "Sort the scans.", "timestamp": "2026-01-02"}
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "num_turns": 2,
    "session_id": "s",
    "result": "Done.",
}
RUN = [{"type": "thread.started", "thread_id": "t"}, {"type": "item.completed", "item": {"type": "agent_message"}}]
SEGMENT = {"record_id": "s:m", "session_id": "s", "seq": 1, "kind": "message", "role": "user", "message_id": "m"}
ANSWER = {"id": "c", "object": "chat.completion", "model": "m", "choices": []}
HOOK = {"session_id": "s", "hook_event_name": "Stop", "cwd": "/pier", "last_assistant_message": "Done."}
MUTATION = {"timestamp": "2026-01-02", "type": "history_mutation", "payload": {"operation": "append", "items": []}}
LOGGED = [{"model_config": {}, "input": {"messages": []}}, {"data": {"role": "assistant"}, "usage": {}}]
WIRE = [
    {"type": "metadata", "protocol_version": "1.3"},
    {"timestamp": 1.0, "message": {"type": "TurnBegin", "payload": {"user_input": "Sort."}}},
]
STUDIO = {
    "name": "Scans",
    "messages": [{"versions": [{"type": "singleStep", "role": "user", "content": []}], "currentlySelected": 0}],
    "usePerChatPredictionConfig": True,
}
EVENT = {"id": "e1", "session_id": "s", "type": "agent-switched", "time_created": 1, "time_updated": 2, "data": "{}"}


def refusal(path: Path) -> str:
    with pytest.raises(UnreadableError) as caught:
        load(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([PROMPT, PROMPT | {"messageId": 1}], "the prompts typed into Gemini CLI"),
        (
            [{"scope": "https://x.example", "method": "POST", "path": "/v1", "response": "data: {}"}] * 2,
            "recorded replies of an HTTP server",
        ),
        ([EVENT, EVENT | {"seq": 1}], "events of an opencode session, without its messages: open opencode.db"),
        ([{"resourceLogs": []}], "OpenTelemetry logs without GenAI messages, such as those of Claude Code: open"),
        ([RESULT], "the result of a Claude Code run, without its messages: open the transcript"),
        ([ANSWER], "a model's response to one request"),
        ([SEGMENT], "a segment of Polylogue's archive: open the recording"),
        ([{"id": "r", "object": "response", "status": "completed", "output": []}], "a model's response to one"),
        ([{"candidates": [], "usageMetadata": {}}], "a model's response to one request, without the prompt"),
        ([{"type": "message_start", "message": {}}, {"type": "ping"}], "the events of a streamed response"),
        ([{"custom_id": "r", "result": {"type": "succeeded"}}], "the responses of a batch"),
        ([HOOK, HOOK | {"prompt": "Sort."}], "a log of hook events of Codex or Claude Code, without"),
        ([MUTATION | {"type": "session_meta"}, MUTATION], "a rollout of Trae's version of Codex, whose messages"),
        (LOGGED, "a request logged by Goose, with the streamed reply: open sessions.db"),
        (WIRE, "the display events of a Kimi CLI session: open context.jsonl next to it"),
        ([STUDIO], "a conversation of LM Studio, whose messages have a format that is not supported"),
        (RUN, "the output of codex exec, without the prompt: open the rollout"),
        ([{"id": "b", "custom_id": "r", "response": {}, "error": None}], "the responses of a batch, without the"),
        ([{"content": "Sort", "status": "pending", "activeForm": "Sorting"}], "a task list of Claude Code"),
    ],
)
def test_a_known_file_without_a_conversation_says_what_to_open(tmp_path: Path, records: list[Any], words: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    assert refusal(path).startswith(f"{path} is {words}")
    lines = tmp_path / "file.jsonl"
    lines.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert words in refusal(lines)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        (
            "blobs meta",
            "messages have a format that is not supported: open a transcript in the folder agent-transcripts.",
        ),
        ("threads", "such as Zed's, whose compressed messages cannot be read: open a thread exported as JSON."),
        (
            "projects traces spans span_annotations users",
            "the database of Phoenix, whose traces cannot be read from it",
        ),
    ],
)
def test_a_database_is_known_by_its_tables(tables: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as connection:
        for name in tables.split():
            connection.execute(f"CREATE TABLE {name} (id TEXT PRIMARY KEY, data BLOB)")
    assert words in refusal(path)


def test_what_has_nothing_to_open_instead_says_so(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps({"type": "agent_step", "event_id": "e1", "crew_name": "locks"}), encoding="utf-8")
    assert refusal(path).endswith("a CrewAI run, without the messages of a model call: choose another file.")


def test_a_rollout_with_messages_of_codex_is_none_of_a_fork(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Sort."}]}
    path.write_text(
        "\n".join(map(json.dumps, [MUTATION | {"type": "response_item", "payload": said}] * 3 + [MUTATION])),
        encoding="utf-8",
    )
    assert load(path)[0].format == "codex"


def test_one_record_with_more_to_say_is_read_as_before(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    others = {"uuid": "u1", "message": {"role": "user", "content": "Sort the scans."}}
    path.write_text(json.dumps(PROMPT | others), encoding="utf-8")
    [session] = load(path)
    assert session.messages[0].text == "Sort the scans."


def test_each_is_told_apart() -> None:
    assert len({*STRANGERS}) == len({(entry.fields, entry.types, entry.first) for entry in STRANGERS}) == len(STRANGERS)


def test_records_of_another_type_are_none(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text("\n".join(map(json.dumps, [*RUN, {"type": "other"}])), encoding="utf-8")
    assert "not a supported format" in refusal(path)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "dive"}]}]}]}, "without the messages of a model call"),
        ({"output": {}, "stopReason": "end_turn", "usage": {}}, "a reply of Amazon Bedrock's Converse API"),
        ({"info": {}, "session_summary": "", "current_model_id": "m"}, "open chat_history.jsonl in the same folder"),
        ({"message": {}, "message_id": 0, "redact_message": None}, "open session.json in the folder of the session"),
        (
            {"id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": None, "usage": {}},
            "a reply of Anthropic's Messages API, without the prompt: open the request",
        ),
    ],
)
def test_a_part_of_a_session_or_a_reply_is_refused_by_what_it_is(tmp_path: Path, record: Any, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(record))
    assert words in refusal(path)


def test_server_sent_events_are_refused_by_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "reply.txt"
    path.write_text('event: message_start\ndata: {"type": "message_start"}\n\n')
    assert "the events of a streamed response, without the prompt" in refusal(path)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"type": "error", "message": "usage\x1b[2J limit reached"}, "usage␛[2J limit reached"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "too long"}}, "too long"),
        ({"error": {"message": "Rate limit", "code": 429}}, "Rate limit"),
        ({"type": "not_found", "message": "no session"}, "no session"),
        ({"source": "execution", "code": "RuntimeError", "message": "terminated"}, "terminated"),
        ({"detail": "Not Found"}, "Not Found"),
    ],
)
def test_an_error_is_named_with_its_words(tmp_path: Path, record: dict[str, Any], words: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    assert refusal(path).endswith(f"is an error without a conversation ({words}): choose another file.")
    path.write_text("\n".join([json.dumps(record)] * 2), encoding="utf-8")
    assert "is errors without a conversation" in refusal(path)
    path.write_text(json.dumps({"type": "assistant", "message": "Hello."}), encoding="utf-8")
    assert "an error" not in refusal(path)
