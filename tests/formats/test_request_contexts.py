"""Logs of requests whose beginning changes, and folders of raw bodies."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN, Session
from inspector.formats import find, load
from inspector.formats.readers.requests import raw_bodies
from inspector.formats.reading.content import Content
from inspector.formats.reading.opening import open_content
from inspector.library import Workbench
from inspector.library.diagnosis.evidence import Overview
from inspector.library.tailing.live_sources import FollowedFile
from inspector.llm.tokens import estimate_sizes
from tests.formats.written import only, write_json

PROMPT = "Count birds, and be brief."


def ask(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def look(name: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": "look", "input": {"at": name}}]}


def seen(name: str, text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": text}]}


def call(messages: list[dict[str, Any]], reply: dict[str, Any], sent: int = 100, **fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": sent, "output_tokens": 5}
    response = {"id": f"msg_{sent}", "type": "message", "model": "claude-opus-4-5", "usage": usage, **reply}
    request = {"model": "claude-opus-4-5", "max_tokens": 99, "system": PROMPT, "messages": messages, **fields}
    return {"request": request, "response": response}


def lines(path: Path, *calls: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in calls))
    return path


def sent_by(session: Session) -> list[int]:
    """The reported sizes of the calls."""
    reports = (session.messages[place].usage for place in session.turns())
    return [usage.input for usage in reports if usage]


def last_context(path: Path) -> list[str]:
    session = only(path)
    return [session.messages[place].text for place in session.path_to(session.turns()[-1])]


PIER = [ask("How many gulls?"), look("c1"), seen("c1", "Nine gulls, and fog. " * 9), answer("Nine.")]


def test_only_the_newest_of_very_many_system_prompts_is_shown_and_none_is_a_loss(tmp_path: Path) -> None:
    history: list[dict[str, Any]] = []
    calls = []
    for number in range(30):
        history = [*history, ask(f"Gulls at {number}?")]
        calls.append(call(history, answer(f"{number} gulls."), 100 + number, system=f"It is {number} o'clock."))
        history = [*history, answer(f"{number} gulls.")]
    few = only(lines(tmp_path / "few.jsonl", *calls[:4]))
    assert Overview(Workbench(few, estimate_sizes(few)), MAIN).cuts == ()
    many = only(lines(tmp_path / "many.jsonl", *calls))
    prompts = [many.messages[many.path_to(place)[0]].text for place in many.turns()]
    assert prompts == [f"It is {number} o'clock." for number in range(20)] + ["It is 29 o'clock."] * 10
    assert "the system prompt changed 29 times: after 20" in str(many.problems)


def test_a_request_with_another_system_prompt_continues_the_session(tmp_path: Path) -> None:
    first = call(PIER[:1], PIER[1])
    second = call(PIER[:3], PIER[3], 200, system=PROMPT + " It is noon.")
    session = only(lines(tmp_path / "log.jsonl", first, second))
    assert sent_by(session) == [100, 200]
    prompts = [session.messages[session.path_to(place)[0]].text for place in session.turns()]
    assert prompts == [PROMPT, PROMPT + " It is noon."], "each turn has the prompt of its request"
    assert session.problems == ()

    chat = [{"role": "system", "content": "Be brief."}, ask("Gulls?"), {"role": "assistant", "content": "Nine."}]
    later = [{"role": "system", "content": "Be long."}, *chat[1:], ask("Terns?")]
    done = {"choices": [{"message": {"role": "assistant", "content": "Two."}}]}
    replied = {"choices": [{"message": chat[2]}]}
    calls = [{"request": {"model": "gpt-5", "messages": chat[:2]}, "response": replied}]
    calls.append({"request": {"model": "gpt-5", "messages": later}, "response": done})
    session = only(lines(tmp_path / "chat.jsonl", *calls))
    assert [message.text for message in session] == [
        "Be brief.",
        "Gulls?",
        "Nine.",
        "Be long.",
        "Gulls?",
        "Nine.",
        "Terns?",
        "Two.",
    ]


def test_a_compacted_history_is_a_context_of_the_same_session(tmp_path: Path) -> None:
    summary = ask("Summary so far: nine gulls were at the pier.")
    path = lines(
        tmp_path / "log.jsonl",
        call(PIER[:1], PIER[1]),
        call(PIER[:3], PIER[3], 200),
        call([*PIER, ask("And terns?")], answer("Two."), 300),
        call([summary, ask("And terns?"), answer("Two."), ask("Crows?")], answer("None."), 80),
        call(
            [summary, ask("And terns?"), answer("Two."), ask("Crows?"), answer("None."), ask("Sure?")],
            answer("Yes."),
            90,
        ),
    )
    assert last_context(path) == [PROMPT, summary["content"], "And terns?", "Two.", "Crows?", "None.", "Sure?", "Yes."]
    session = only(path)
    assert [session.messages[place].text for place in session.compactions] == [summary["content"]]
    assert sent_by(session) == [100, 200, 300, 80, 90], "each call is counted once"


def test_a_result_that_was_cleared_is_gone_from_the_context_alone(tmp_path: Path) -> None:
    cleared = seen("c1", "[cleared]")
    path = lines(
        tmp_path / "log.jsonl",
        call(PIER[:1], PIER[1]),
        call(PIER[:3], PIER[3], 200),
        call([*PIER[:2], cleared, PIER[3], ask("Sure?")], answer("Yes."), 60),
    )
    assert last_context(path)[-4:] == ["[cleared]", "Nine.", "Sure?", "Yes."]
    session = only(path)
    assert not session.compactions
    assert any(message.text.startswith("Nine gulls, and fog.") for message in session)
    assert len(session.turns()) == 3


def test_a_message_that_was_edited_is_no_summary(tmp_path: Path) -> None:
    edited = [ask("How many gulls, at noon?"), *PIER[1:], ask("Sure?")]
    path = lines(
        tmp_path / "log.jsonl",
        call(PIER[:1], PIER[1]),
        call(PIER[:3], PIER[3], 200),
        call(edited, answer("Yes."), 300),
    )
    session = only(path)
    assert not session.compactions and sent_by(session) == [100, 200, 300]
    assert last_context(path)[1] == "How many gulls, at noon?"


def test_other_conversations_of_a_log_stay_apart(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "log.jsonl",
        call(PIER[:1], answer("Nine.")),
        call([ask("Name a boat.")], answer("Gull.")),
        call([ask("How many terns?"), answer("Nine."), ask("Sure?")], answer("Yes.")),
        call([ask("Name a boat.")], answer("Tern."), system="Another."),
    )
    assert len(load(path)) == 4


def bodies(folder: Path) -> list[Path]:
    """A folder with four calls of Claude Code, one of which is another agent's; gives the files of the requests."""
    folder.mkdir()
    calls = [
        call(PIER[:1], PIER[1], 100),
        call([ask("Title?")], answer("Gulls"), 7, system="Write titles."),
        call(PIER[:3], PIER[3], 200),
        call([*PIER, ask("Sure?")], answer("Yes."), 300),
    ]
    paths = []
    for number, entry in enumerate(calls):
        name = f"{9 - number}0000000-aaaa-4bbb-8ccc-00000000000{number}"
        paths.append(write_json(folder / f"{name}.request.json", entry["request"]))
        reply = write_json(folder / f"req_{number * 7 % 4}.response.json", entry["response"])
        os.utime(paths[-1], (1000 + 2 * number, 1000 + 2 * number))
        os.utime(reply, (1001 + 2 * number, 1001 + 2 * number))
    return paths


def test_a_folder_of_raw_bodies_is_one_session_per_agent(tmp_path: Path) -> None:
    paths = bodies(tmp_path / "bodies")
    main, title = load(min(paths))
    assert sent_by(main) == [100, 200, 300]
    assert {main.messages[place].model for place in main.turns()} == {"claude-opus-4-5"}
    assert [message.text for message in main][-3:] == ["Nine.", "Sure?", "Yes."]
    assert [message.text for message in title] == ["Write titles.", "Title?", "Gulls"]
    assert find(tmp_path) == paths[:1]
    assert [len(session.messages) for session in load(paths[0])] == [len(main.messages), len(title.messages)]


def test_replies_are_joined_by_content_if_the_times_of_the_files_are_lost(tmp_path: Path) -> None:
    paths = bodies(tmp_path / "bodies")
    for file in paths[0].parent.iterdir():
        os.utime(file, (1000, 1000))
    session = next(session for session in load(min(paths)) if len(session.messages) > 3)
    assert sent_by(session) == [100, 200], "nothing tells which of the two other calls the two other replies belong to"


def test_a_growing_folder_of_raw_bodies_is_followed_and_each_file_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = bodies(tmp_path / "bodies")
    files = sorted(paths[0].parent.iterdir(), key=lambda file: file.stat().st_mtime)
    late = [(file, file.read_bytes(), file.stat().st_mtime) for file in files[2:]]
    for file, _, _ in late:
        file.unlink()
    opened: list[Path] = []

    def note_and_open(path: Path) -> Content:
        opened.append(path)
        return open_content(path)

    monkeypatch.setattr(raw_bodies, "open_content", note_and_open)
    source = FollowedFile(paths[0])
    growths = [source.poll()]
    for file, data, time in late:
        file.write_bytes(data)
        os.utime(file, (time, time))
        source._not_before = 0.0
        growths.append(source.poll())
    lengths = [len(growth.session.messages) for growth in growths if growth]
    assert lengths[0] == 3 and growths[-1] is not None
    assert sent_by(growths[-1].session) == [100, 200, 300]
    assert sorted(opened) == sorted(files)


@pytest.mark.parametrize("text", ["[]", "{", '{"messages": 3}', '{"type": "message", "content": 7}'])
def test_damaged_bodies_are_left_out(tmp_path: Path, text: str) -> None:
    paths = bodies(tmp_path / "bodies")
    for name in ("b0000000-aaaa-4bbb-8ccc-000000000009.request.json", "req_9.response.json"):
        (paths[0].parent / name).write_text(text)
    assert len(load(min(paths))) == 2
