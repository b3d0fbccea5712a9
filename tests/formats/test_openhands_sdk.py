"""Conversations of OpenHands' agent SDK: a state and a folder of events; and the folders of its earlier versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.conversation import Usage
from inspector.formats import find, load
from tests.formats.openhands_files import ASK, PROMPT, STATE, action, answer, conversation, event, text
from tests.formats.written import only, texts, write_json, write_lines


def test_a_folder_of_events_is_one_session_with_what_the_state_knows(tmp_path: Path) -> None:
    path = conversation(
        tmp_path / "one",
        PROMPT,
        ASK,
        action(2, "r1", "Look first.", reasoning_content="Which box?"),
        action(3, "r1"),
        event("PauseEvent", 4, "user"),
        answer(5, 2, "3 scans"),
        answer(6, 3, "no such box", is_error=True),
        event("MessageEvent", 7, llm_message={"role": "assistant", "content": [text("Three.")]}),
    )
    session = only(path)
    assert (session.id, session.model, session.format) == ("5e55-1011", "claude-opus-4-5", "openhands-sdk")
    assert [message.role for message in session] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert session.messages[0].text.endswith("The archive is in /home/archive.") and session.records_system
    reply = session.messages[2]
    assert [call.name for call in reply.calls] == ["terminal", "terminal"] and reply.thinks
    assert reply.usage == Usage(900, 30, 500, 100)
    assert [(m.answers, m.is_error) for m in session.messages[3:5]] == [("c2", False), ("c3", True)]
    assert [tool["name"] for tool in session.tools] == ["terminal"], "as the provider takes it"
    assert session.sizes is not None and session.sizes.limit == 200_000


def test_what_a_user_rejects_and_what_fails_answers_its_call(tmp_path: Path) -> None:
    rejected = event("UserRejectObservation", 3, "environment", tool_call_id="c2", rejection_reason="Not now.")
    failed = event("AgentErrorEvent", 5, tool_call_id="c4", error="There is no tool of that name.")
    session = only(conversation(tmp_path, ASK, action(2, "r1"), rejected, action(4, "r2"), failed))
    answers = [(message.answers, message.text, message.is_error) for message in session if message.role == "tool"]
    assert answers == [("c2", "Action rejected: Not now.", True), ("c4", "There is no tool of that name.", True)]


def test_an_answer_that_says_nothing_is_one_all_the_same(tmp_path: Path) -> None:
    silent = event("AgentErrorEvent", 3, tool_call_id="c2", error=[])
    session = only(conversation(tmp_path, ASK, action(2, "r1"), silent))
    assert (session.messages[-1].answers, session.messages[-1].text) == ("c2", "")


def test_the_events_of_a_folder_are_listed_once_and_read_alone_too(tmp_path: Path) -> None:
    path = conversation(tmp_path / "one", PROMPT, ASK)
    assert find(tmp_path) == [path]
    assert texts(only(sorted(path.parent.glob("events/*"))[1])) == ["Count box 3."]
    lines = write_lines(tmp_path / "events.jsonl", [PROMPT, ASK, action(2, "r1", "Look first.")])
    assert [message.role for message in only(lines)] == ["system", "user", "assistant"]


def test_an_event_that_cannot_be_read_is_told_and_the_rest_stays(tmp_path: Path) -> None:
    path = conversation(tmp_path, PROMPT, ASK, action(2, "r1"))
    (path.parent / "events" / "event-00001-e1.json").write_text("{", encoding="utf-8")
    session = only(path)
    assert [message.role for message in session] == ["system", "assistant"]
    assert any("an event is missing" in problem.text for problem in session.problems)


@pytest.mark.parametrize("order", [(0, 1, 2, 10), (0, 1)])
def test_a_folder_of_an_earlier_version_is_one_session(tmp_path: Path, order: tuple[int, ...]) -> None:
    folder = tmp_path / "sessions" / "s1" / "events"
    folder.mkdir(parents=True)
    for number in order:
        own = {"id": number, "timestamp": f"2026-01-02T03:04:{number:02}", "action": "message"}
        source = "agent" if number % 2 else "user"
        write_json(folder / f"{number}.json", {**own, "source": source, "args": {"content": f"Box {number}."}})
    assert find(tmp_path) == [folder / "0.json"]
    session = only(folder / "0.json")
    assert session.format == "openhands" and texts(session) == [f"Box {number}." for number in order]


def test_a_state_without_events_says_that_there_is_no_message(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no message"):
        load(conversation(tmp_path))
    assert json.loads((tmp_path / "base_state.json").read_text())["id"] == STATE["id"]
