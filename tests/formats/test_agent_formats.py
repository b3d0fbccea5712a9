"""What is peculiar to the sessions of other agents: calls with their results, steps, compactions, ways not taken."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, Usage
from inspector.formats import UnreadableError, find, load
from tests.formats.written import only, write_json, write_lines


def rows(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in session]


def last_context(session: Session) -> list[str]:
    return [session.messages[place].text for place in session.path_to(len(session.messages) - 1)]


# Gemini CLI

GEMINI_CALL = {
    "id": "c1",
    "name": "read_file",
    "args": {"path": "a.py"},
    "status": "success",
    "result": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "three lines"}}}],
}
GEMINI_REPLY = {
    "id": "m2",
    "type": "gemini",
    "content": "I look.",
    "model": "gemini-2.5-pro",
    "thoughts": [{"subject": "Where", "description": "In a.py."}],
    "tokens": {"input": 100, "output": 10, "cached": 40, "thoughts": 5, "total": 115},
    "toolCalls": [GEMINI_CALL],
}
GEMINI_HEAD = {"sessionId": "s1", "projectHash": "p1"}
ASK = {"id": "m1", "type": "user", "content": "Look."}


def test_a_gemini_reply_is_followed_by_the_results_of_its_calls(tmp_path: Path) -> None:
    notice = {"id": "m3", "type": "info", "content": "Cancelled."}
    session = only(write_json(tmp_path / "x", GEMINI_HEAD | {"messages": [ASK, GEMINI_REPLY, notice]}))
    assert rows(session)[1:3] == [
        ("assistant", 'Where\nIn a.py.\n\nI look.\n\nread_file({"path":"a.py"})'),
        ("tool", "three lines"),
    ]
    assert session.messages[1].usage == Usage(100, 15, 40)
    assert session.messages[3].kind == "notice"


def test_a_gemini_message_that_comes_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    lines = [
        GEMINI_HEAD,
        ASK,
        {"id": "m2", "type": "gemini", "content": "I"},
        GEMINI_REPLY,
        {"$set": {"summary": "A look"}},
    ]
    session = only(write_lines(tmp_path / "x", lines))
    assert len(session.turns()) == 1
    assert session.title == "A look"


def test_gemini_takes_back_a_message_and_those_behind_it(tmp_path: Path) -> None:
    again = {"id": "m9", "type": "user", "content": "Look there."}
    lines = [GEMINI_HEAD, ASK, GEMINI_REPLY, {"$rewindTo": "m1"}, again]
    assert rows(only(write_lines(tmp_path / "x", lines))) == [("user", "Look there.")]


def test_messages_that_gemini_replaces_begin_a_context(tmp_path: Path) -> None:
    summary = {"id": "s1", "type": "user", "content": "<state_snapshot>Three lines.</state_snapshot>"}
    after = {"id": "m9", "type": "user", "content": "Go on."}
    lines = [GEMINI_HEAD, ASK, GEMINI_REPLY, {"$set": {"messages": [summary, GEMINI_REPLY]}}, after]
    session = only(write_lines(tmp_path / "x", lines))
    path = [session.messages[place] for place in session.path_to(len(session.messages) - 1)]
    assert path[0].kind == "summary" and path[-1].text == "Go on." and path[1].kind == "copy"
    assert len(session.compactions) == 1 and len(session.turns()) == 1
    back = only(write_lines(tmp_path / "y", [GEMINI_HEAD, ASK, GEMINI_REPLY, {"$set": {"messages": [ASK]}}, after]))
    assert rows(back) == [("user", "Look."), ("user", "Go on.")]


def test_a_gemini_chat_without_its_first_line_is_still_one(tmp_path: Path) -> None:
    time = {"timestamp": "2026-01-02T03:04:05Z"}
    for lines in [ASK | time, GEMINI_REPLY | time], [ASK | time, {"$set": {"summary": "A look"}}]:
        session = only(write_lines(tmp_path / "x", lines))
        assert (session.format, session.messages[0].text) == ("gemini-cli", "Look.")
        assert "does not begin with a sessionId" in str(session.problems[0])


def test_a_gemini_patch_changes_what_was_said_and_answered(tmp_path: Path) -> None:
    masked = {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "[masked]"}}}
    patch = {"id": "m2", "content": "I look there.", "toolCalls": [{"id": "c1", "result": [masked]}]}
    after = {"id": "m9", "type": "user", "content": "Go on."}
    lines = [GEMINI_HEAD, ASK, GEMINI_REPLY, after, {"$patch": patch}]
    session = only(write_lines(tmp_path / "x", lines))
    assert rows(session)[1:] == [
        ("assistant", 'Where\nIn a.py.\n\nI look there.\n\nread_file({"path":"a.py"})'),
        ("tool", "[masked]"),
        ("user", "Go on."),
    ]
    assert session.messages[1].usage == Usage(100, 15, 40) and session.problems == ()
    several = only(write_lines(tmp_path / "y", [*lines[:-1], {"$patch": {"updates": [patch]}}]))
    whole = {**GEMINI_REPLY, "content": "I look there.", "toolCalls": [GEMINI_CALL | {"result": [masked]}]}
    again = only(write_lines(tmp_path / "z", [*lines[:-1], {"$set": {"messages": [ASK, whole, after]}}]))
    assert rows(several) == rows(again) == rows(session)


def test_a_gemini_patch_takes_out_messages_and_orders_them(tmp_path: Path) -> None:
    first, second, third = ({"id": f"u{n}", "type": "user", "content": f"Word {n}."} for n in (1, 2, 3))
    lines = [GEMINI_HEAD, first, second, third]
    out = only(write_lines(tmp_path / "x", [*lines, {"$patch": {"removeIds": ["u2"]}}, {"$rewindTo": "u3"}]))
    assert rows(out) == [("user", "Word 1.")]
    moved = only(write_lines(tmp_path / "y", [*lines, {"$patch": {"orderIds": ["u3", "u1", "u2", "gone"]}}]))
    assert [message.text for message in moved] == ["Word 3.", "Word 1.", "Word 2."]
    strange = only(write_lines(tmp_path / "z", [*lines, {"$patch": {"id": "nobody", "content": "x"}}]))
    assert "this line was left out" in str(strange.problems[-1])


@pytest.mark.parametrize(
    "environment",
    [
        "<session_context>\nThis is the Gemini CLI.\n</session_context>",
        "This is the Gemini CLI. We are setting up the context for our chat.\nToday is Monday.",
    ],
)
def test_a_gemini_checkpoint_after_a_compression_begins_with_its_summary(environment: str, tmp_path: Path) -> None:
    said = [
        ("user", environment),
        ("user", "<state_snapshot>\n<overall_goal>Count the orders.</overall_goal>\n</state_snapshot>"),
        ("model", "Got it. Thanks for the additional context!"),
        ("user", "And those of June?"),
        ("model", "A <state_snapshot> is a summary."),
    ]
    contents = [{"role": role, "parts": [{"text": text}]} for role, text in said]
    session = only(write_json(tmp_path / "checkpoint.json", contents))
    assert [message.kind for message in session] == ["injected", "summary", "chat", "chat", "chat"]
    assert session.compactions == (1,) and session.title == "And those of June?"


def test_a_gemini_checkpoint_answers_calls_by_their_names(tmp_path: Path) -> None:
    response = {"functionResponse": {"name": "read_file", "response": {"output": "three lines"}}}
    contents = [
        {"role": "user", "parts": [{"text": "Look."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read_file", "args": {}}}]},
        {"role": "user", "parts": [response]},
        {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "Three."}]},
    ]
    asked = {"clientHistory": contents, "history": [{"type": "user", "text": "Look."}], "toolCall": {"name": "edit"}}
    for checkpoint in contents, {"history": contents, "authType": "oauth"}, asked:
        session = only(write_json(tmp_path / "x", checkpoint))
        assert session.format == "gemini-cli" and session.problems == ()
        assert [message.role for message in session] == ["user", "assistant", "tool", "assistant"]
        assert session.messages[2].answers == session.messages[1].calls[0].id
        assert session.messages[3].thinks


# pi


def pi_message(role: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": [{"type": "text", "text": text}], **fields}}


PI_HEAD = {"type": "session", "id": "s1", "cwd": "/tmp", "provider": "anthropic", "modelId": "claude-opus-4-5"}


def test_a_pi_compaction_keeps_what_stands_behind_its_first_kept_record(tmp_path: Path) -> None:
    records = [
        PI_HEAD,
        pi_message("user", "One."),
        pi_message("assistant", "1", usage={"input": 5, "output": 1, "cacheRead": 90, "cacheWrite": 5}),
        pi_message("user", "Two."),
        pi_message("assistant", "2"),
        {"type": "compaction", "summary": "One was said.", "firstKeptEntryIndex": 3},
        pi_message("user", "Three."),
    ]
    session = only(write_lines(tmp_path / "x", records))
    assert last_context(session) == ["One was said.", "Two.", "2", "Three."]
    assert len(session.turns()) == 2, "a copy of a reply is no reply"
    assert session.messages[1].usage == Usage(100, 1, 90, 5)
    assert session.dialect == "anthropic"


def test_pi_records_hang_from_their_parents(tmp_path: Path) -> None:
    def linked(id: str, parent: str | None, record: dict[str, Any]) -> dict[str, Any]:
        return record | {"id": id, "parentId": parent}

    records = [
        PI_HEAD,
        linked("a", None, pi_message("user", "One.")),
        linked("b", "a", pi_message("assistant", "1")),
        linked("c", "b", pi_message("user", "Not this.")),
        linked("d", "b", {"type": "model_change", "modelId": "x"}),
        linked("e", "d", pi_message("user", "But this.")),
    ]
    assert last_context(only(write_lines(tmp_path / "x", records))) == ["One.", "1", "But this."]


def test_pi_results_and_commands(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "hm"}
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}}
    records = [
        PI_HEAD,
        pi_message("user", "Look."),
        {"type": "message", "message": {"role": "assistant", "content": [thought, call]}},
        pi_message("toolResult", "no such file", toolCallId="c1", isError=True),
        {"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": "a.py"}},
    ]
    session = only(write_lines(tmp_path / "x", records))
    assert session.messages[2].is_error and session.messages[2].name == "read"
    assert session.messages[1].thinks
    assert rows(session)[3] == ("user", "Ran `ls`\na.py")


def test_a_reply_that_pi_broke_off_is_a_call_and_stands_in_no_later_window(tmp_path: Path) -> None:
    spent = {"input": 1, "output": 5, "cacheRead": 4000, "cacheWrite": 20}
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}}
    broken = {"role": "assistant", "content": [call], "stopReason": "aborted", "usage": spent}
    failed = {"role": "assistant", "content": [], "stopReason": "error"}
    records = [
        PI_HEAD,
        pi_message("user", "Look."),
        {"type": "message", "message": broken},
        pi_message("user", "Not there."),
        {"type": "message", "message": failed},
        pi_message("user", "Once more."),
        pi_message("assistant", "Well."),
        {"type": "compaction", "summary": "Looked.", "firstKeptEntryIndex": 4, "tokensBefore": 9},
        pi_message("user", "Go on."),
    ]
    session = only(write_lines(tmp_path / "x", records))
    assert len(session.turns()) == 3 and session.messages[1].usage is not None
    before = [session.messages[place].text for place in session.path_to(5)]
    assert before == ["Look.", "Not there.", "Once more.", "Well."]
    assert last_context(session) == ["Looked.", "Once more.", "Well.", "Go on."]


def test_a_pi_session_goes_on_from_before_a_broken_reply_also_where_records_are_linked(tmp_path: Path) -> None:
    broken = {"role": "assistant", "content": [], "stopReason": "aborted"}
    records = [
        PI_HEAD,
        {"id": "a", "parentId": None, **pi_message("user", "One.")},
        {"id": "b", "parentId": "a", "type": "message", "message": broken},
        {"id": "c", "parentId": "b", **pi_message("user", "Two.")},
    ]
    assert last_context(only(write_lines(tmp_path / "x", records))) == ["One.", "Two."]


def linked(*records: dict[str, Any]) -> list[dict[str, Any]]:
    """Records each of which hangs from the one before it."""
    names = [f"e{number}" for number in range(len(records))]
    parents = [None, *names]
    return [
        {**record, "id": name, "parentId": parent}
        for record, name, parent in zip(records, names, parents[:-1], strict=True)
    ]


def test_a_reset_begins_a_context_without_a_summary(tmp_path: Path) -> None:
    ask, reply, again = pi_message("user", "One."), pi_message("assistant", "1"), pi_message("user", "Two.")
    session = only(write_lines(tmp_path / "x", [PI_HEAD, *linked(ask, reply, {"type": "reset"}, again)]))
    assert last_context(session) == ["Two."] and session.problems == ()
    kept = {"type": "reset", "firstKeptEntryId": "e1"}
    session = only(write_lines(tmp_path / "y", [PI_HEAD, *linked(ask, reply, kept, again)]))
    assert last_context(session) == ["1", "Two."] and len(session.turns()) == 1


def test_summaries_of_branches_and_messages_of_extensions_have_their_times(tmp_path: Path) -> None:
    time = "2026-01-02T03:04:05.000Z"
    branch = {"type": "branch_summary", "summary": "Counted to 40.", "timestamp": time}
    custom = {"type": "custom_message", "content": "The tide turns.", "timestamp": time}
    session = only(write_lines(tmp_path / "x", [PI_HEAD, *linked(pi_message("user", "Count."), branch, custom)]))
    assert [(one.kind, one.time) for one in session][1:] == [("injected", time), ("injected", time)]


def test_a_message_of_letta_code_that_comes_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    call = {"type": "toolCall", "id": "c1", "name": "shell", "arguments": {}}
    records = [
        pi_message("user", "Count.", id="m1"),
        {"type": "message", "message": {"id": "m2", "role": "assistant", "content": [call]}},
        pi_message("toolResult", "4", id="m3", toolCallId="c1"),
        pi_message("toolResult", "40", id="m3", toolCallId="c1"),
        pi_message("assistant", "Forty.", id="m4"),
        {"type": "compaction", "summary": "Forty.", "firstKeptEntryId": "e2"},
    ]
    session = only(write_lines(tmp_path / "x", [PI_HEAD, *linked(*records)]))
    assert [message.text for message in session][:4] == ["Count.", "shell({})", "40", "Forty."]
    assert last_context(session) == ["Forty.", "40", "Forty."] and len(session.turns()) == 2


# Copilot CLI


def event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": kind, "timestamp": "2026-01-02T03:04:05Z"}


def test_copilot_events_become_messages(tmp_path: Path) -> None:
    request = {"toolCallId": "c1", "name": "bash", "arguments": {"command": "ls"}}
    events = [
        event("session.start", sessionId="s1", producer="copilot-agent"),
        event("session.model_change", newModel="gpt-5.4"),
        event("user.message", content="Look.", transformedContent="<now/> Look."),
        event("hook.start", hookType="x"),
        event("assistant.message", content="", toolRequests=[request], reasoningText="hm", model="gpt-5.4"),
        event("tool.execution_start", toolCallId="c1", toolName="bash"),
        event("tool.execution_complete", toolCallId="c1", success=False, error={"message": "denied"}),
    ]
    session = only(write_lines(tmp_path / "x", events))
    assert rows(session) == [
        ("user", "<now/> Look."),
        ("assistant", 'hm\n\nbash({"command":"ls"})'),
        ("tool", "denied"),
    ]
    assert session.messages[2].is_error
    assert (session.title, session.model, session.id) == ("Look.", "gpt-5.4", "s1")


def test_a_file_of_copilot_events_without_a_message_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="has no message"):
        load(write_lines(tmp_path / "x", [event("session.start", sessionId="s1"), event("hook.start")]))


def test_the_prompt_of_copilot_goes_with_every_request_behind_a_compaction(tmp_path: Path) -> None:
    events = [
        event("session.start", sessionId="s1"),
        event("system.message", content="Be brief."),
        event("user.message", content="Count."),
        event("session.compaction_complete", summaryContent="S"),
        event("user.message", content="Again."),
    ]
    session = only(write_lines(tmp_path / "x", events))
    path = session.path_to(len(session.messages) - 1)
    assert [session.messages[place].text for place in path] == ["S", "Be brief.", "Again."]


@pytest.mark.parametrize(("outcome", "count"), [({}, 1), ({"success": False}, 0), ({"error": "timeout"}, 0)])
def test_a_compaction_of_copilot_without_a_summary_counts_unless_it_failed(
    tmp_path: Path, outcome: dict[str, Any], count: int
) -> None:
    events = [
        event("session.start", sessionId="s1"),
        event("user.message", content="Count."),
        event("session.compaction_complete", **outcome),
        event("user.message", content="Again."),
    ]
    session = only(write_lines(tmp_path / "x", events))
    assert [session.messages[at].text for at in session.compactions] == ["[A summary, not recorded]"] * count


def test_a_pi_compaction_without_a_summary_counts(tmp_path: Path) -> None:
    records = [
        {"type": "session", "id": "s", "cwd": "/pier"},
        {"type": "message", "message": {"role": "user", "content": "Count."}},
        {"type": "compaction", "summary": "", "firstKeptEntryIndex": 2},
        {"type": "message", "message": {"role": "user", "content": "Again."}},
    ]
    session = only(write_lines(tmp_path / "x", records))
    path = session.path_to(session.last_position())
    assert [session.messages[at].text for at in path] == ["[A summary, not recorded]", "Again."]
    assert len(session.compactions) == 1


@pytest.mark.parametrize("has_ids", [True, False])
def test_an_older_session_of_copilot_is_one_object_of_chat_messages(has_ids: bool, tmp_path: Path) -> None:
    names = ("ls", "pwd")
    calls: list[dict[str, Any]] = [
        {"function": {"name": "bash", "arguments": json.dumps({"command": name})}} for name in names
    ]
    answers = [{"role": "tool", "content": "a b"}, {"role": "tool", "content": "/pier"}]
    if has_ids:
        calls = [call | {"id": f"c{number}", "type": "function"} for number, call in enumerate(calls)]
        answers = [answer | {"tool_call_id": f"c{number}"} for number, answer in enumerate(answers)]
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": calls},
        *answers,
        {"content": "Nobody's."},
        {"role": "assistant", "content": "Two."},
    ]
    value = {"sessionId": "s1", "startTime": "2026-01-02T03:04:05Z", "selectedModel": "gpt-5", "chatMessages": messages}
    session = only(write_json(tmp_path / "x", value))
    assert [(message.role, message.name) for message in session] == [
        *(("user", ""), ("assistant", ""), ("tool", "bash"), ("tool", "bash"), ("assistant", ""))
    ]
    assert [call.id for call in session.messages[1].calls] == [message.answers for message in session][2:4]
    assert (session.format, session.id, session.model, session.title) == ("copilot-cli", "s1", "gpt-5", "Look.")
    problems = [problem.text for problem in session.problems]
    assert problems == ["element 5 of the messages was left out: it has no speaker"]


# opencode

STEP = {"type": "step-finish", "tokens": {"input": 10, "output": 2, "reasoning": 1, "cache": {"read": 80, "write": 10}}}
TOOL = {
    "type": "tool",
    "callID": "c1",
    "tool": "read",
    "state": {"status": "completed", "input": {"a": 1}, "output": "ok"},
}


def test_the_steps_of_an_opencode_reply_are_calls_of_the_model(tmp_path: Path) -> None:
    messages = [
        {"info": {"id": "m1", "role": "user"}, "parts": [{"type": "text", "text": "Look."}]},
        {
            "info": {"id": "m2", "role": "assistant", "modelID": "claude-sonnet-4", "time": {"created": 1767323045000}},
            "parts": [{"type": "reasoning", "text": "hm"}, TOOL, STEP, {"type": "text", "text": "Fine."}, STEP],
        },
    ]
    session = only(write_json(tmp_path / "x", {"info": {"id": "s1", "title": "A look"}, "messages": messages}))
    assert [message.role for message in session] == ["user", "assistant", "tool", "assistant"]
    assert [session.messages[place].usage for place in session.turns()] == [Usage(100, 3, 80, 10)] * 2
    assert session.messages[1].time == "2026-01-02T03:04:05.000Z"
    assert session.title == "A look"


@pytest.mark.parametrize(
    ("revert", "kept"),
    [
        ({"messageID": "m3"}, ["Look.", "Fine.", "(2 messages reverted here)"]),
        ({"messageID": "m4", "partID": "p2"}, ["Look.", "Fine.", "More.", "One.", "(1 message reverted here)"]),
        ({"messageID": "gone"}, ["Look.", "Fine.", "More.", "One.\n\nTwo."]),
        (None, ["Look.", "Fine.", "More.", "One.\n\nTwo."]),
    ],
)
def test_what_a_revert_of_opencode_took_back_is_not_in_the_window(
    revert: dict[str, str] | None, kept: list[str], tmp_path: Path
) -> None:
    said = [("user", ["Look."]), ("assistant", ["Fine."]), ("user", ["More."]), ("assistant", ["One.", "Two."])]
    messages = [
        {
            "info": {"id": f"m{number}", "role": role},
            "parts": [{"id": f"p{place}", "type": "text", "text": text} for place, text in enumerate(words, 1)],
        }
        for number, (role, words) in enumerate(said, 1)
    ]
    info = {"id": "s1"} if revert is None else {"id": "s1", "revert": revert}
    session = only(write_json(tmp_path / "x", {"info": info, "messages": messages}))
    assert last_context(session) == kept
    assert "Two." in session.messages[-2 if revert and revert["messageID"] != "gone" else -1].text


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "opencode.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE session (id, parent_id, title)")
        connection.execute("CREATE TABLE message (id, session_id, data)")
        connection.execute("CREATE TABLE part (id, message_id, data)")
        connection.executemany("INSERT INTO session VALUES (?, ?, ?)", [("s1", None, "Main"), ("s2", "s1", "Helper")])
        for session, words in (("s1", "Look."), ("s2", "Help.")):
            message = json.dumps({"role": "user", "time": {"created": 1}})
            connection.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m-{session}", session, message))
            part = json.dumps({"type": "text", "text": words})
            connection.execute("INSERT INTO part VALUES (?, ?, ?)", (f"p-{session}", f"m-{session}", part))
    return path


def test_the_database_of_opencode_is_read_with_sub_agents_and_left_as_it_is(database: Path) -> None:
    holder = sqlite3.connect(database)  # another program has it open: what it wrote last is in the log beside it
    holder.execute("INSERT INTO part VALUES ('q', 'm-s1', ?)", (json.dumps({"type": "text", "text": "Again."}),))
    holder.commit()
    before = {path.name: path.read_bytes() for path in database.parent.iterdir()}
    assert f"{database.name}-wal" in before
    session = only(database)
    assert {path.name: path.read_bytes() for path in database.parent.iterdir()} == before
    holder.close()
    assert [(message.agent, message.text) for message in session] == [("main", "Look.\n\nAgain."), ("Helper", "Help.")]


def test_rows_of_the_tables_of_opencode_are_read_together_from_any_of_their_files(tmp_path: Path) -> None:
    rows: dict[str, list[dict[str, Any]]] = {
        "sessions": [{"id": "s1", "project_id": "p", "directory": "/pier", "slug": "s", "title": "Gulls"}],
        "messages": [
            {"id": f"m{n}", "session_id": name, "data": json.dumps({"role": "user", "time": {"created": n}})}
            for n, name in enumerate(("s1", "s2", "s1"))
        ],
        "parts": [
            {
                "id": f"p{n}",
                "message_id": f"m{n}",
                "session_id": "x",
                "data": json.dumps({"type": "text", "text": text}),
            }
            for n, text in enumerate(("Count.", "Another's.", "Again."))
        ],
        "session_messages": [{"id": "m0", "session_id": "s1", "type": "agent-switched", "data": "{}"}],
    }
    for name, table in rows.items():
        write_json(tmp_path / f"{name}.json", table)
    assert [path.name for path in find(tmp_path)] == ["messages.json"]
    for name in ("messages", "parts", "sessions"):
        sessions = load(tmp_path / f"{name}.json")
        assert [(s.title, [m.text for m in s]) for s in sessions] == [
            ("Gulls", ["Count.", "Again."]),
            ("Another's.", ["Another's."]),
        ]
    (tmp_path / "parts.json").unlink()
    with pytest.raises(UnreadableError, match=r"need parts\.json"):
        load(tmp_path / "messages.json")


def test_a_database_of_something_else_is_refused_with_its_tables(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE recipes (name)")
    with pytest.raises(UnreadableError, match="an SQLite database with the tables recipes"):
        load(tmp_path / "x.db")
