"""A record that is repeated, dropped or moved is listed as a problem or changes nothing, as far as its fields show it.

What shows it is declared by each format (`Format.order`): this is a second reading of the same declaration. Records
without such fields can be dropped and moved unseen, which docs/formats.md says of each format.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from inspector.formats import FORMATS, UnreadableError, load
from inspector.formats.building.call_order import TurnOrder
from inspector.formats.reading.lenient_json import BrokenJSONError, complete
from inspector.formats.reading.record_order import RecordOrder
from tests.formats.samples import SAMPLES
from tests.formats.written import write_lines

RECORDINGS = Path(__file__).parent / "recordings"
TIMES = [f"2026-01-02T03:04:0{second}Z" for second in range(10)]
CALL = {"id": "c1", "type": "function", "function": {"name": "count", "arguments": "{}"}}
LONGER: dict[str, list[Any]] = {
    "codex": [
        {"timestamp": time, "type": "session_meta", "payload": {"id": "s1"}}
        if not number
        else {
            "timestamp": time,
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": ("user", "assistant")[number % 2 - 1],
                "content": [{"type": "input_text", "text": f"Words {number}."}],
            },
        }
        for number, time in enumerate(TIMES[:6])
    ],
    "pi": [
        {"type": "session", "id": "s1", "cwd": "/pier"},
        *(
            {
                "type": "message",
                "id": f"e{number}",
                "parentId": f"e{number - 1}" if number else None,
                "timestamp": time,
                "message": {"role": ("user", "assistant")[number % 2], "content": f"Words {number}."},
            }
            for number, time in enumerate(TIMES[:5])
        ),
    ],
    "copilot-cli": [
        {
            "type": ("session.start", "user.message", "assistant.message")[number and 2 - number % 2],
            "id": f"e{number}",
            "parentId": f"e{number - 1}" if number else None,
            "timestamp": time,
            "data": {"content": f"Words {number}.", "sessionId": "s1", "toolRequests": []},
        }
        for number, time in enumerate(TIMES[:6])
    ],
    "gemini-cli": [
        {"sessionId": "s1", "projectHash": "p1", "startTime": TIMES[0]},
        *(
            {
                "id": f"m{number}",
                "timestamp": time,
                "type": ("user", "gemini")[number % 2],
                "content": f"Words {number}.",
            }
            for number, time in enumerate(TIMES[:5])
        ),
    ],
    "openhands": [
        {
            "id": number,
            "timestamp": time,
            "source": ("user", "agent")[number % 2],
            "action": "message",
            "args": {"content": f"Words {number}."},
        }
        for number, time in enumerate(TIMES[:5])
    ],
    "atif": [
        {
            "schema_version": "ATIF-v1.5",
            "session_id": "s1",
            "agent": {"name": "a", "version": "1"},
            "steps": [
                {"step_id": number, "source": ("agent", "user")[number % 2], "message": f"Words {number}."}
                for number in range(1, 7)
            ],
        }
    ],
    "opencode": [
        {
            "info": {"id": "s1"},
            "messages": [
                {
                    "info": {
                        "id": f"m{number}",
                        "role": ("user", "assistant")[number % 2],
                        "time": {"created": 1_767_323_045_000 + 1_000 * number},
                    },
                    "parts": [{"type": "text", "text": f"Words {number}."}],
                }
                for number in range(6)
            ],
        }
    ],
    "openai": [
        {"role": "user", "content": "Count the gulls."},
        {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "Seven."},
        {"role": "assistant", "content": "Seven."},
    ],
}
"""Longer sessions, whose records have all fields that their programs write."""


def windows(sessions: list[Session]) -> list[Any]:
    """What was in the window of each message, however the log is ordered, and the reported usage."""
    facts = []
    for session in sessions:
        paths: list[int] = []
        for message in session:
            before = paths[message.parent] if message.parent >= 0 else 0
            paths.append(hash((before, message.role, message.kind, message.agent, message.text, str(message.usage))))
        ends = [paths[session.last_position(agent)] for agent in session.agents]
        facts.append((Counter(paths), ends, session.model))
    return facts


def at(record: Any, names: str) -> Any:
    """The first of some fields that a record has."""
    for name in names.split():
        value = record
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None


def shows_drop(order: RecordOrder, records: list[Any], place: int) -> bool:
    """Whether the records around one show that it is missing."""
    own, rest = at(records[place], order.id), records[place + 1 :]
    is_parent = own is not None and any(at(record, order.parent) == own for record in rest)
    numbers = [at(record, order.number) for record in records[max(place - 1, 0) : place + 2]]
    return is_parent or (len(numbers) == 3 and all(type(number) is int for number in numbers))


def shows_swap(order: RecordOrder, records: list[Any], place: int) -> bool:
    """Whether a record and the one after it show their order."""
    one, other = records[place : place + 2]
    own, times = at(one, order.id), (at(one, order.time), at(other, order.time))
    is_numbered = order.number and all(type(at(record, order.number)) is int for record in (one, other))
    is_parent = own is not None and at(other, order.parent) == own
    is_timed = None not in times and times[0] < times[1] and one.get("type") not in order.heads.split()
    return bool(is_numbered or is_parent or is_timed)


def damaged(order: RecordOrder, records: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Copies of some records with one of them repeated, dropped or moved where that shows."""
    for place, record in enumerate(records):
        yield f"{place + 1} doubled", [*records[: place + 1], *records[place:]]
        if shows_drop(order, records, place):
            yield f"{place + 1} dropped", [*records[:place], *records[place + 1 :]]
        if place + 1 < len(records) and shows_swap(order, records, place):
            yield f"{place + 1} moved", [*records[:place], records[place + 1], record, *records[place + 2 :]]


def list_in(records: list[Any]) -> list[Any]:
    """The list that is damaged: that of the messages in a single record, or the records."""
    inner = [value for value in records[0].values() if isinstance(value, list) and len(value) > 1]
    return inner[0] if len(records) == 1 and inner and isinstance(inner[0][0], dict) else records


@pytest.mark.parametrize("name", sorted({*LONGER, *SAMPLES} - {"letta"}))
def test_a_record_that_is_repeated_dropped_or_moved_is_a_problem_or_changes_nothing(name: str, tmp_path: Path) -> None:
    records = LONGER.get(name) or SAMPLES[name]
    part = list_in(records)
    path = write_lines(tmp_path / "x.jsonl", records)
    sound = load(path)
    before, known = windows(sound), {str(problem) for session in sound for problem in session.problems}
    assert not known or name == "unknown"
    for what, changed in damaged(FORMATS[name].order, part):
        whole = changed if part is records else [{k: changed if v is part else v for k, v in records[0].items()}]
        try:
            found = load(write_lines(path, whole))
        except UnreadableError:
            continue
        new = {str(problem) for session in found for problem in session.problems} - known
        assert new or windows(found) == before, what


def test_what_shows_that_a_call_or_its_result_is_missing(tmp_path: Path) -> None:
    ask, call, result, reply = LONGER["openai"]
    for records in ([ask, result, reply], [ask, call, result, call | {"tool_calls": [CALL | {"id": "c2"}]}, reply]):
        (session,) = load(write_lines(tmp_path / "x.jsonl", records))
        assert ["records may be missing" in problem.text for problem in session.problems] == [True]
    (session,) = load(write_lines(tmp_path / "x.jsonl", [ask, call, result, call | {"tool_calls": [CALL]}]))
    assert session.problems == (), "what comes last may be answered later"


def problems_of(path: Path) -> list[str]:
    return [str(problem) for session in load(path) for problem in session.problems]


TALK = [{"role": ("user", "assistant")[number % 2], "content": f"Words {number}."} for number in range(9)]


def test_turns_show_a_dropped_and_a_moved_message_of_a_chat_without_ids(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert problems_of(write_lines(path, TALK)) == []
    (dropped,) = problems_of(write_lines(path, [*TALK[:4], *TALK[5:]]))
    assert "two messages of the assistant in a row" in dropped
    (moved,) = problems_of(write_lines(path, [*TALK[:4], TALK[5], TALK[4], *TALK[6:]]))
    assert "two messages of the assistant in a row" in moved
    impatient = [*TALK[:3], TALK[4], TALK[5], TALK[7], TALK[6], TALK[8]]
    assert problems_of(write_lines(path, impatient)) == [], "they do not take turns"


def test_turns_show_a_dropped_message_in_a_growing_file(tmp_path: Path) -> None:
    order = TurnOrder()
    (session,) = load(write_lines(tmp_path / "x.jsonl", [*TALK[:4], *TALK[5:]]))
    messages = session.messages
    counts = [len(order.problems(messages[:end], max(end - 1, 0))) for end in range(9)]
    assert counts == [0] * 5 + [1] * 4
    assert order.problems(messages[:4], 4) == []
    assert order.problems(messages, 4) == TurnOrder().problems(messages)


@pytest.mark.parametrize("name", ["timestamp", "created_at", "message_index", "index"])
def test_usual_fields_show_the_order_of_records_of_a_format_that_declares_none(name: str, tmp_path: Path) -> None:
    values = TIMES if name in ("timestamp", "created_at") else range(9)
    records = [record | {name: value} for record, value in zip(TALK, values, strict=False)]
    path = tmp_path / "x.jsonl"
    assert problems_of(write_lines(path, records)) == []
    swapped = problems_of(write_lines(path, [records[0], records[2], records[1], *records[3:]]))
    assert any("is out of order" in problem or "is earlier than" in problem for problem in swapped)


@pytest.mark.parametrize("values", [[7, 7, 7, 7, 7, 7, 7, 7, 7], [1, 90, 4, 33, 7, 2, 5, 80, 6]])
def test_a_field_that_does_not_number_the_records_shows_nothing(values: list[int], tmp_path: Path) -> None:
    records = [record | {"index": value} for record, value in zip(TALK, values, strict=True)]
    assert problems_of(write_lines(tmp_path / "x.jsonl", records)) == []


def test_a_first_number_shows_that_records_before_it_are_missing(tmp_path: Path) -> None:
    steps = [{"step_id": number, "source": "user", "message": f"Words {number}."} for number in (2, 3, 4)]
    run = {"schema_version": "ATIF-v1.5", "session_id": "s1", "agent": {"name": "a", "version": "1"}, "steps": steps}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(run))
    assert problems_of(path) == ["element 1 of steps is out of order: number 2 is the first"]


def test_a_message_that_makes_a_call_twice(tmp_path: Path) -> None:
    ask, call, result, reply = LONGER["openai"]
    path = write_lines(tmp_path / "x.jsonl", [ask, call | {"tool_calls": [CALL, CALL]}, result, reply])
    assert [problem for problem in problems_of(path) if "call c1 is made twice by a message" in problem]


GROUP = [
    {"role": "human", "content": "Find the ferry."},
    *(
        {"role": role, "content": f"Words of {role} {number}."}
        for number in range(2)
        for role in ("Lead (-> Surfer)", "Surfer", "Lead (-> Coder)", "Coder")
    ),
]


def test_addressees_and_a_marked_mistake_show_that_turns_of_a_group_are_missing(tmp_path: Path) -> None:
    chat = {"history": GROUP, "mistake_agent": "surfer", "mistake_step": "6"}
    path = tmp_path / "x.json"

    def read(turns: list[Any]) -> str:
        path.write_text(json.dumps(chat | {"history": turns}))
        return " ".join(problems_of(path))

    assert read(GROUP) == ""
    assert "turn 4: Coder speaks without a message to it" in read([*GROUP[:3], GROUP[4], GROUP[3], *GROUP[5:]])
    assert "its mistake is step 6 of surfer, who does not speak there" in read([*GROUP[:2], *GROUP[3:]])


def test_the_trajectory_of_swe_agent_shows_that_a_reply_is_missing(tmp_path: Path) -> None:
    replies = [{"role": "assistant", "content": f"I run {n}.", "action": f"run {n}"} for n in range(3)]
    rows = [{"role": "user", "content": "Go."}]
    for number, reply in enumerate(replies):
        rows += [reply, {"role": "user", "content": f"Ran {number}."}]
    steps = [{"action": f"run {n}", "observation": f"Ran {n}.", "response": f"I run {n}."} for n in range(3)]
    path = tmp_path / "x.traj"
    run = {"trajectory": steps, "info": {}}
    path.write_text(json.dumps(run | {"history": rows}))
    assert problems_of(path) == []
    path.write_text(json.dumps(run | {"history": [*rows[:3], *rows[4:]]}))
    assert any("reply 2 of the history is not that of step 2" in problem for problem in problems_of(path))


STORY = "The gulls of the pier were counted at dawn. " * 20


@pytest.mark.parametrize("name", sorted(LONGER))
@pytest.mark.parametrize("share", [25, 50, 75, 95])
def test_a_file_that_was_cut_off_opens_up_to_the_cut(name: str, share: int, tmp_path: Path) -> None:
    text = json.dumps(LONGER[name]).replace("Words", STORY).replace("I look.", STORY).replace("Count the", STORY)
    records = json.loads(text)
    path = write_lines(tmp_path / "x.json", records)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * share // 100].rstrip(b"}\n"))
    problems = [str(problem) for session in load(path) for problem in session.problems]
    assert any("cut off" in problem for problem in problems)


@pytest.mark.parametrize("name", sorted(name for name, records in SAMPLES.items() if len(records) == 1))
def test_a_document_that_was_cut_off_in_the_reply_opens_in_every_format(name: str, tmp_path: Path) -> None:
    text = json.dumps(SAMPLES[name][0])
    path = tmp_path / "x.json"
    path.write_text(text[: text.index("There are three") + 9])
    problems = [str(problem) for session in load(path) for problem in session.problems]
    assert any("cut off" in problem for problem in problems)


def test_a_text_of_json_that_was_cut_off_keeps_its_last_string() -> None:
    assert complete(b'{"a": [1, {"b": "two\\u00') == {"a": [1, {"b": "two"}]}
    assert complete(b'{"a": 12, "b": {"c"') == {"a": 12, "b": {}}
    assert complete(b'[true, "x", 12') == [True, "x"], "a number may go on"
    with pytest.raises(BrokenJSONError):
        complete(b'{"a": ]')


def test_a_record_that_was_cut_off_may_be_nested_deeply(tmp_path: Path) -> None:
    header = {"type": "session", "version": 3, "id": "a", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x"}
    path = write_lines(tmp_path / "x.jsonl", [header])
    message = '{"type": "message", "id": "b", "parentId": null, "message": {"role": "user", "content": "Hi", "more": '
    path.write_text(path.read_text() + message + "[" * 400)
    (session,) = load(path)
    assert [message.text for message in session.messages] == ["Hi"]


def test_a_refusal_names_the_format_after_the_whole_path(tmp_path: Path) -> None:
    (tmp_path / "hashes").mkdir()
    header = {"type": "session", "version": 3, "id": "a", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x"}
    model = {"type": "model_change", "id": "c", "parentId": None, "provider": "x", "modelId": "m"}
    path = write_lines(tmp_path / "hashes" / "x.jsonl", [header, model])
    with pytest.raises(UnreadableError) as refusal:
        load(path)
    assert str(refusal.value).startswith(f"{path} is of the format ")


def test_a_chat_of_gemini_cli_that_was_cut_off_in_its_first_reply_opens(tmp_path: Path) -> None:
    asked = {"content": "Count the gulls.", "id": "u1", "timestamp": "2026-01-01T00:00:00Z", "type": "user"}
    text = json.dumps({"lastUpdated": "2026-01-01T00:00:09Z", "messages": [asked]})
    path = tmp_path / "session.json"
    path.write_text(text.removesuffix("]}") + ', {"content": "Tw')
    (session,) = load(path)
    assert (session.format, session.messages[0].text) == ("gemini-cli", "Count the gulls.")
    assert any("cut off" in problem.text for problem in session.problems)
