"""Condensations of OpenHands: what is forgotten leaves, and a summary stands so many events behind the beginning.

What is expected here is what `View.from_events` of its two versions gives for the same events.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from tests.formats.openhands_files import PROMPT, action, answer, conversation, event, text
from tests.formats.written import only, write_json

Event = dict[str, Any]
SYSTEM = {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be brief."}}


def said(number: int, source: str, words: str) -> Event:
    return {"id": number, "source": source, "action": "message", "args": {"content": words}}


def ran(number: int, command: str, result: str) -> list[Event]:
    """A command and what came of it."""
    return [acted(number, command, f"r{number}", [command]), observed(number + 1, command, result)]


def acted(number: int, command: str, reply: str, commands: list[str]) -> Event:
    """One of the commands that a reply asked for."""
    calls = [
        {"id": f"c-{one}", "type": "function", "function": {"name": "run", "arguments": f'{{"command": "{one}"}}'}}
        for one in commands
    ]
    response = {"id": reply, "model": "m", "choices": [{"message": {"role": "assistant", "tool_calls": calls}}]}
    metadata = {"tool_call_id": f"c-{command}", "function_name": "run", "model_response": response}
    args = {"command": command}
    return {"id": number, "source": "agent", "action": "run", "args": args, "tool_call_metadata": metadata}


def observed(number: int, command: str, result: str) -> Event:
    metadata = {"tool_call_id": f"c-{command}", "function_name": "run"}
    own = {"observation": "run", "content": result, "tool_call_metadata": metadata}
    return {"id": number, "source": "agent", **own}


def condensed(number: int, **args: Any) -> Event:
    return {"id": number, "source": "agent", "action": "condensation", "args": args}


def read(path: Path, *events: Event) -> Session:
    return only(write_json(path / "events.json", events))


def context(session: Session, turn: int | None = None) -> list[str]:
    """The messages that were sent for a reply, or that stand in the context now."""
    end = session.context_end(len(session.turns()) + 1 if turn is None else turn)
    messages = [session.messages[place] for place in session.path_to(end)]
    return [f"Σ {one.text}" if one.kind == "summary" else one.text for one in messages if one.kind != "notice"]


def call(command: str) -> str:
    return f'run({{"command": "{command}"}})'


def test_a_summary_stands_behind_so_many_events_and_the_newest_takes_its_place(tmp_path: Path) -> None:
    session = read(
        tmp_path,
        SYSTEM,
        said(1, "user", "Fix it."),
        *ran(2, "ls", "a b"),
        *ran(4, "cat a", "one"),
        condensed(6, forgotten_event_ids=[2, 3], summary="Looked around.", summary_offset=2),
        *ran(7, "cat b", "two"),
        condensed(9, forgotten_events_start_id=4, forgotten_events_end_id=5, summary="Read a.", summary_offset=1),
        said(10, "agent", "Done."),
    )
    assert context(session, 3) == ["Be brief.", "Fix it.", "Σ Looked around.", call("cat a"), "one"]
    assert context(session, 4) == ["Be brief.", "Fix it.", "Σ Read a.", "Fix it.", call("cat b"), "two"], (
        "its program puts the task behind the prompt wherever something else stands there"
    )
    assert len(session.turns()) == 4 and len(session.compactions) == 2


def test_what_stands_before_the_summary_is_the_same_message_as_before(tmp_path: Path) -> None:
    session = read(
        tmp_path,
        SYSTEM,
        said(1, "user", "Fix it."),
        *ran(2, "ls", "a b"),
        *ran(4, "cat a", "one"),
        condensed(6, forgotten_event_ids=[2, 3], summary="S", summary_offset=2),
        said(7, "agent", "Done."),
    )
    path = session.path_to(session.context_end(3))
    assert path[:2] == [0, 1] and [session.messages[place].id for place in path[2:]] == ["e6", "e4#2", "e5#2"]
    assert [session.messages[place].kind for place in path] == ["chat", "chat", "summary", "copy", "chat"]


def test_events_without_words_count_where_a_summary_is_to_stand(tmp_path: Path) -> None:
    aside = {"source": "environment", "observation": "agent_state_changed", "content": "", "id": 2}
    request = {"id": 9, "source": "agent", "action": "condensation_request", "args": {}}
    session = read(
        tmp_path,
        SYSTEM,
        said(1, "user", "Fix it."),
        aside,
        request,
        {"id": 3, "source": "user", "action": "recall", "args": {"query": "Fix it."}},
        {"id": 4, "source": "agent", "observation": "recall", "content": "", "cause": 3},
        *ran(5, "ls", "a b"),
        *ran(7, "cat a", "one"),
        condensed(10, forgotten_event_ids=[7, 8], summary="S", summary_offset=6),
        said(11, "agent", "Done."),
    )
    assert context(session) == ["Be brief.", "Fix it.", call("ls"), "a b", "Σ S", "Done."]


@pytest.mark.parametrize(("offset", "place"), [(-1, 4), (0, 0), (5, 5), (1_000, 5), (2**63, 5)])
def test_a_summary_stands_last_where_there_are_fewer_events(tmp_path: Path, offset: int, place: int) -> None:
    events = [said(number, "user", f"Line {number}.") for number in range(6)]
    session = read(tmp_path, *events, condensed(6, forgotten_event_ids=[5], summary="S", summary_offset=offset))
    lines = [f"Line {number}." for number in range(5)]
    expected = [*lines[:place], "Σ S", *lines[place:]]
    assert context(session) == (expected if place else ["Line 0.", "Σ S", *lines])


def test_a_call_leaves_with_its_result_and_without_a_summary_too(tmp_path: Path) -> None:
    session = read(
        tmp_path,
        said(1, "user", "Fix it."),
        *ran(2, "ls", "a b"),
        *ran(4, "cat a", "one"),
        condensed(6, forgotten_event_ids=[3]),
        said(7, "agent", "Done."),
    )
    assert context(session, 3) == ["Fix it.", call("cat a"), "one"]
    assert session.compactions == ()


def test_a_reply_stays_as_long_as_one_of_its_actions_and_all_of_its_results(tmp_path: Path) -> None:
    both = ["ls", "pwd"]
    events = [
        said(1, "user", "Fix it."),
        acted(2, "ls", "r", both),
        observed(3, "ls", "a b"),
        acted(4, "pwd", "r", both),
        observed(5, "pwd", "/x"),
        said(6, "user", "And?"),
    ]
    reply = f"{call('ls')}\n\n{call('pwd')}"
    kept = read(tmp_path, *events, condensed(7, forgotten_event_ids=[2], summary="S", summary_offset=4))
    assert context(kept) == ["Fix it.", "a b", reply, "/x", "Σ S", "And?"]
    lost = read(tmp_path, *events, condensed(7, forgotten_event_ids=[5], summary="S", summary_offset=3))
    assert context(lost) == ["Fix it.", "Σ S", "And?"]


def test_the_last_words_of_the_agent_stay_without_an_answer(tmp_path: Path) -> None:
    end = {"id": "f", "type": "function", "function": {"name": "finish", "arguments": '{"message": "Done."}'}}
    response = {"id": "r9", "model": "m", "choices": [{"message": {"role": "assistant", "tool_calls": [end]}}]}
    metadata = {"tool_call_id": "f", "model_response": response}
    finish = {"id": 4, "source": "agent", "action": "finish", "args": {}, "tool_call_metadata": metadata}
    gone = condensed(6, forgotten_event_ids=[2, 3], summary="S", summary_offset=1)
    session = read(tmp_path, said(1, "user", "Fix it."), *ran(2, "ls", "a"), finish, said(5, "user", "More."), gone)
    assert context(session) == ["Fix it.", "Σ S", 'finish({"message": "Done."})', "More."]


def test_a_summary_stays_at_its_number_where_a_later_condensation_brings_none(tmp_path: Path) -> None:
    session = read(
        tmp_path,
        said(1, "user", "Fix it."),
        *ran(2, "ls", "a b"),
        condensed(4, forgotten_event_ids=[2, 3], summary="Looked around.", summary_offset=1),
        *ran(5, "cat a", "one"),
        condensed(7, forgotten_event_ids=[5, 6]),
        said(8, "agent", "Done."),
    )
    assert context(session, 3) == ["Fix it.", "Σ Looked around."]
    assert len(session.compactions) == 1, "nothing was copied"


def test_the_prompt_and_the_task_come_back_and_hidden_events_were_never_there(tmp_path: Path) -> None:
    hidden = {"id": 2, "source": "agent", "action": "run", "args": {"command": "env", "hidden": True}}
    gone = condensed(5, forgotten_events_start_id=0, forgotten_events_end_id=4, summary="S", summary_offset=0)
    session = read(tmp_path, SYSTEM, said(1, "user", "Fix it."), hidden, *ran(3, "ls", "a b"), gone)
    assert context(session) == ["Be brief.", "Fix it.", "Σ S"]
    assert len(session.messages) == 5


def test_the_same_history_condensed_again_and_again_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.formats.building.log_builder.MAX_COPIES", 1_000)
    events = [said(number, "user", "Hi.") for number in range(100)]
    gone = [condensed(number, forgotten_event_ids=[], summary="S", summary_offset=0) for number in range(100, 150)]
    session = read(tmp_path, *events, *gone)
    assert len(session.messages) <= 1_000 + 250
    assert any("its compactions keep more" in str(problem) for problem in session.problems)


def line(number: int) -> Event:
    return event("MessageEvent", number, "user", llm_message={"role": "user", "content": [text(f"Line {number}.")]})


def forgets(number: int, *names: str, **fields: Any) -> Event:
    return event("Condensation", number, "environment", forgotten_event_ids=list(names), **fields)


def lines(folder: Path, *events: Event) -> list[str]:
    """The context of an SDK's conversation as it stands, its lines by their numbers."""
    return [words.removeprefix("Line ").rstrip(".") for words in context(only(conversation(folder, *events)))]


def test_summaries_of_the_sdk_are_events_that_can_be_forgotten_by_their_ids(tmp_path: Path) -> None:
    two = [
        *map(line, range(3)),
        forgets(3, "e1", summary="A", summary_offset=1),
        *map(line, range(4, 7)),
        forgets(7, "e4", summary="B", summary_offset=3),
        line(8),
    ]
    assert lines(tmp_path / "1", *two) == ["0", "Σ A", "2", "Σ B", "5", "6", "8"]
    assert lines(tmp_path / "2", *two, forgets(9, "e3-summary")) == ["0", "2", "Σ B", "5", "6", "8"]
    again = forgets(9, "e7-summary", "e5", summary="C", summary_offset=0)
    assert lines(tmp_path / "3", *two, again) == ["Σ C", "0", "Σ A", "2", "6", "8"]
    same = forgets(9, summary="C", summary_offset=1)
    assert lines(tmp_path / "4", *two, same) == ["0", "Σ C", "Σ A", "2", "Σ B", "5", "6", "8"]


def test_a_summary_of_an_earlier_sdk_goes_with_the_next_one(tmp_path: Path) -> None:
    events = [
        *map(line, range(3)),
        forgets(3, "e1", summary="A", summary_offset=1),
        line(4),
        forgets(5, "0c1d-of-that-time", "e2", summary="B", summary_offset=1),
    ]
    assert lines(tmp_path, *events) == ["0", "Σ B", "4"]


def test_a_summary_of_the_sdk_without_an_offset_is_shown_and_not_sent(tmp_path: Path) -> None:
    session = only(conversation(tmp_path, line(0), line(1), forgets(2, "e1", summary="A"), line(3)))
    assert context(session) == ["Line 0.", "Line 3."]
    assert [message.text for message in session if message.kind == "notice"] == ["A"]
    assert lines(tmp_path / "end", line(0), line(1), forgets(2, "e1", summary="A", summary_offset=7), line(3)) == [
        "0",
        "Σ A",
        "3",
    ]


def test_the_sdk_gives_no_prompt_back(tmp_path: Path) -> None:
    events = [PROMPT, line(1), line(2), forgets(3, "e0", "e1", "e2", summary="A", summary_offset=0), line(4)]
    assert lines(tmp_path, *events) == ["Σ A", "4"]


def test_a_reply_of_the_sdk_leaves_with_any_of_its_actions(tmp_path: Path) -> None:
    events = [line(0), action(1, "r1"), action(2, "r1"), answer(3, 1, "a"), answer(4, 2, "b"), line(5)]
    gone = forgets(6, "e2", summary="A", summary_offset=4)
    assert lines(tmp_path / "1", *events, gone) == ["0", "Σ A", "5"], "what is left of it still counts"
    behind = forgets(6, summary="A", summary_offset=5)
    assert lines(tmp_path / "2", *events, behind)[-2:] == ["Σ A", "5"]
