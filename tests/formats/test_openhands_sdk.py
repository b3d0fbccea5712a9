"""Conversations of OpenHands' agent SDK: a state and a folder of events; and the folders of its earlier versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.core.conversation import Thinking, Usage
from inspector.formats import files_of, find, load
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


def test_what_the_program_adds_to_a_message_is_sent_with_it(tmp_path: Path) -> None:
    rule = [text("Shelf 3 is behind the door.")]
    ask = {**ASK, "extended_content": rule}
    yes = {"role": "assistant", "content": [text("Yes.")]}
    reply = event("MessageEvent", 2, llm_message=yes, extended_content=rule)
    session = only(conversation(tmp_path, ask, reply, action(3, "r1"), {**answer(4, 3, "3"), "extended_content": rule}))
    said = [message.text for message in session]
    assert said[0] == "Count box 3.\n\nShelf 3 is behind the door."
    assert said[1] == "Yes.\n\nShelf 3 is behind the door."
    assert said[3].split() == ["3", *rule[0]["text"].split()]


def test_thinking_keeps_its_signature_and_goes_before_plain_reasoning(tmp_path: Path) -> None:
    blocks = [{"type": "thinking", "thinking": "Box 3 it is.", "signature": "c2ln"}]
    signed = action(2, "r1", "Look first.", thinking_blocks=blocks, reasoning_content="Box 3 it is.")
    said = {"role": "assistant", "content": [text("Three.")], "thinking_blocks": blocks}
    session = only(conversation(tmp_path, ASK, signed, answer(3, 2, "3"), event("MessageEvent", 4, llm_message=said)))
    thoughts = [[part for part in message.parts if isinstance(part, Thinking)] for message in session]
    assert thoughts == [[], [Thinking("Box 3 it is.", "c2ln")], [], [Thinking("Box 3 it is.", "c2ln")]]


def test_words_in_the_name_of_the_user_that_no_user_wrote_are_the_programs(tmp_path: Path) -> None:
    nudge = event("MessageEvent", 2, "environment", llm_message={"role": "user", "content": [text("Go on.")]})
    hook = event("MessageEvent", 3, "hook", llm_message={"role": "user", "content": [text("Tests fail.")]})
    session = only(conversation(tmp_path, ASK, nudge, hook))
    assert [(message.text, message.kind) for message in session] == [
        ("Count box 3.", "chat"),
        ("Go on.", "injected"),
        ("Tests fail.", "injected"),
    ]


def test_one_event_of_a_conversation_opens_all_of_it(tmp_path: Path) -> None:
    path = conversation(tmp_path / "one", PROMPT, ASK, action(2, "r1"), answer(3, 2, "3 scans"))
    assert find(tmp_path) == [path]
    files = sorted(path.parent.glob("events/*"))
    whole = only(path)
    for file in files:
        session = only(file)
        assert (session.id, session.model, session.sizes) == (whole.id, whole.model, whole.sizes)
        assert [message.id for message in session] == [message.id for message in whole]
        assert session.messages[2].usage == Usage(900, 30, 500, 100)
        assert set(files_of(file)) == {path, *files} and files_of(file)[0] == file


def test_an_event_without_a_state_that_can_be_read_opens_as_far_as_that_goes(tmp_path: Path) -> None:
    path = conversation(tmp_path, PROMPT, ASK)
    file = tmp_path / "events" / "event-00001-e1.json"
    path.write_text("{", encoding="utf-8")
    session = only(file)
    assert [message.role for message in session] == ["system", "user"]
    assert any("the state is missing" in problem.text for problem in session.problems)
    path.unlink()
    assert texts(only(file)) == ["Count box 3."], "nothing says that the others are of the same conversation"


def test_events_are_read_in_the_order_of_their_numbers_and_from_one_file_too(tmp_path: Path) -> None:
    path = conversation(tmp_path / "one", ASK)
    for number in (100_000, 99_999):
        line = event("MessageEvent", 1, "user", llm_message={"role": "user", "content": [text(f"Box {number}.")]})
        write_json(tmp_path / "one" / "events" / f"event-{number}-e.json", line)
    assert texts(only(path)) == ["Count box 3.", "Box 99999.", "Box 100000."]
    lines = write_lines(tmp_path / "events.jsonl", [PROMPT, ASK, action(2, "r1", "Look first.")])
    assert [message.role for message in only(lines)] == ["system", "user", "assistant"]
    assert only(write_lines(tmp_path / "all.jsonl", [STATE, PROMPT, ASK])).model == "claude-opus-4-5"


def test_an_event_that_cannot_be_read_is_told_and_the_rest_stays(tmp_path: Path) -> None:
    path = conversation(tmp_path, PROMPT, ASK, action(2, "r1"), ASK)
    (path.parent / "events" / "event-00001-e1.json").write_text("{", encoding="utf-8")
    half = json.dumps(ASK)[:-1]
    (path.parent / "events" / "event-00003-e1.json").write_text(half, encoding="utf-8")
    session = only(path)
    assert [message.role for message in session] == ["system", "assistant", "user"]
    said = [problem.text for problem in session.problems]
    assert "an event is missing" in said[0] and said[1].startswith("event-00003-e1.json: ")


@pytest.mark.parametrize("order", [(0, 1, 2, 10), (0, 1)])
def test_a_folder_of_an_earlier_version_is_one_session(tmp_path: Path, order: tuple[int, ...]) -> None:
    folder = tmp_path / "sessions" / "s1" / "events"
    folder.mkdir(parents=True)
    for number in order:
        own = {"id": number, "timestamp": f"2026-01-02T03:04:{number:02}", "action": "message"}
        source = "agent" if number % 2 else "user"
        write_json(folder / f"{number}.json", {**own, "source": source, "args": {"content": f"Box {number}."}})
    assert find(tmp_path) == [folder / "0.json"]
    files = [folder / f"{number}.json" for number in order]
    for file in files:
        session = only(file)
        assert session.format == "openhands" and texts(session) == [f"Box {number}." for number in order]
        assert session.id == "s1", "that of its folder, however long it is"
        assert set(files_of(file)) == set(files)


def test_a_state_without_events_says_that_there_is_no_message(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="is the state of an OpenHands conversation and has no message"):
        load(conversation(tmp_path))
    assert json.loads((tmp_path / "base_state.json").read_text())["id"] == STATE["id"]
