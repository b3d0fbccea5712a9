"""Group chats of agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.window import at_turn, problems
from inspector.formats import UnreadableError, load
from inspector.llm.tokens import estimate_sizes
from tests.formats.written import only, write_json

PLANNED = [
    {"role": "human", "content": "Count the hives."},
    {"role": "Planner (thought)", "content": "Who could count?"},
    {"role": "Planner (-> Counter)", "content": "Counter, count them."},
    {"role": "Counter", "content": "There are three."},
    {"role": "Planner (termination condition)", "content": "Enough."},
]
NAMED = [
    {"role": "assistant", "name": "Bee Expert", "content": "Let us run code."},
    {"role": "user", "name": "Terminal", "content": "exitcode: 0 (execution succeeded)\nCode output: 3"},
    {"role": "user", "name": "Checker", "content": "Three, then."},
]


def test_who_speaks_stands_in_the_role_or_in_the_name(tmp_path: Path) -> None:
    session = only(write_json(tmp_path / "x", {"question": "How many hives?", "history": PLANNED}))
    assert (session.format, session.title, session.agents) == ("group-chat", "How many hives?", ("main",))
    assert [(message.role, message.name) for message in session] == [
        ("user", ""),
        ("assistant", "Planner"),
        ("assistant", "Planner"),
        ("assistant", "Counter"),
        ("assistant", "Planner"),
    ]
    assert problems(at_turn(session, estimate_sizes(session))) == ()
    named = only(write_json(tmp_path / "y", {"chat_history": NAMED}))
    assert [(message.role, message.kind, message.name) for message in named] == [
        ("user", "chat", "Bee_Expert"),
        ("user", "injected", "Terminal"),
        ("assistant", "chat", "Checker"),
    ], "what the chat begins with is what was asked, and what a program printed is not"


def test_an_assistant_is_an_agent_like_the_others(tmp_path: Path) -> None:
    turns = [PLANNED[0], {"role": "Assistant", "content": "I can."}, {"role": "WebSurfer", "content": "So can I."}]
    session = only(write_json(tmp_path / "x", {"history": turns}))
    assert [(message.role, message.name) for message in session] == [
        ("user", ""),
        ("assistant", "Assistant"),
        ("assistant", "WebSurfer"),
    ]


def test_what_is_no_turn_is_told(tmp_path: Path) -> None:
    session = only(write_json(tmp_path / "x", {"history": [*PLANNED, {"role": "Counter"}, None]}))
    assert [problem.text for problem in session.problems] == [
        "turn 6 was left out: it has no speaker",
        "turn 7 was left out: it has no speaker",
    ]


def test_several_chats_in_a_file_are_several_sessions(tmp_path: Path) -> None:
    records = [{"history": PLANNED}, {"history": []}, {"history": NAMED}]
    assert [session.line for session in load(write_json(tmp_path / "x", records))] == [1, 3]


def test_one_speaker_is_no_group(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError):
        load(write_json(tmp_path / "x", {"history": PLANNED[:3]}))
