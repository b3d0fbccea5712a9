"""Folders of OpenHands' events that are written file by file come to the sessions that are read whole."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from inspector.formats import load
from inspector.library.tailing import FollowedFile
from tests.formats.openhands_files import ASK, PROMPT, STATE, action, answer, conversation, event
from tests.formats.written import write_json
from tests.growth import calls_made
from tests.library.tailing.growing import assert_same, session_of

Record = dict[str, Any]


def reported(*names: str) -> Record:
    """The state once some responses were reported."""
    own: Record = {"model": "anthropic/claude-opus-4-5", "context_window": 200_000, "completion_tokens": 30}
    places = {name: place for place, name in enumerate(dict.fromkeys(names), 1)}
    usages = [{**own, "response_id": name, "prompt_tokens": 1_000 * place} for name, place in places.items()]
    return {**STATE, "stats": {"usage_to_metrics": {"agent": {"token_usages": usages}}}}


def work(count: int) -> list[Record]:
    """The prompt, a task and so many rounds: replies with one call and with two, and a condensation now and then."""
    events, kept = [PROMPT, ASK], []
    for number in range(2, 2 + 7 * count, 7):
        response = f"r{number}"
        round_of = [action(number, response, "Look."), action(number + 1, response)][: 1 + number % 2]
        round_of += [answer(number + 2 + place, one, "3 scans") for place, one in enumerate((number, number + 1))][
            : len(round_of)
        ]
        events += round_of
        kept += [one["id"] for one in round_of]
        if len(kept) > 24:
            gone, kept = kept[:12], kept[12:]
            more = {"summary": f"Up to {number}.", "summary_offset": 2, "forgotten_event_ids": gone}
            events.append(event("Condensation", number + 5, "environment", **more))
    return events


def write(path: Path, number: int, one: Record) -> Path:
    return write_json(path.parent / "events" / f"event-{number:05}-{one['id']}.json", one)


def followed(path: Path) -> FollowedFile:
    source = FollowedFile(path)
    session_of(source)
    assert source._growing is not None, "it is read on, not anew"
    return source


@pytest.mark.parametrize("seed", range(6))
def test_a_conversation_at_any_moment_is_what_it_is_read_whole(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    events = work(30)
    path = conversation(tmp_path, *events[:2], state=reported())
    source = followed(path if seed % 2 else sorted(path.parent.glob("events/*"))[0])
    responses: list[str] = []
    for number, one in enumerate(events[2:], 2):
        if "llm_response_id" in one:
            responses.append(one["llm_response_id"])
        if not dice.randrange(3):  # what is reported comes before its reply, or behind it
            write_json(path, reported(*responses))
        write(path, number, one)
        if dice.randrange(3):
            growth = source.poll()
            assert growth is not None
            assert_same(growth.session, load(source.path)[0])
            assert growth.same > 0 and not growth.begins
    write_json(path, reported(*responses))
    last = session_of(source) or source._session
    assert last is not None and source._growing is not None
    assert_same(last, load(source.path)[0])
    assert len(last.compactions) > 2 and all(last.messages[place].usage for place in last.turns())


def test_what_comes_costs_what_came_and_not_what_stood_there(tmp_path: Path) -> None:
    def cost(count: int) -> int:
        events = work(count)
        path = conversation(tmp_path / str(count), *events)
        source = followed(path)
        write(path, len(events), event("MessageEvent", 99_998, "user", llm_message=ASK["llm_message"]))
        return calls_made(source.poll)

    assert cost(400) < 1.2 * cost(40)


def test_an_event_that_is_half_written_waits(tmp_path: Path) -> None:
    path = conversation(tmp_path, PROMPT, ASK)
    source = followed(path)
    file = write(path, 2, action(2, "r1"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert source.poll() is None and source.is_waiting
    file.write_bytes(b"")
    assert source.poll() is None and source.is_waiting
    file.write_bytes(whole)
    growth = source.poll()
    assert growth is not None and not source.is_waiting and not growth.session.problems
    assert len(growth.session.messages) == 3


@pytest.mark.parametrize("way", ["an older one", "one with another behind it"])
def test_an_event_that_stays_half_written_is_a_problem(way: str, tmp_path: Path) -> None:
    path = conversation(tmp_path, PROMPT, ASK)
    source = followed(path)
    file = write(path, 2, action(2, "r1"))
    file.write_bytes(b"{")
    if way == "an older one":
        os.utime(file, (1, 1))
    else:
        write(path, 3, action(3, "r3"))
    session = session_of(source)
    assert session is not None and not source.is_waiting
    assert ["an event is missing" in problem.text for problem in session.problems] == [True]
    assert_same(session, load(path)[0])


def test_a_state_that_is_half_written_waits_and_a_new_title_is_seen(tmp_path: Path) -> None:
    path = conversation(tmp_path, PROMPT, ASK, action(2, "r7"))
    source = followed(path)
    whole = json.dumps({**reported("r7"), "title": "Scans"})
    path.write_text(whole[:-2], encoding="utf-8")
    assert source.poll() is None and source.is_waiting
    path.write_text(whole, encoding="utf-8")
    growth = source.poll()
    assert growth is not None and growth.session.title == "Scans"
    assert growth.session.messages[-1].usage is not None
    os.utime(path, (9, 9))
    assert source.poll() is None, "it says the same"


@pytest.mark.parametrize("way", ["an event has gone", "an earlier event came", "another model", "no state"])
def test_a_conversation_that_says_something_else_is_read_anew(way: str, tmp_path: Path) -> None:
    path = conversation(tmp_path, PROMPT, ASK, action(2, "r1"), answer(3, 2, "3"))
    write(path, 9, action(9, "r9"))
    source = followed(path)
    match way:
        case "an event has gone":
            (tmp_path / "events" / "event-00003-e3.json").unlink()
        case "an earlier event came":
            write(path, 5, event("MessageEvent", 5, "user", llm_message=ASK["llm_message"]))
        case "another model":
            write_json(path, {**STATE, "agent": {"llm": {"model": "openai/gpt-5"}}})
        case _:
            path.unlink()
            assert source.poll() is None and "does not exist" in source.problem
            write_json(path, {**STATE, "id": "other"})
    session = session_of(source)
    assert session is not None and source._growing is not None
    assert_same(session, load(path)[0])


def test_a_folder_without_events_says_so_until_one_comes(tmp_path: Path) -> None:
    path = write_json(tmp_path / "base_state.json", STATE)
    source = FollowedFile(path)
    assert session_of(source) is None and "no message" in source.problem
    conversation(tmp_path, PROMPT, ASK)
    growth = source.poll()
    assert growth is not None and growth.begins and not source.problem


def said(number: int, source: str, words: str, model: str = "") -> Record:
    own: Record = {"id": number, "source": source, "timestamp": "2026-01-02T03:04:05", "action": "message"}
    if model:
        message = {"role": "assistant", "content": words}
        response = {"id": f"r{number}", "model": model, "choices": [{"message": message}]}
        own["tool_call_metadata"] = {"model_response": response}
    return {**own, "args": {"content": words}}


def test_a_folder_of_an_earlier_version_is_read_on_and_anew_once_its_model_is_known(tmp_path: Path) -> None:
    folder = tmp_path / "s1" / "events"
    folder.mkdir(parents=True)
    path = write_json(folder / "0.json", said(0, "user", "Count box 3."))
    source = followed(path)
    for number in range(1, 14):
        model = "claude-sonnet-4-5" if number > 2 else ""
        write_json(folder / f"{number}.json", said(number, "agent", f"Box {number}.", model))
        growth = source.poll()
        assert growth is not None and growth.same == (0 if number == 3 else number)
        assert_same(growth.session, load(path)[0])
        session = growth.session
    assert session.dialect == "anthropic" and session.id == "s1"
