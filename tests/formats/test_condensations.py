"""Condensations of OpenHands: what is forgotten leaves for good, and all else stays with the newest summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.formats.written import only, write_json


def said(number: int, source: str, text: str) -> dict[str, Any]:
    return {"id": number, "source": source, "action": "message", "args": {"content": text}}


def ran(number: int, command: str, answer: str) -> list[dict[str, Any]]:
    """A command and what came of it."""
    call = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": "run", "arguments": f'{{"command": "{command}"}}'},
    }
    response = {"id": f"r{number}", "model": "m", "choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    metadata = {"tool_call_id": f"c{number}", "function_name": "run", "model_response": response}
    action = {
        "id": number,
        "source": "agent",
        "action": "run",
        "args": {"command": command},
        "tool_call_metadata": metadata,
    }
    observation = {"observation": "run", "content": answer, "cause": number, "tool_call_metadata": metadata}
    return [action, {"id": number + 1, "source": "agent", **observation}]


def condensed(number: int, **args: Any) -> dict[str, Any]:
    return {"id": number, "source": "agent", "action": "condensation", "args": args}


def test_what_is_not_forgotten_stays_behind_the_summary(tmp_path: Path) -> None:
    events = [
        {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be brief."}},
        said(1, "user", "Fix it."),
        *ran(2, "ls", "a b"),
        *ran(4, "cat a", "one"),
        condensed(6, forgotten_event_ids=[2, 3], summary="Looked around.", summary_offset=2),
        *ran(7, "cat b", "two"),
        condensed(9, forgotten_events_start_id=4, forgotten_events_end_id=5, summary="Read a."),
        said(10, "agent", "Done."),
    ]
    session = only(write_json(tmp_path / "events.json", events))

    def context(turn: int) -> list[tuple[str, str]]:
        messages = [session.messages[place] for place in session.path_to(session.context_end(turn))]
        return [(message.kind, message.text) for message in messages]

    head, calls = [("chat", "Be brief."), ("chat", "Fix it.")], len(session.turns())
    assert calls == 4 and len(session.compactions) == 2
    assert context(3) == [
        ("summary", "Looked around."),
        *head,
        ("injected", 'run({"command": "cat a"})'),
        ("chat", "one"),
    ]
    assert context(4) == [
        ("summary", "Read a."),
        *head,
        ("injected", 'run({"command": "cat b"})'),
        ("chat", "two"),
    ]


def test_a_call_leaves_with_its_result_and_without_a_summary_too(tmp_path: Path) -> None:
    events = [
        said(1, "user", "Fix it."),
        *ran(2, "ls", "a b"),
        *ran(4, "cat a", "one"),
        condensed(6, forgotten_event_ids=[3]),
        said(7, "agent", "Done."),
    ]
    session = only(write_json(tmp_path / "events.json", events))
    path = session.path_to(session.context_end(3))
    assert [session.messages[place].text for place in path] == ["Fix it.", 'run({"command": "cat a"})', "one"]
    assert session.compactions == ()


def test_a_summary_stays_where_a_later_condensation_brings_none(tmp_path: Path) -> None:
    events = [
        said(1, "user", "Fix it."),
        *ran(2, "ls", "a b"),
        condensed(4, forgotten_event_ids=[2, 3], summary="Looked around."),
        *ran(5, "cat a", "one"),
        condensed(7, forgotten_event_ids=[5, 6]),
        said(8, "agent", "Done."),
    ]
    session = only(write_json(tmp_path / "events.json", events))
    path = session.path_to(session.context_end(3))
    assert [session.messages[place].text for place in path] == ["Looked around.", "Fix it."]


def test_the_same_history_condensed_again_and_again_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.formats.log_builder.MOST_COPIES", 1_000)
    events = [said(number, "user", "Hi.") for number in range(100)]
    events += [condensed(number, forgotten_event_ids=[], summary="S") for number in range(100, 150)]
    session = only(write_json(tmp_path / "events.json", events))
    assert len(session.messages) <= 1_000 + 150
    assert any("its compactions keep more" in str(problem) for problem in session.problems)
