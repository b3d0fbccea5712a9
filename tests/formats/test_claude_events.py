"""Events that Claude Code sends to a collector: one session, with the usage and the cost of each call."""

from __future__ import annotations

import json
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


def body_events(*calls: tuple[str, list[dict[str, Any]], str, int]) -> list[tuple[str, dict[str, Any]]]:
    """Events with the bodies of calls: what sent each, its messages, its reply and the tokens that it reports."""
    events: list[tuple[str, dict[str, Any]]] = []
    for source, messages, reply, size in calls:
        request = {"model": "claude-opus-4-5", "max_tokens": 9, "system": "Keep count.", "messages": messages}
        usage = {"input_tokens": size, "output_tokens": 3}
        content = [{"type": "text", "text": reply}]
        answer = {
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-5",
            "usage": usage,
            "content": content,
        }
        events.append(("api_request_body", {"query_source": source, "body": json.dumps(request)}))
        events.append(("api_response_body", {"query_source": source, "body": json.dumps(answer)}))
    return events


def asked(*texts: str) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]


def test_bodies_are_read_as_requests_with_a_compaction_between_them(tmp_path: Path) -> None:
    main = "repl_main_thread"
    second = asked("Count the gulls.", "Nine.", "And?")
    first = body_events((main, second[:1], "Nine.", 40), (main, second, "Ten.", 60))
    aside = body_events(("agent:Explore", asked("Find the nest."), "On the roof.", 30))
    later = body_events((main, asked("This session continues: ten gulls."), "Ten.", 50))
    compaction = ("compaction", {"success": "true", "pre_tokens": "60", "post_tokens": "20"})
    path = write_json(tmp_path / "events.json", claude_events(*numbered([*first, *aside, compaction, *later])))
    session, other = load(path)
    assert [message.text for message in other.messages] == ["Keep count.", "Find the nest.", "On the roof."]
    usage = [message.usage for message in session.messages if message.is_reply]
    assert usage == [Usage(40, 3), Usage(60, 3), Usage(50, 3)]
    (place,) = session.compactions
    assert session.messages[place].text == "This session continues: ten gulls."
    assert (session.format, session.id) == ("claude-code-events", "s1")


def test_a_compaction_after_the_last_body_ends_the_session(tmp_path: Path) -> None:
    events = body_events(("repl_main_thread", asked("Count the gulls."), "Nine.", 40))
    events.append(("compaction", {"success": "true", "pre_tokens": "40", "post_tokens": "20"}))
    session = only_session(tmp_path, events)
    assert session.messages[-1].text == "[A summary of 40 tokens as 20, not recorded]"
    assert session.compactions == (len(session.messages) - 1,)


def test_truncated_bodies_are_a_problem_and_the_events_are_read(tmp_path: Path) -> None:
    events = [
        (name, fields | {"body": fields["body"][:-1]}) for name, fields in body_events(("sdk", asked("A"), "B", 4))
    ]
    session = only_session(tmp_path, [("user_prompt", {"prompt": "Count."}), *events])
    assert [message.text for message in session.messages] == ["Count."]
    assert [str(problem) for problem in session.problems] == [
        "2 of 2 bodies of requests and replies of the session s1 cannot be read: they are truncated, or in files"
    ]


def only_session(folder: Path, events: list[tuple[str, dict[str, Any]]]) -> Session:
    (session,) = load(write_json(folder / "events.json", claude_events(*numbered(events))))
    return session
