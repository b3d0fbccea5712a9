"""Messages in the words of libraries: whatever the words, the same question, call, answer and reply are read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from inspector.formats import UnreadableError, load
from tests.formats.written import only, texts, write_json, write_lines

ASK, WARM, REPLY = "How warm is it in Rome?", "20 degrees", "It is 20 degrees."
CITY, COMPACT = {"city": "Rome"}, '{"city":"Rome"}'
NAMED = {"id": "c1", "name": "weather", "arguments": COMPACT}


def said(who: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"role": who, "content": text, **fields}


def parts(who: str, *entries: Any, key: str = "parts") -> dict[str, Any]:
    return {"role": who, key: list(entries)}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


AI_SDK = [
    parts("user", text(ASK)),
    parts(
        "assistant",
        {"type": "step-start"},
        {"type": "tool-weather", "toolCallId": "c1", "state": "output-available", "input": CITY, "output": WARM},
        {"type": "step-start"},
        text(REPLY),
    ),
]
AI_SDK_4 = [
    {"id": "a", **said("user", ASK)},
    said(
        "assistant",
        REPLY,
        parts=[
            {
                "type": "tool-invocation",
                "toolInvocation": {
                    "state": "result",
                    "toolCallId": "c1",
                    "toolName": "weather",
                    "args": CITY,
                    "result": WARM,
                },
            },
            text(REPLY),
        ],
    ),
]
AI_SDK_CORE = [
    said("user", ASK),
    parts("assistant", {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": CITY}, key="content"),
    parts(
        "tool",
        {"type": "tool-result", "toolCallId": "c1", "toolName": "weather", "output": {"type": "text", "value": WARM}},
        key="content",
    ),
    said("assistant", REPLY),
]
BEDROCK = [
    parts("user", {"text": ASK}, key="content"),
    parts("assistant", {"toolUse": {"toolUseId": "c1", "name": "weather", "input": CITY}}, key="content"),
    parts("user", {"toolResult": {"toolUseId": "c1", "content": [{"text": WARM}], "status": "success"}}, key="content"),
    parts("assistant", {"text": REPLY}, key="content"),
]
GEMINI = [
    parts("user", {"text": ASK}),
    parts("model", {"functionCall": {"name": "weather", "args": CITY}}),
    parts("user", {"functionResponse": {"name": "weather", "response": {"output": WARM}}}),
    parts("model", {"text": REPLY}),
]
GOOSE = [
    parts("user", text(ASK), key="content"),
    parts(
        "assistant",
        {"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": NAMED | {"arguments": CITY}}},
        key="content",
    ),
    parts(
        "user",
        {"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": [text(WARM)]}},
        key="content",
    ),
    parts("assistant", text(REPLY), key="content"),
]
ADK = {"id": "s1", "appName": "app", "events": [{"author": "a", "content": message} for message in GEMINI]}
LANGCHAIN = [
    {"type": "human", "data": {"content": ASK, "type": "human"}},
    {
        "type": "ai",
        "data": {"content": "", "type": "ai", "tool_calls": [{"name": "weather", "args": CITY, "id": "c1"}]},
    },
    {"type": "tool", "data": {"content": WARM, "type": "tool", "tool_call_id": "c1"}},
    {"type": "ai", "data": {"content": REPLY, "type": "ai"}},
]
LANGCHAIN_DUMP = [{"lc": 1, "type": "constructor", "id": ["langchain"], "kwargs": row["data"]} for row in LANGCHAIN]
PYDANTIC = [
    {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ASK}]},
    {
        "kind": "response",
        "parts": [{"part_kind": "tool-call", "tool_name": "weather", "args": COMPACT, "tool_call_id": "c1"}],
    },
    {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_call_id": "c1", "content": WARM}]},
    {"kind": "response", "parts": [{"part_kind": "text", "content": REPLY}]},
]
AUTOGEN = [
    {"type": "UserMessage", "source": "user", "content": ASK},
    {"type": "AssistantMessage", "source": "a", "content": [NAMED]},
    {
        "type": "FunctionExecutionResultMessage",
        "content": [{"content": WARM, "name": "weather", "call_id": "c1", "is_error": False}],
    },
    {"type": "AssistantMessage", "source": "a", "content": REPLY},
]
KERNEL = [
    parts("user", {"content_type": "text", "text": ASK}, key="items"),
    parts("assistant", {"content_type": "function_call", **NAMED}, key="items"),
    parts("tool", {"content_type": "function_result", "id": "c1", "result": WARM}, key="items"),
    parts("assistant", {"content_type": "text", "text": REPLY}, key="items"),
]
CONTINUE = [
    {"message": said("user", ASK)},
    {"message": said("assistant", "", toolCalls=[{"id": "c1", "function": NAMED}])},
    {"message": said("tool", WARM, toolCallId="c1")},
    {"message": said("assistant", REPLY)},
]
OLLAMA = [
    said("user", ASK),
    said("assistant", "", tool_calls=[{"function": {"name": "weather", "arguments": CITY}}]),
    said("tool", WARM, tool_name="weather"),
    said("assistant", REPLY),
]
AMP = [
    parts("user", text(ASK), key="content"),
    parts("assistant", {"type": "tool_use", "id": "c1", "name": "weather", "input": CITY}, key="content"),
    parts(
        "user",
        {"type": "tool_result", "toolUseID": "c1", "run": {"status": "done", "result": {"output": WARM}}},
        key="content",
    ),
    parts("assistant", text(REPLY), key="content"),
]
LIBRARIES = {
    "ai sdk": {"messages": AI_SDK},
    "ai sdk 4": AI_SDK_4,
    "ai sdk core": AI_SDK_CORE,
    "bedrock": {"modelId": "claude-sonnet-4", "messages": BEDROCK},
    "gemini": {"contents": GEMINI},
    "goose": GOOSE,
    "adk": ADK,
    "langchain": LANGCHAIN,
    "langchain dump": LANGCHAIN_DUMP,
    "pydantic ai": PYDANTIC,
    "autogen": {"agent_states": {"a": {"llm_context": {"messages": AUTOGEN}}}},
    "semantic kernel": {"messages": KERNEL},
    "continue": {"sessionId": "s", "history": CONTINUE},
    "ollama": {"model": "llama3", "messages": OLLAMA},
    "amp": {"v": 1, "messages": AMP},
}


def rows(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in session]


OWN_FORMATS = {
    "adk": "google-adk",
    "langchain": "langchain",
    "langchain dump": "langchain",
    "pydantic ai": "pydantic-ai",
    "autogen": "autogen",
    "continue": "continue",
}
"""Libraries whose files have a format of their own. Others are a guess."""


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_words_of_a_library_are_read_as_calls_answers_and_replies(tmp_path: Path, name: str) -> None:
    session = only(write_json(tmp_path / "x.json", LIBRARIES[name]))
    _, call, answer, _ = session.messages
    assert rows(session) == [
        ("user", ASK),
        ("assistant", 'weather({"city":"Rome"})'),
        ("tool", WARM),
        ("assistant", REPLY),
    ]
    assert [entry.name for entry in call.calls] == ["weather"] and answer.answers == call.calls[0].id
    assert session.format == OWN_FORMATS.get(name, "unknown")
    assert any("that is a guess" in str(problem) for problem in session.problems) == (name not in OWN_FORMATS)


@pytest.mark.parametrize("name", ["goose", "langchain"])
def test_messages_of_a_library_may_stand_on_lines(tmp_path: Path, name: str) -> None:
    lines = only(write_lines(tmp_path / "x.jsonl", LIBRARIES[name]))
    assert rows(lines) == rows(only(write_json(tmp_path / "x.json", LIBRARIES[name])))


def test_what_stands_around_the_messages_is_kept(tmp_path: Path) -> None:
    value = {
        "id": "s7",
        "title": "Weather",
        "model": "gemini-2.5-pro",
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [*GEMINI[:3], GEMINI[3] | {"usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": 7}}],
    }
    session = only(write_json(tmp_path / "x", value))
    assert (session.id, session.title, session.model) == ("s7", "Weather", "gemini-2.5-pro")
    assert rows(session)[0] == ("system", "Be brief.")
    usage = session.messages[-1].usage
    assert usage and (usage.input, usage.output) == (90, 7)


def test_a_system_prompt_inside_a_request_is_one(tmp_path: Path) -> None:
    first = {
        "kind": "request",
        "parts": [{"part_kind": "system-prompt", "content": "Be brief."}, *PYDANTIC[0]["parts"]],
    }
    session = only(write_json(tmp_path / "x", [first, *PYDANTIC[1:]]))
    assert rows(session)[:2] == [("system", "Be brief."), ("user", ASK)]


@pytest.mark.parametrize("kind", [{"type": "tool-weather"}, {"type": "dynamic-tool", "toolName": "weather"}])
def test_an_answer_that_says_that_it_failed_is_an_error(tmp_path: Path, kind: dict[str, str]) -> None:
    block = {**kind, "state": "output-error", "toolCallId": "c1", "input": {}, "errorText": "no such city"}
    session = only(write_json(tmp_path / "x", [AI_SDK[0], parts("assistant", block, text(REPLY))]))
    [answer] = [message for message in session if message.role == "tool"]
    assert answer.text == "no such city" and answer.is_error


@pytest.mark.parametrize("kind", [{}, ["x"], None])
def test_a_block_whose_kind_is_no_word_is_told_by_its_fields(tmp_path: Path, kind: Any) -> None:
    odd = parts("assistant", {"type": kind, "toolCall": NAMED | {"arguments": CITY}}, key="content")
    assert len(only(write_json(tmp_path / "x", [GOOSE[0], odd])).messages) == 2


def test_calls_without_ids_are_answered_in_their_order(tmp_path: Path) -> None:
    twice = [*OLLAMA[:3], OLLAMA[1], said("tool", "21 degrees", tool_name="weather"), OLLAMA[3]]
    session = only(write_json(tmp_path / "x", {"messages": twice}))
    calls = [call.id for message in session for call in message.calls]
    assert [message.answers for message in session if message.role == "tool"] == calls
    assert len({*calls}) == 2


def test_requests_in_the_words_of_a_provider_stay_its_own(tmp_path: Path) -> None:
    answer = {"type": "tool_result", "tool_use_id": "c1", "content": WARM}
    messages = [*AMP[:2], parts("user", answer, key="content"), AMP[3]]
    value = {"model": "claude-sonnet-4", "max_tokens": 9, "messages": messages}
    assert only(write_json(tmp_path / "x", value)).format == "anthropic"


def test_the_newest_branch_of_a_tree_is_read(tmp_path: Path) -> None:
    leaf = {"sender": "GPT-4o", "isCreatedByUser": False, "text": REPLY, "children": []}
    other = leaf | {"text": "It is cold."}
    root = {"sender": "User", "isCreatedByUser": True, "text": ASK, "children": [other, leaf]}
    session = only(write_json(tmp_path / "x", {"title": "Weather", "messages": [root]}))
    assert rows(session) == [("user", ASK), ("assistant", REPLY)]


def database(path: Path, table: str, records: list[tuple[str, str]]) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sessions (id TEXT, title TEXT)")
        connection.execute("INSERT INTO sessions VALUES ('s1', 'Weather')")
        connection.execute(table)
        connection.executemany("INSERT INTO messages VALUES ('s1', ?, ?)", records)
        connection.execute("INSERT INTO messages VALUES ('s2', ?, ?)", records[0])
    return path


def test_a_table_of_messages_is_read_by_conversation(tmp_path: Path) -> None:
    records = [(str(row["role"]), json.dumps(row["content"])) for row in GOOSE]
    path = database(tmp_path / "x.db", "CREATE TABLE messages (session_id TEXT, role TEXT, content_json TEXT)", records)
    first, second = load(path)
    assert rows(first) == [
        ("user", ASK),
        ("assistant", 'weather({"city":"Rome"})'),
        ("tool", WARM),
        ("assistant", REPLY),
    ]
    assert (first.id, first.title, second.id, rows(second)) == ("s1", "Weather", "s2", [("user", ASK)])
    assert "a table messages with a message in each row, by session_id: that is a guess" in str(first.problems[0])


def test_a_table_of_wrapped_messages_is_read(tmp_path: Path) -> None:
    records = [("x", json.dumps(row)) for row in LANGCHAIN]
    path = database(tmp_path / "x.db", "CREATE TABLE messages (session_id TEXT, note TEXT, message TEXT)", records)
    assert [message.role for message in load(path)[0]] == ["user", "assistant", "tool", "assistant"]


def test_a_table_in_which_no_assistant_speaks_is_no_conversation(tmp_path: Path) -> None:
    path = database(
        tmp_path / "x.db",
        "CREATE TABLE messages (thread_id TEXT, author TEXT, body TEXT)",
        [(name, "A post.") for name in ("Ann", "Ben", "Ann", "Ben")],
    )
    with pytest.raises(UnreadableError, match="names a user and another one an assistant"):
        load(path)


def test_conversations_of_one_kind_in_a_record_are_sessions_each(tmp_path: Path) -> None:
    value = {"store": {"ann": GEMINI, "ben": [parts("user", {"text": "Hi."}), parts("model", {"text": "Hello."})]}}
    first, second = load(write_json(tmp_path / "x", value))
    assert [message.text for message in first][-1] == REPLY and texts(second) == ["Hi.", "Hello."]
    twice = {"messages": GEMINI, "history": GEMINI[:2], "other": [{"a": 1}]}
    assert len(only(write_json(tmp_path / "y", twice)).messages) == 4


def test_a_call_without_words_is_none_that_is_left_out(tmp_path: Path) -> None:
    value = {"log": {"turns": [said("user", ASK), {**CONTINUE[1]["message"], "content": None}, *OLLAMA[2:]]}}
    assert [message.role for message in only(write_json(tmp_path / "x", value))] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
