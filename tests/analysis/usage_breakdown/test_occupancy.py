"""The usage of a window: a tree with correct sums, and repeated reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from inspector.analysis.usage_breakdown import GROUPINGS, Grouping, Node, break_down_usage, repeats
from inspector.core.conversation import Session
from inspector.engine.window import Window, at_turn
from inspector.formats import load
from inspector.formats.building.log_builder import LogBuilder
from inspector.llm.tokens import estimate_sizes
from tests.generated import windows
from tests.places import SESSIONS

SAMPLES = sorted(SESSIONS.glob("*.json*"))


def leaves(node: Node) -> list[Node]:
    return [leaf for child in node.children for leaf in leaves(child)] if node.children else [node]


def check(window: Window, by: Grouping, session: Session) -> None:
    root = break_down_usage(window, session, by)
    assert root.tokens == window.total == sum(child.tokens for child in root.children)
    nodes = [root]
    while nodes:
        node = nodes.pop()
        assert not node.children or node.tokens == sum(child.tokens for child in node.children)
        nodes += node.children
    ids = [name for leaf in leaves(root) for name in leaf.messages]
    assert sorted(ids) == sorted(window.ids), "every message stands in one leaf"


@pytest.mark.parametrize("by", GROUPINGS)
@given(windows())
def test_sums_are_those_of_the_window(by: Grouping, window: Window) -> None:
    check(window, by, Session("s", "", "test", window.messages))


@pytest.mark.parametrize("by", GROUPINGS)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sums_of_recorded_sessions(by: Grouping, path: Path) -> None:
    for session in load(path)[:3]:
        check(at_turn(session, estimate_sizes(session)), by, session)


def session_of(*readings: tuple[str, str]) -> Session:
    """A session that reads files, each with what it held then."""
    log = LogBuilder()
    log.add("ask", {"role": "user", "content": "Look."})
    for number, (path, text) in enumerate(readings):
        function = {"name": "Read", "arguments": json.dumps({"file_path": path})}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        log.add(f"a{number}", {"role": "assistant", "content": None, "tool_calls": calls})
        log.add(f"r{number}", {"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return Session("s", "", "openai", tuple(log.messages))


def test_what_was_read_again_is_the_same_or_stale() -> None:
    session = session_of(("/a/x.py", "one"), ("/a/x.py", "two"), ("/a/y.py", "other"), ("/a/x.py", "two"))
    window = at_turn(session, estimate_sizes(session))
    [repeat] = repeats(window)
    assert repeat.resource == "/a/x.py"
    assert [(reading.message, reading.relation) for reading in repeat.readings] == [
        ("r0", "stale"),
        ("r1", "same"),
        ("r3", "newest"),
    ]
    assert repeat.sentence == "read 3 times, 1 the same again, 1 stale"
    assert repeat.wasted == sum(window.tokens[window.ids.index(name)] for name in ("r0", "r1"))


def test_long_results_that_say_the_same_are_named_by_the_newest_call_whatever_was_asked() -> None:
    long = "All 212 tests passed. " * 12
    session = session_of(("/a/x.py", long), ("/a/y.py", "short"), ("/a/z.py", "short"), ("/a/z.py", long))
    window = at_turn(session, estimate_sizes(session))
    first, second = repeats(window)
    assert (first.resource, first.sentence, first.by_text) == ("Read z.py", "the same 2 times", True)
    assert [(reading.message, reading.relation) for reading in first.readings] == [("r0", "same"), ("r3", "newest")]
    assert (second.resource, second.sentence) == ("/a/z.py", "read 2 times, 1 stale")


def test_a_note_that_a_file_is_unchanged_is_no_reading_of_it() -> None:
    session = session_of(("/a/x.py", "one"), ("/a/x.py", "Wasted call — file unchanged since your last Read."))
    assert repeats(at_turn(session, estimate_sizes(session))) == ()


def test_answers_to_different_questions_about_a_page_are_not_stale() -> None:
    log = LogBuilder()
    for number, text in enumerate(("7 m", "at noon", "at noon")):
        call = {"name": "WebFetch", "arguments": json.dumps({"url": "https://tides.example", "prompt": str(number)})}
        calls = [{"id": f"c{number}", "type": "function", "function": call}]
        log.add(f"a{number}", {"role": "assistant", "content": None, "tool_calls": calls})
        log.add(f"r{number}", {"role": "tool", "tool_call_id": f"c{number}", "content": text})
    session = Session("s", "", "openai", tuple(log.messages))
    [repeat] = repeats(at_turn(session, estimate_sizes(session)))
    assert repeat.sentence == "read 2 times, 1 the same again"


def test_no_result_is_wasted_twice() -> None:
    long = "All 212 tests passed. " * 12
    session = session_of(("/a/x.py", long), ("/a/x.py", long), ("/a/y.py", long))
    window = at_turn(session, estimate_sizes(session))
    readings = [reading for repeat in repeats(window) for reading in repeat.readings]
    assert sorted(reading.message for reading in readings if reading.relation != "newest") == ["r0", "r1"]


def test_by_turn_what_followed_a_request_stands_with_the_turns_of_the_app() -> None:
    session = session_of(("/a/x.py", "one"), ("/a/y.py", "two"))
    log = LogBuilder()
    for message in session:
        log.add(message.id, message.raw)
    log.add("next", {"role": "user", "content": "And z?"})
    session = Session("s", "", "openai", tuple(log.messages))
    root = break_down_usage(at_turn(session, estimate_sizes(session)), session, "turn")
    assert {node.name for node in root.children if node.messages} == {"turns 1–2 and now “Look.”", "now “And z?”"}
    root = break_down_usage(at_turn(session, estimate_sizes(session), 2), session, "turn")
    assert [node.name for node in root.children if node.messages] == ["turns 1–2 “Look.”"]


def test_files_stand_below_their_folders_the_largest_first() -> None:
    session = session_of(("/a/x.py", "one " * 40), ("/b/y.py", "two"), ("/a/z.py", "three"))
    root = break_down_usage(at_turn(session, estimate_sizes(session)), session, "file")
    folders = [node for node in root.children if node.children]
    assert [(node.name, [child.name for child in node.children]) for node in folders] == [
        ("/a", ["x.py", "z.py"]),
        ("/b", ["y.py"]),
    ]


def test_tool_definitions_are_rows_per_server_and_tool_with_their_calls(tmp_path: Path) -> None:
    names = ["mcp__tides__now", "mcp__tides__at_a_later_time", "mcp__maps__find", "Read"]
    tools = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in names]
    call = {"id": "c", "type": "function", "function": {"name": "mcp__maps__find", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Where is the harbour?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "In the south."},
    ]
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "gpt-4o", "tools": tools, "messages": messages}))
    (session,) = load(path)
    window = at_turn(session, estimate_sizes(session), None)
    (node,) = [row for row in break_down_usage(window, session).children if row.calls is not None]
    assert (node.name, node.tokens) == ("4 tool definitions", window.breakdown["tools"].tokens)
    assert {row.name: row.note for row in node.children} == {
        "mcp__tides, 2 tools": "never called",
        "mcp__maps, 1 tool": "1 call",
        "Read": "never called",
    }
    assert node.tokens == sum(row.tokens for row in node.children)
    assert all(row.tokens == sum(tool.tokens for tool in row.children) for row in node.children if row.children)
