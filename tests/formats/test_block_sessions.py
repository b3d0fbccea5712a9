"""Sessions of Droid, Cursor and Kimi Code: calls, answers, branches, and what a compaction keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.core.conversation import Usage
from inspector.formats import load
from tests.formats.written import only, write_json, write_lines


def test_droid_answers_of_the_user_become_results_and_a_second_way_a_branch(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Execute", "input": {"command": "ls"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "no such folder", "is_error": True}
    turns: list[tuple[str, str, str, list[dict[str, Any]]]] = [
        ("a", "s1", "user", [{"type": "text", "text": "List it."}]),
        ("b", "a", "assistant", [{"type": "text", "text": "I look."}, call]),
        ("c", "b", "user", [answer, {"type": "text", "text": "And stop then."}]),
        ("d", "a", "assistant", [{"type": "text", "text": "Another way."}]),
    ]
    records = [
        {"type": "message", "id": name, "parentId": parent, "message": {"role": role, "content": content}}
        for name, parent, role, content in turns
    ]
    (session,) = load(
        write_lines(tmp_path / "s.jsonl", [{"type": "session_start", "id": "s1", "title": "A"}, *records])
    )
    assert (session.format, session.id, session.title) == ("droid", "s1", "A")
    assert [message.role for message in session] == ["user", "assistant", "tool", "user", "assistant"]
    assert session.messages[2].is_error and session.messages[2].name == "Execute" and not session.messages[3].is_error
    assert [message.parent for message in session] == [-1, 0, 1, 2, 0]


def test_cursor_answers_belong_to_the_calls_without_an_id_in_their_order(tmp_path: Path) -> None:
    calls: list[dict[str, Any]] = [{"type": "tool_use", "name": name, "input": {}} for name in ("Read", "Bash")]
    answers = [{"type": "tool_result", "tool_use_id": f"x{n}", "content": f"answer {n}"} for n in (1, 2)]
    contents = [("user", [{"type": "text", "text": "Go."}]), ("assistant", calls), ("user", answers)]
    lines: list[Any] = [{"role": role, "message": {"content": content}} for role, content in contents]
    lines.append({"type": "turn_ended", "status": "success"})
    (session,) = load(write_lines(tmp_path / "s.jsonl", lines))
    assert session.format == "cursor" and not session.problems
    assert [(message.name, message.text) for message in session.messages[2:]] == [
        ("Read", "answer 1"),
        ("Bash", "answer 2"),
    ]
    assert {message.answers for message in session.messages[2:]} == {call.id for call in session.messages[1].calls}


def _said(text: str, kind: str = "user") -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": text}], "origin": {"kind": kind}}
    return {"type": "context.append_message", "message": message}


def _step(**event: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": event}


def test_a_kimi_step_is_one_reply_and_a_compaction_keeps_the_newest_words_of_the_user(tmp_path: Path) -> None:
    usage = {"inputOther": 10, "output": 7, "inputCacheRead": 30, "inputCacheCreation": 2}
    lines = [
        {"type": "metadata", "protocol_version": "1.4"},
        {"type": "config.update", "systemPrompt": "Be brief.", "modelAlias": "moonshot/kimi-k2"},
        {"type": "llm.tools_snapshot", "tools": [{"name": "Glob", "parameters": {}}]},
        _said("First."),
        _said("Plan mode is on.", "injection"),
        _step(type="step.begin", uuid="u1"),
        _step(type="content.part", part={"type": "think", "think": "Hm."}),
        _step(type="content.part", part={"type": "text", "text": "I look."}),
        _step(type="tool.call", toolCallId="c1", name="Glob", args={"pattern": "*"}),
        _step(type="tool.result", toolCallId="c1", result={"output": "none", "isError": True}),
        _step(type="step.end", uuid="u1", usage=usage),
        _said("Second."),
        {"type": "context.apply_compaction", "summary": "S", "contextSummary": "Go on.", "keptUserMessageCount": 1},
        {"type": "config.update", "systemPrompt": "Be brief."},
        _step(type="content.part", part={"type": "text", "text": "A step that was cut off."}),
    ]
    (session,) = load(write_lines(tmp_path / "wire.jsonl", lines))
    old, new = session.messages[:6], session.messages[6:]
    assert (session.format, session.model) == ("kimi", "kimi-k2")
    assert [(m.role, m.kind) for m in old][:4] == [
        ("system", "chat"),
        ("user", "chat"),
        ("user", "injected"),
        ("assistant", "chat"),
    ]
    reply, result = old[3], old[4]
    assert reply.usage is not None and (reply.usage.input, reply.usage.output, reply.usage.cache_read) == (42, 7, 30)
    assert [call.name for call in reply.calls] == ["Glob"] and result.answers == "c1" and result.is_error
    assert [(m.text, m.kind) for m in new] == [
        ("Go on.", "summary"),
        ("Be brief.", "chat"),
        ("Second.", "injected"),
        ("A step that was cut off.", "chat"),
    ]
    assert new[0].parent == -1
    assert session.tools == ({"type": "function", "function": {"name": "Glob", "parameters": {}}},)


def test_the_context_that_earlier_versions_of_kimi_kept_is_read(tmp_path: Path) -> None:
    call = {"type": "function", "id": "c1", "function": {"name": "Shell", "arguments": '{"command": "ls"}'}}
    reply = [{"type": "think", "think": "Hm."}, {"type": "text", "text": "I look."}]
    lines = [
        {"role": "_system_prompt", "content": "Be brief."},
        {"role": "_checkpoint", "id": 0},
        {"role": "user", "content": "Count the gulls."},
        {"role": "assistant", "content": reply, "tool_calls": [call]},
        {"role": "_usage", "token_count": 12},
        {"role": "tool", "content": [{"type": "text", "text": "three"}], "tool_call_id": "c1"},
        {"role": "assistant", "content": "Three."},
    ]
    (session,) = load(write_lines(tmp_path / "context.jsonl", lines))
    assert (session.format, session.title, session.problems) == ("kimi", "Count the gulls.", ())
    assert [(m.role, m.name, m.text) for m in session.messages] == [
        ("system", "", "Be brief."),
        ("user", "", "Count the gulls."),
        ("assistant", "", 'Hm.\n\nI look.\n\nShell({"command": "ls"})'),
        ("tool", "Shell", "three"),
        ("assistant", "", "Three."),
    ]


def droid_messages(*texts: str) -> list[dict[str, Any]]:
    return [
        {
            "type": "message",
            "id": f"m{number}",
            "parentId": f"m{number - 1}" if number else None,
            "message": {"role": ("user", "assistant")[number % 2], "content": [{"type": "text", "text": text}]},
        }
        for number, text in enumerate(texts)
    ]


def test_a_record_of_droid_of_an_odd_type_is_passed_over(tmp_path: Path) -> None:
    lines = [
        {"type": "session_start", "id": "s1", "title": "A"},
        {"type": {"a": 1}},
        *droid_messages("Count.", "Go on."),
    ]
    session = only(write_lines(tmp_path / "x.jsonl", lines))
    assert len(session.messages) == 2 and session.problems


def test_a_compaction_of_droid_keeps_what_came_behind_its_anchor(tmp_path: Path) -> None:
    rows = droid_messages("One.", "Two.", "Three.", "Four.", "Five.")
    summary = {"type": "compaction_state", "id": "c1", "summaryText": "One to three.", "anchorMessage": {"id": "m2"}}
    head = {"type": "session_start", "id": "s1", "title": "Count"}
    path = write_lines(tmp_path / "s1.jsonl", [head, *rows[:4], summary, *rows[4:]])
    session = only(path)
    window = [session.messages[at].text for at in session.path_to(len(session.messages) - 1)]
    assert window == ["One to three.", "Four.", "Five."]
    assert [session.messages[at].kind for at in session.compactions] == ["summary"]
    assert session.repeats == 1 and session.problems == ()
    assert session.model == ""


def test_a_session_of_droid_without_its_start_is_none_of_pi(tmp_path: Path) -> None:
    rows = droid_messages("One.", "Two.")
    call = {"type": "tool_use", "id": "t1", "name": "Execute", "input": {"command": "ls"}}
    rows[1]["message"]["content"].append(call)
    for records in rows, [*droid_messages("One.", "Two."), {"type": "todo_state", "todos": []}]:
        session = only(write_lines(tmp_path / "s1.jsonl", records))
        assert (session.format, [message.role for message in session]) == ("droid", ["user", "assistant"])
        assert "does not begin with a session_start" in str(session.problems[0])
    plain = only(write_lines(tmp_path / "s2.jsonl", droid_messages("One.", "Two.")))  # nothing tells it from pi's
    assert plain.format == "pi"


def test_the_settings_beside_a_session_of_droid_name_its_model(tmp_path: Path) -> None:
    head = {"type": "session_start", "id": "s1", "title": "Count"}
    path = write_lines(tmp_path / "s1.jsonl", [head, *droid_messages("One.", "Two.")])
    write_json(tmp_path / "s1.settings.json", {"model": "claude-opus-4-5", "tokenUsage": {"inputTokens": 9}})
    assert only(path).model == "claude-opus-4-5"
    (tmp_path / "s1.settings.json").write_text("{")
    assert only(path).model == ""


def test_the_sizes_that_kimi_notes_around_a_reply_are_its_usage(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"role": "_checkpoint", "id": 0},
        {"role": "user", "content": "Count."},
        {"role": "_usage", "token_count": 9_000},
        {"role": "assistant", "content": "One."},
        {"role": "_usage", "token_count": 9_040},
        {"role": "user", "content": "More."},
        {"role": "assistant", "content": "Two."},
        {"role": "_usage", "token_count": 9_100},
        {"role": "user", "content": "More."},
        {"role": "assistant", "content": "Three."},
    ]
    session = only(write_lines(tmp_path / "context.jsonl", rows))
    usages = [session.messages[turn].usage for turn in session.turns()]
    assert usages == [Usage(9_000, 40), None, None], "one behind a reply says nothing of what was sent"
