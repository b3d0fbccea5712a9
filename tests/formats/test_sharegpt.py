"""ShareGPT chats."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.conversation import CallHead
from inspector.formats import UnreadableError, load
from tests.formats.written import only, texts, write_json, write_lines


def chat(*turns: tuple[str, object], **fields: object) -> dict[str, object]:
    return {"conversations": [{"from": who, "value": value} for who, value in turns], **fields}


def test_chats_become_sessions(tmp_path: Path) -> None:
    talk = chat(("system", "Be kind."), ("human", "Who are you?"), ("gpt", "A model."), id="identity_0", source="x")
    one, two = load(write_json(tmp_path / "x", [talk, chat(("human", "Hi."))]))
    assert (one.format, one.dialect, one.id, one.title, one.line) == (
        "sharegpt",
        "openai",
        "identity_0",
        "Who are you?",
        1,
    )
    assert [(m.role, m.text, m.parent) for m in one] == [
        ("system", "Be kind.", -1),
        ("user", "Who are you?", 0),
        ("assistant", "A model.", 1),
    ]
    assert one.messages[0].record == {"from": "system", "value": "Be kind.", "id": "identity_0", "source": "x"}
    assert len(two.id) == 12


def test_a_bare_number_is_not_enough_for_an_id(tmp_path: Path) -> None:
    talk = chat(("human", "Hi."), ("gpt", "Hello."))
    ids = [session.id for session in load(write_lines(tmp_path / "x", [talk | {"id": n} for n in (0, "1", 1)]))]
    assert [item.partition("-")[2] for item in ids] == ["0", "1", "1-2"]


def test_calls_and_observations(tmp_path: Path) -> None:
    session = only(
        write_json(
            tmp_path / "x",
            chat(
                ("human", "How many?"),
                ("function_call", '{"name": "count", "arguments": {"of": "orders"}}'),
                ("observation", '{"n": 3}'),
                ("function_call", '[{"name": "a"}, {"name": "b", "arguments": "{}"}]'),
                ("observation", "x"),
                ("observation", {"y": 1}),
                ("observation", "nobody asked"),
                ("function_call", "not JSON"),
                ("gpt", "Three."),
                system="Use tools.",
                tools='[{"name": "count", "parameters": {}}]',
            ),
        )
    )
    assert [m.role for m in session] == [
        "system",
        "user",
        *["assistant", "tool"] * 2,
        "tool",
        "user",
        *["assistant"] * 2,
    ]
    assert session.messages[2].calls == (CallHead("call_2", "count"),)
    assert [(m.answers, m.name) for m in session if m.answers] == [
        ("call_2", "count"),
        ("call_4", "a"),
        ("call_4_2", "b"),
    ]
    assert texts(session)[2] == 'count({"of":"orders"})'
    assert session.tools == ({"type": "function", "function": {"name": "count", "parameters": {}}},)


def test_turns_with_a_role_and_a_content(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    assert texts(only(write_json(tmp_path / "x", {"conversations": turns}))) == ["Hi.", "Hello."]


def test_unknown_speakers_and_odd_values(tmp_path: Path) -> None:
    session = only(
        write_json(tmp_path / "x", chat(("Narrator", "Once."), ("gpt", None), ("human", {"a": 1}), ("GPT", 3)))
    )
    assert [(m.role, m.text) for m in session] == [
        ("user", "Once."),
        ("assistant", ""),
        ("user", '{"a":1}'),
        ("assistant", "3"),
    ]


def test_records_without_a_conversation_are_problems(tmp_path: Path) -> None:
    session = only(write_lines(tmp_path / "x", [chat(("human", "Hi.")), {"id": 1}]))
    assert texts(session) == ["Hi."]
    assert [problem.line for problem in session.problems] == [None, 2]


def test_a_file_that_holds_mostly_other_things_is_none(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x", [chat(("human", "Hi.")), {"id": 1}, chat()])
    with pytest.raises(
        UnreadableError, match="2 of its 3 records are not in this format; the first is line 2: it contains"
    ):
        load(path)
