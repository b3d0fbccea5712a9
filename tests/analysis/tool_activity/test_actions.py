"""What calls did, in a line: by the shape of what they are given and of what came of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.tool_activity import Action, Actions, action_of_call, row_words
from inspector.core.conversation import Message, ToolCall
from inspector.core.text import CONTROL, cells
from inspector.llm.providers import message_from_raw, text_message
from tests.drawn import JSON


def call(name: str, arguments: Any) -> ToolCall:
    return ToolCall("c1", name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def exchange(
    name: str, arguments: Any, answer: str, *, is_error: bool = False, words: str = ""
) -> tuple[Message, Message]:
    """A reply that calls a tool, and what the tool answered."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    entry = {"id": "c1", "type": "function", "function": {"name": name, "arguments": text}}
    reply = {"role": "assistant", "content": words or None, "tool_calls": [entry]}
    result = {"role": "tool", "tool_call_id": "c1", "content": answer}
    return message_from_raw("a", reply, "openai"), message_from_raw("b", result, "openai", is_error=is_error)


def action(name: str, arguments: Any, answer: str, *, is_error: bool = False) -> Action:
    messages = exchange(name, arguments, answer, is_error=is_error)
    result = Actions(messages).of(messages[1])
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("name", "arguments", "answer", "kind", "line"),
    [
        ("Read", {"file_path": "/work/data/readings.csv"}, "1\n2\n3\n", "read", "readings.csv · 3 lines"),
        ("read", {"path": "a.py", "offset": 5, "limit": 3}, "x", "read", "a.py:5–7 · 1 line"),
        (
            "Bash",
            {"command": "cd /work && pytest -q"},
            "3 failed, 21 passed",
            "run",
            "pytest -q · 3 failed of 24",
        ),
        (
            "Bash",
            {"command": "python -m unittest"},
            "Ran 24 tests in 1s\n\nOK",
            "run",
            "python -m unittest · 24 passed",
        ),
        ("shell", {"command": ["bash", "-lc", "ls"]}, "", "run", "ls · no output"),
        ("exec_command", {"cmd": "false"}, "Process exited with code 2\n", "run", "false · exit 2"),
        (
            "Edit",
            {"file_path": "gate.py", "old_string": "a\nb", "new_string": "a\nc\nd\ne\nb"},
            "ok",
            "edit",
            "gate.py · +3 −0",
        ),
        ("Edit", {"file_path": "gate.py", "old_string": "x\ny", "new_string": "z"}, "ok", "edit", "gate.py · +1 −2"),
        ("Write", {"file_path": "a/b.py", "content": "1\n2\n"}, "ok", "write", "b.py · 2 lines"),
        ("Grep", {"pattern": "def f", "path": "src"}, "Found 2 files\na\nb", "search", "“def f” in src · 2 found"),
        ("Glob", {"pattern": "*.md"}, "No files found", "search", "“*.md” · nothing"),
        ("open_page", {"url": "https://x.org/a/b/c"}, "# Title\nwords", "fetch", "b/c · Title · 2 lines"),
        ("Task", {"description": "Look around", "prompt": "…"}, "two words", "delegate", "Look around · 2 words"),
        ("TodoWrite", {"todos": [{"status": "completed"}, {"status": "pending"}]}, "ok", "plan", "1 of 2 done"),
        (
            "get_order",
            {"order": "A-1"},
            '{"order": "A-1", "state": "sent", "to": {"name": "Al"}, "lots": [1, 2]}',
            "other",
            "A-1 · state sent, to Al, lots ×2",
        ),
        ("note", {"title": "What stays", "text": "All of it"}, "Kept", "other", "What stays · Kept"),
        ("browser.search", {"query": "moon"}, "8 of 93 pages for: moon\n\n1. …", "search", "“moon” · 8 of 93 pages"),
        ("search_flight", {"to": "SEA"}, "[]", "search", "SEA · nothing"),
        ("search_flight", {"to": "SEA"}, '[{"n": 1}, {"n": 2}]', "search", "SEA · 2 found"),
        ("search_code", {"query": "x"}, '{"total_count": 0, "items": []}', "search", "“x” · nothing"),
        ("str_replace_editor", {"command": "view", "path": "/w/a.py"}, "1\n2", "read", "a.py · 2 lines"),
        ("read_file", {"path": "a.py"}, '"import a\\n\\nimport b\\n"', "read", "a.py · 3 lines"),
        ("Read", {"file_path": "a.py"}, "1\n2\n\n<system-reminder>\nNo\n</system-reminder>", "read", "a.py · 2 lines"),
        (
            "exec_command",
            {"cmd": "ls"},
            "Chunk ID: 2238c8\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\na\nb\n",
            "run",
            "ls · 2 lines",
        ),
        (
            "apply_patch",
            "*** Update File: a/b.py\n+x\n-y\n",
            "ok",
            "edit",
            "b.py · +1 −1",
        ),
    ],
)
def test_a_row_says_what_was_done(name: str, arguments: Any, answer: str, kind: str, line: str) -> None:
    result = action(name, arguments, answer)
    assert (result.kind, result.line) == (kind, line)


def test_a_failure_is_said_in_its_own_words() -> None:
    result = action("Bash", {"command": "dmesg"}, "Exit code 1\ndmesg: not permitted\n", is_error=True)
    assert result.line == "dmesg · failed: dmesg: not permitted"


def test_a_test_run_that_failed_says_how_many() -> None:
    answer = "Exit code 1\ntest_a (t) ... FAIL\n\nRan 7 tests in 0.1s\n\nFAILED (failures=2, errors=1)\n"
    assert action("Bash", {"command": "python -m unittest"}, answer, is_error=True).outcome == "3 failed of 7"
    assert action("Bash", {"command": "false"}, "Exit code 1\n", is_error=True).outcome == "exit 1"


def test_a_result_belongs_to_the_nearest_call_before_it_with_its_id() -> None:
    """Ids begin anew in every run of some agents."""
    first = exchange("get_user", {"user": "A"}, "x")
    second = exchange("calculate", {"expression": "1 + 1"}, "2")
    log = [*first, *(message_from_raw(f"again {m.id}", m.raw, "openai") for m in second)]
    assert [action.line for m in log if (action := Actions(log).of(m))] == ["A · x", "1 + 1 · 2"]


def test_the_whole_resource_is_kept_for_files_alone() -> None:
    assert action_of_call(call("Read", {"file_path": "/a/b.py"})).resource == "/a/b.py"
    assert not action_of_call(call("Read", {"file_path": "/a/b.py", "limit": 5})).is_whole
    assert action_of_call(call("Bash", {"command": "ls", "path": "/a"})).resource == ""


def test_a_reply_without_words_says_what_it_calls() -> None:
    silent, _ = exchange("Read", {"file_path": "/a/b.py"}, "x")
    assert row_words(silent, Actions([silent])) == "→ Read b.py"
    speaking, _ = exchange("Read", {"file_path": "/a/b.py"}, "x", words="I look.")
    assert row_words(speaking, Actions([speaking])) == "I look."


@pytest.mark.parametrize(
    ("room", "line"),
    [
        (80, "python -m unittest discover · 24 passed"),
        (30, "python -m unittes… · 24 passed"),
        (20, "python … · 24 passed"),
        (16, "python -m unitt…"),
        (1, "…"),
        (0, ""),
    ],
)
def test_what_came_of_a_call_is_said_where_its_command_does_not_fit(room: int, line: str) -> None:
    assert Action("Bash", "python -m unittest discover", "24 passed").line_within(room) == line


@given(st.text(max_size=30), JSON | st.text(max_size=200), st.text(max_size=400), st.booleans())
def test_any_call_and_any_answer_make_one_harmless_line(name: str, arguments: Any, answer: str, is_error: bool) -> None:
    messages = exchange(name, arguments, answer, is_error=is_error)
    actions = Actions(messages)
    for message in messages:
        words = row_words(message, actions)
        assert not CONTROL.search(words) and len(words) <= 600
        assert all(cells(row_words(message, actions, room)) <= room for room in (0, 1, 7, 30))


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("<command-message>review is running…</command-message>\n<command-name>/review</command-name>", "/review"),
        (
            "<command-name>/plan</command-name>\n  <command-message>plan</command-message>\n"
            "  <command-args>the harbour walls</command-args>",
            "/plan the harbour walls",
        ),
        ("<command-name>/plan</command-name><command-args>the " + "harbour " * 60, "/plan the harbour "),
        ("<command-message>only words</command-message>", "<command-message>only words</command-message>"),
        ("See <command-name>/plan</command-name>", "See <command-name>/plan</command-name>"),
    ],
)
def test_the_row_of_a_slash_command_is_what_was_typed(text: str, row: str) -> None:
    message = text_message("m1", "user", text, "anthropic")
    words = row_words(message, Actions([message]))
    assert words == row or (row.endswith(" ") and words.startswith(row))


def test_a_picture_alone_is_no_empty_answer() -> None:
    url = "data:image/png;base64,iVBORw0KGgo="
    pictures = [{"type": "image_url", "image_url": {"url": url}}]
    reply, _ = exchange("view_image", {"path": "a.png"}, "")
    result = message_from_raw("b", {"role": "tool", "tool_call_id": "c1", "content": pictures}, "openai")
    shown = Actions([reply, result]).of(result)
    assert shown is not None and shown.line == "a.png · 1 picture"
