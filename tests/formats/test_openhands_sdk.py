"""Conversations of OpenHands' agent SDK: a state and a folder of events; and the folders of its earlier versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.conversation import Session, Usage
from inspector.formats import find, load
from tests.formats.written import texts, write_json, write_lines

Record = dict[str, Any]


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def event(kind: str, number: int, source: str = "agent", **fields: Any) -> Record:
    return {"kind": kind, "id": f"e{number}", "timestamp": f"2026-01-02T03:04:{number:02}", "source": source, **fields}


def action(number: int, response: str, *thought: str, **fields: Any) -> Record:
    call = {"id": f"c{number}", "name": "terminal", "arguments": '{"command": "ls"}', "origin": "completion"}
    own: Record = {
        "thought": list(map(text, thought)),
        "tool_name": "terminal",
        "tool_call_id": call["id"],
        "tool_call": call,
    }
    return event("ActionEvent", number, **own, llm_response_id=response, action={"kind": "TerminalAction"}, **fields)


def answer(number: int, to: int, words: str, **fields: Any) -> Record:
    observation = {"kind": "TerminalObservation", "content": [text(words)], **fields}
    own: Record = {"tool_name": "terminal", "tool_call_id": f"c{to}", "action_id": f"e{to}", "observation": observation}
    return event("ObservationEvent", number, "environment", **own)


PROMPT = event(
    "SystemPromptEvent",
    0,
    system_prompt=text("You count scans."),
    dynamic_context=text("The archive is in /home/archive."),
    tools=[{"kind": "TerminalTool", "title": "terminal", "description": "Runs a command."}],
)
ASK = event("MessageEvent", 1, "user", llm_message={"role": "user", "content": [text("Count box 3.")]})
STATE = {
    "id": "5e55-1011",
    "agent": {"kind": "Agent", "llm": {"model": "litellm_proxy/anthropic/claude-opus-4-5"}},
    "workspace": {"working_dir": "/home/archive"},
    "stats": {
        "usage_to_metrics": {
            "agent": {
                "token_usages": [
                    {
                        "model": "anthropic/claude-opus-4-5",
                        "prompt_tokens": 900,
                        "completion_tokens": 30,
                        "cache_read_tokens": 500,
                        "cache_write_tokens": 100,
                        "context_window": 200_000,
                        "response_id": "r1",
                    }
                ]
            }
        }
    },
}


def conversation(folder: Path, *events: Record, state: Record = STATE) -> Path:
    (folder / "events").mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(events):
        write_json(folder / "events" / f"event-{number:05}-{one['id']}.json", one)
    return write_json(folder / "base_state.json", state)


def only(path: Path) -> Session:
    [session] = load(path)
    return session


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


def test_a_condensation_begins_a_context_of_its_summary_and_what_stays(tmp_path: Path) -> None:
    gone = event("Condensation", 6, "environment", forgotten_event_ids=["e2", "e3"], summary="Box 3 has 3 scans.")
    later = [action(7, "r3", "Next."), answer(8, 7, "4 scans")]
    session = only(
        conversation(
            tmp_path,
            PROMPT,
            ASK,
            action(2, "r1"),
            answer(3, 2, "3 scans"),
            action(4, "r2"),
            answer(5, 4, "none"),
            gone,
            *later,
        )
    )
    assert len(session.compactions) == 1
    said = [session.messages[place].text for place in session.path_to(len(session.messages) - 1)]
    assert said[0] == "Box 3 has 3 scans." and "3 scans" not in said and "none" in said and "4 scans" in said


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
