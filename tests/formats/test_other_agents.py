"""What is peculiar to the sessions of Crush, Continue, OpenClaw, Letta Code, Kiro and Entire."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, Usage
from inspector.formats import FORMATS, UnreadableError, load
from tests.formats.samples import write_sample
from tests.formats.written import only, texts, write_json, write_lines

Fields = dict[str, Any]


def now(session: Session) -> list[str]:
    """What the next request would have."""
    path = (session.messages[place] for place in session.path_to(session.last_position()))
    return [message.text for message in path if message.kind != "notice"]


# Crush

CALL = ("tool_call", {"id": "c1", "name": "shell", "input": '{"command":"ls"}', "finished": True})
ANSWER = ("tool_result", {"tool_call_id": "c1", "name": "shell", "content": "denied", "is_error": True})


def crush(folder: Path, *messages: tuple[str, list[tuple[str, Fields]], bool], session: str = "s1") -> Path:
    path = folder / "crush.db"
    if not path.exists():
        write_sample("crush", folder)
    with sqlite3.connect(path) as connection:
        for number, (role, parts, is_summary) in enumerate(messages, 3):
            blocks = json.dumps([{"type": kind, "data": data} for kind, data in parts])
            row = (f"{session}-{number}", session, role, blocks, "claude-sonnet-4", number, is_summary)
            connection.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return path


def words(text: str) -> list[tuple[str, Fields]]:
    return [("text", {"text": text})]


def test_a_summary_of_crush_begins_a_context_in_the_persons_name(tmp_path: Path) -> None:
    reply: list[tuple[str, Fields]] = [("reasoning", {"thinking": "hm", "signature": "s"}), CALL]
    path = crush(
        tmp_path,
        ("assistant", reply, False),
        ("tool", [ANSWER], False),
        ("assistant", words("Three orders."), True),
        ("user", words("Go on."), False),
    )
    session = only(path)
    assert now(session) == ["Three orders.", "Go on."] and len(session.compactions) == 1
    summary = session.messages[session.compactions[0]]
    assert (summary.role, summary.kind) == ("user", "summary") and len(session.turns()) == 2
    call, answer = session.messages[2:4]
    assert call.thinks and call.model == "claude-sonnet-4" and answer.answers == call.calls[0].id and answer.is_error
    [head] = FORMATS["crush"].heads(path)
    assert head.title == "Orders"


def test_a_session_that_a_tool_of_crush_began_is_a_sub_agent(tmp_path: Path) -> None:
    path = crush(tmp_path, ("user", words("Look."), False), session="s2")
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO sessions VALUES ('s2', 's1', 'A look', 0, 2, 3, NULL)")
        connection.execute("INSERT INTO sessions VALUES ('s3', NULL, 'Empty', 0, 2, 3, NULL)")
        connection.execute("UPDATE sessions SET summary_message_id = 'm2' WHERE id = 's1'")
    session = only(path)
    assert session.agents == ("main", "A look") and now(session) == ["There are three."]
    assert len(FORMATS["crush"].heads(path)) == 1


@pytest.mark.parametrize("name", ["crush", "openclaw"])
def test_a_database_with_an_odd_time_is_listed(name: str, tmp_path: Path) -> None:
    path = write_sample(name, tmp_path)
    column, table = {"crush": ("updated_at", "sessions"), "openclaw": ("created_at", "transcript_events")}[name]
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {table} SET {column} = '[]'")
    [head] = FORMATS[name].heads(path)
    assert head.time == 0


def test_a_database_of_another_version_is_listed_with_what_it_has(tmp_path: Path) -> None:
    path = write_sample("crush", tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE sessions RENAME COLUMN title TO name")
    [head] = FORMATS["crush"].heads(path)
    assert head.title == ""


# Continue


def item(role: str, content: str, *, attached: str = "", **fields: Any) -> Fields:
    context = [{"name": "a.py", "content": attached, "description": "a file"}] if attached else []
    states = {"toolCallStates": fields.pop("states")} if "states" in fields else {}
    summary = {"conversationSummary": fields.pop("summary")} if "summary" in fields else {}
    return {"message": {"role": role, "content": content, **fields}, "contextItems": context, **states, **summary}


def continued(folder: Path, *history: Fields) -> Session:
    value = {"sessionId": "s1", "title": "Crates", "history": list(history), "chatModelTitle": "claude-sonnet-4"}
    return only(write_json(folder / "session.json", value))


def tool_call(name: str) -> Fields:
    return {"id": name, "type": "function", "function": {"name": "count", "arguments": "{}"}}


def test_thinking_and_usage_of_continue_belong_to_the_reply(tmp_path: Path) -> None:
    report = {"promptTokens": 900, "completionTokens": 3, "promptTokensDetails": {"cachedTokens": 100}}
    session = continued(
        tmp_path,
        item("user", "Count.", attached="crates = 40"),
        item("thinking", "hm", signature="s"),
        item("assistant", "Forty.", usage=report),
    )
    context, ask, reply = session.messages
    assert (context.kind, context.text, ask.kind, ask.text) == ("injected", "crates = 40", "chat", "Count.")
    assert reply.thinks and reply.usage == Usage(900, 3, 100) and len(session.turns()) == 1
    assert (session.format, session.title, session.model, session.problems) == (
        *("continue", "Crates", "claude-sonnet-4"),
        (),
    )


def test_calls_of_continue_are_answered_by_their_states(tmp_path: Path) -> None:
    done = {"toolCallId": "a", "status": "done", "output": [{"content": "40"}, {"content": "9"}]}
    states = [done, {"toolCallId": "b", "status": "canceled"}, {"toolCallId": "c", "status": "errored", "output": []}]
    session = continued(
        tmp_path,
        item("user", "Count."),
        item("assistant", "", toolCalls=[tool_call(name) for name in "abcd"], states=states),
        item("tool", "no crates", toolCallId="c"),
    )
    answers = {message.answers: (message.text, message.is_error) for message in session if message.answers}
    assert answers == {"a": ("40\n\n9", False), "b": ("canceled", True), "c": ("no crates", True)}


def test_behind_a_summary_of_continue_is_only_what_came_after_it(tmp_path: Path) -> None:
    session = continued(
        tmp_path,
        item("user", "Count."),
        item("assistant", "Forty.", summary="Forty were counted."),
        item("user", "Go on."),
        item("thinking", "hm"),
    )
    assert now(session) == ["Forty were counted.", "Go on.", "hm"] and len(session.compactions) == 1


# OpenClaw


def test_a_database_of_openclaw_holds_sessions(tmp_path: Path) -> None:
    path = write_sample("openclaw", tmp_path)
    other = {"type": "message", "id": "x", "message": {"role": "user", "content": "Other."}}
    with sqlite3.connect(path) as connection:
        rows = [("s2", 1, json.dumps(other)), ("s2", 2, '{"type": "strange"}'), ("s3", 1, '{"type": "session"}')]
        connection.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, 1767323045000)", rows)
    first, second = load(path)
    assert (first.id, first.format, second.id, texts(second)) == ("s1", "openclaw", "s2", ["Other."])
    assert "is not a record of a pi session" in str(first.problems)
    heads = FORMATS["openclaw"].heads(path)
    assert [head.title for head in heads] == ["s1", "s2"] and heads[0].time == 1767323045


def test_compressed_records_of_openclaw_are_told(tmp_path: Path) -> None:
    path = write_sample("openclaw", tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE transcript_events ADD COLUMN event_zstd BLOB")
        connection.execute("INSERT INTO transcript_events VALUES ('s1', 9, NULL, 1, x'28b52ffd')")
    assert "it is compressed, which is not read here" in str(only(path).problems)
    with sqlite3.connect(path) as connection:
        for number in range(9):
            connection.execute("INSERT INTO transcript_events VALUES ('s9', ?, NULL, 1, x'28b52ffd')", (number,))
    with pytest.raises(UnreadableError, match="is compressed, which is not read here"):
        load(path)


# Letta Code


def test_calls_in_a_transcript_of_letta_code_stand_with_their_answers(tmp_path: Path) -> None:
    line = {"captured_at": "2026-01-02T03:04:05.000Z"}
    call = {"kind": "tool_call", "name": "shell", "argsText": '{"command":"ls"}', "resultText": "denied"}
    lines = [
        {"kind": "user", "text": "Count.", **line},
        {"kind": "reasoning", "text": "hm", **line},
        {**call, "resultOk": False, **line},
        {"kind": "tool_call", "name": "shell", **line},
        {"kind": "error", "text": "The line broke.", **line},
        {"kind": "assistant", "text": "Forty.", "source_message_id": "m9", **line},
    ]
    session = only(write_lines(tmp_path / "transcript.jsonl", lines))
    ask, thought, asked, answer, other, error, reply = session.messages
    assert thought.thinks and asked.calls[0].name == "shell" and answer.is_error and answer.text == "denied"
    assert answer.answers == asked.calls[0].id != other.calls[0].id and error.kind == "notice"
    assert (reply.id, ask.time, session.format) == ("m9", "2026-01-02T03:04:05.000Z", "letta-code")


# Kiro


def block(kind: str, data: Any) -> Fields:
    return {"kind": kind, "data": data}


def test_blocks_of_kiro_are_calls_answers_and_thinking(tmp_path: Path) -> None:
    def entry(kind: str, *blocks: Fields, **data: Any) -> Fields:
        return {"version": "v1", "kind": kind, "data": {"message_id": kind, "content": [*blocks], **data}}

    thought = block("thinking", {"text": "hm", "signature": "s"})
    call = block("toolUse", {"toolUseId": "c1", "name": "shell", "input": {"command": "ls"}})
    content = [block("text", "denied"), block("json", {"code": 1})]
    answer = block("toolResult", {"toolUseId": "c1", "content": content, "status": "error"})
    lines = [
        entry("Prompt", block("text", "Count."), meta={"timestamp": 1767323045}),
        entry("AssistantMessage", thought, block("text", "I count."), call),
        entry("ToolResults", answer, results={"c1": {}}),
        {"version": "v1", "kind": "Compaction", "data": {"summary": "Nothing was counted."}},
        entry("Prompt", block("text", "Again."), block("image", {"format": "png"})),
        {"version": "v1", "kind": "Strange", "data": {}},
    ]
    session = only(write_lines(tmp_path / "session.jsonl", lines))
    ask, reply, result = session.messages[:3]
    assert ask.time == "2026-01-02T03:04:05.000Z" and reply.thinks and result.answers == reply.calls[0].id
    assert result.is_error and result.text.startswith("denied") and '"code":1' in result.text
    assert now(session)[0] == "Nothing was counted." and now(session)[1].startswith("Again.")
    assert "is not a record of a Kiro session" in str(session.problems[-1])


# Entire


def test_the_uncached_tokens_that_entire_records_are_no_size_of_a_request(tmp_path: Path) -> None:
    head = {"v": 1, "agent": "Claude Code", "cli_version": "0.5"}
    ask = {**head, "type": "user", "content": [{"text": "How many orders were paid? " * 40}]}
    reply = {**head, "type": "assistant", "id": "m1", "content": [{"text": "Two."}], "input_tokens": 3}
    session = only(write_lines(tmp_path / "entire.jsonl", [ask, reply, {**ask, "content": "And in May?"}]))
    assert session.format == "entire" and [message.usage for message in session] == [None, None, None]


def test_the_text_of_a_skill_in_a_transcript_of_entire_is_not_the_users(tmp_path: Path) -> None:
    head = {"v": 1, "agent": "Claude Code", "cli_version": "0.5", "type": "user"}
    skill = {**head, "content": [{"text": "Base directory for this skill: /shop/.claude/skills/books\n\nNever round."}]}
    session = only(write_lines(tmp_path / "entire.jsonl", [skill, {**head, "content": [{"text": "Close May."}]}]))
    assert [message.kind for message in session] == ["injected", "chat"] and session.title == "Close May."
