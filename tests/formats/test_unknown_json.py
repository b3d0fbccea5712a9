"""JSON of no known format: messages in it are offered as a guess, and what is no conversation stays none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.formats import UnreadableError, load
from tests.formats.written import only, write_json, write_lines


def turn(who: str, text: str) -> dict[str, Any]:
    return {"speaker": who, "text": text}


def test_what_was_guessed_is_said_first(tmp_path: Path) -> None:
    record = {"meta": [1, 2], "data": {"turns": [turn("human", "Hi."), turn("bot", "Hello."), {"odd": 1}]}}
    session = only(write_json(tmp_path / "x", record))
    assert [(message.role, message.text) for message in session] == [("user", "Hi."), ("assistant", "Hello.")]
    assert "in data.turns with the fields speaker and text: that is a guess" in str(session.problems[0])
    assert "entry 3 of the messages was left out" in str(session.problems[1])


def test_strangers_take_turns(tmp_path: Path) -> None:
    names = ["Ann", "Ben", "Ann", "Ben"]
    session = only(write_json(tmp_path / "x", {"a": [turn(name, f"{n}") for n, name in enumerate(names)]}))
    assert [message.role for message in session] == ["user", "assistant", "user", "assistant"]


def test_messages_may_stand_on_lines_and_records_may_hold_one_list_each(tmp_path: Path) -> None:
    loose = only(write_lines(tmp_path / "a", [turn("human", "Hi."), turn("ai", "Hello.")]))
    assert len(loose.messages) == 2
    record = {"chat": [turn("human", "Hi."), turn("ai", "Hello.")]}
    assert [session.line for session in load(write_lines(tmp_path / "b", [record, record]))] == [1, 2]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([{"user": "Hi.", "assistant": "Hello.", "at": 1}, {"user": "Bye.", "assistant": ""}], "user and assistant"),
        ({"history": [["Hi.", "Hello."], ["Bye.", None]]}, "entries in history with two texts"),
        (
            [{"who": "human", "words": "Hi."}, {"who": "ai", "words": "Hello."}, {"who": "human", "words": "Bye."}],
            "who",
        ),
    ],
)
def test_pairs_of_questions_and_answers_are_messages(tmp_path: Path, value: Any, reason: str) -> None:
    session = only(write_json(tmp_path / "x", value))
    assert [(message.role, message.text) for message in session] == [
        ("user", "Hi."),
        ("assistant", "Hello."),
        ("user", "Bye."),
    ]
    assert reason in str(session.problems[0])


def test_another_list_that_looks_like_messages_is_named(tmp_path: Path) -> None:
    talk = [turn("human", "Hi."), turn("ai", "Hello.")]
    value = {"talk": talk, "log": [{"role": "user", "content": "a"}] * 30, "places": ["pier", "quay"]}
    session = only(write_json(tmp_path / "x", value))
    assert len(session.messages) == 2
    assert str(session.problems[1]) == "the list log of 30 entries was left out: it looks like messages, too"
    assert len(session.problems) == 2


@pytest.mark.parametrize(
    "value",
    [
        [{"type": "span", "message": "started"}, {"type": "metric", "message": "12 ms"}] * 4,
        [{"level": "info", "from": "db", "message": f"query {n}"} for n in range(5)],
        {"rows": [{"author": f"writer {n}", "text": "A review."} for n in range(6)]},
        {"rows": [["pier", "lit"], ["quay", "dark"]]},
        [{"user": "ann", "assistant": "ben", "a": 1, "b": 2, "c": 3}] * 3,
        {"items": [{"role": "admin", "content": "x"}, {"role": "admin", "content": "y"}]},
    ],
)
def test_a_log_of_something_else_is_no_conversation(tmp_path: Path, value: Any) -> None:
    with pytest.raises(UnreadableError):
        load(write_json(tmp_path / "x", value))


def test_what_is_not_read_of_a_guess_is_listed_and_its_prompt_is_unknown(tmp_path: Path) -> None:
    turns = [{"speaker": "human", "text": "Count the gulls."}, {"speaker": "bot", "text": "Seven."}]
    turns[1]["reasons"] = "The gulls of the pier were counted at dawn."
    (session,) = load(write_json(tmp_path / "x.json", {"turns": turns}))
    assert not session.records_system
    assert "fields of its entries that were not read: reasons" in map(str, session.problems)
