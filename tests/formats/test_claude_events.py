"""Events that Claude Code sends to a collector: one session, with the usage and the cost of each call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.core.conversation import MAIN, Session, Usage
from inspector.formats import FORMATS, load
from tests.formats.samples import claude_events
from tests.formats.written import only, write_json, write_lines

MAIN_CALL = {"model": "claude-opus-4-5", "query_source": "repl_main_thread"}
EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("user_prompt", {"prompt": "Count the gulls.", "prompt_length": "16"}),
    (
        "api_request",
        {"model": "claude-haiku-4-5", "input_tokens": "300", "output_tokens": "9", "query_source": "title"},
    ),
    ("api_request", MAIN_CALL | {"input_tokens": "12", "output_tokens": "80", "cache_creation_tokens": "18000"}),
    ("tool_decision", {"tool_name": "Bash", "decision": "accept"}),
    ("tool_result", {"tool_name": "Bash", "tool_use_id": "t1", "success": "true", "tool_result_size_bytes": "812"}),
    ("tool_result", {"tool_name": "Read", "tool_use_id": "t2", "success": "false", "error": "No such file."}),
    (
        "api_request",
        MAIN_CALL | {"input_tokens": 20, "output_tokens": 7, "cache_read_tokens": 18000, "cost_usd": 0.5},
    ),
    ("assistant_response", {"response": "Nine."}),
    ("compaction", {"trigger": "auto", "success": "true", "pre_tokens": "18100", "post_tokens": "900"}),
    ("user_prompt", {"prompt_length": "7"}),
    ("api_request", MAIN_CALL | {"input_tokens": "900", "output_tokens": "3"}),
]


def numbered(events: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, fields | {"event.sequence": number}) for number, (name, fields) in enumerate(events, 1)]


def session_of(path: Path, events: list[tuple[str, dict[str, Any]]]) -> Session:
    return only(write_json(path / "events.json", claude_events(*events)))


def test_events_are_one_session_with_the_usage_of_each_call(tmp_path: Path) -> None:
    session = session_of(tmp_path, numbered(EVENTS))
    own = [message for message in session if message.agent == MAIN]
    assert [(message.role, message.kind, message.text) for message in own] == [
        ("user", "chat", "Count the gulls."),
        ("assistant", "chat", "Bash({})\n\nRead({})"),
        ("tool", "chat", "[A result of 812 bytes, not recorded]"),
        ("tool", "chat", "No such file."),
        ("assistant", "chat", "Nine."),
        ("user", "summary", "[A summary of 18,100 tokens as 900, not recorded]"),
        ("user", "chat", "[A prompt of 7 characters, not recorded]"),
        ("assistant", "chat", "[A reply of 3 tokens, not recorded]"),
    ]
    assert [message.usage for message in own if message.is_reply] == [
        Usage(18_012, 80, 0, 18_000),
        Usage(18_020, 7, 18_000),
        Usage(900, 3),
    ]
    assert [message.is_error for message in own if message.role == "tool"] == [False, True]
    assert (session.format, session.id, session.model) == ("claude-code-events", "s1", "claude-opus-4-5")
    assert session.agents == (MAIN, "title")
    assert FORMATS[session.format].stated_dollars(own[4].record) == 0.5
    assert session.problems == ()


def test_events_are_read_in_the_order_of_their_numbers_from_several_batches(tmp_path: Path) -> None:
    events = numbered(EVENTS)
    other = [("user_prompt", {"prompt": "Other.", "session.id": "s2"})]
    path = write_lines(tmp_path / "events.jsonl", [claude_events(*part) for part in (events[4:], other, events[:4])])
    one, two = sorted(load(path), key=lambda session: session.id)
    assert [message.text for message in one] == [message.text for message in session_of(tmp_path, events)]
    assert [message.text for message in two] == ["Other."]


def test_missing_and_repeated_events_are_problems(tmp_path: Path) -> None:
    events = numbered(EVENTS)
    (missing,) = session_of(tmp_path, [*events[:4], *events[6:]]).problems
    assert str(missing) == "2 events of the session s1 between others are missing"
    (repeated,) = session_of(tmp_path, [*events[:4], events[3], *events[4:]]).problems
    assert str(repeated) == "1 event of the session s1 repeats the number of another one"
