"""LoCoMo dialogues, as sessions and with their questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.window import at_turn, problems as window_problems
from inspector.formats import UnreadableError, load, read_dialogues
from inspector.llm.tokens import estimate_sizes
from tests.dialogues import dialogue, turn
from tests.formats.written import only, write_json


def test_a_dialogue_becomes_a_session_whose_ids_are_its_own(tmp_path: Path) -> None:
    one, two = load(write_json(tmp_path / "x", [dialogue(days=11, turns=4), dialogue(name="conv-1")]))
    assert (one.format, one.id, one.title, one.line, two.id) == ("locomo", "conv-1", "Ann and Ben", 1, "conv-1-2")
    assert [message.id for message in one][:5] == ["D1:1", "D1:2", "D1:3", "D1:4", "D2:1"]
    assert [message.id for message in one][-1] == "D11:4", "days are in the order of their numbers"
    assert [(message.role, message.raw["name"]) for message in one][:2] == [("user", "Ann"), ("assistant", "Ben")]


def test_dates_and_captions_are_text(tmp_path: Path) -> None:
    session = only(write_json(tmp_path / "x", [dialogue()]))
    assert session.by_id["D1:1"].text.startswith("1:11 pm on 1 May, 2023\n\nToday")
    assert session.by_id["D1:3"].text.endswith("Okafor.\n\n[picture: a boat on a lake]")
    assert "pm on" not in session.by_id["D1:2"].text


def test_who_speaks_first_is_the_user(tmp_path: Path) -> None:
    record = dialogue()
    record["conversation"] |= {"speaker_a": "Ben", "speaker_b": "Ann"}
    session = only(write_json(tmp_path / "x", record))
    assert (session.messages[0].role, session.title) == ("user", "Ben and Ann")
    assert window_problems(at_turn(session, estimate_sizes(session))) == ()


def test_questions_name_messages(tmp_path: Path) -> None:
    [found] = read_dialogues(write_json(tmp_path / "x", [dialogue()]))
    by_text = {question.text: question for question in found.questions}
    assert by_text["When did they meet?"].evidence == ("D6:3", "D1:5")
    assert by_text["How many?"].answer == "2023"
    assert by_text["How many?"].evidence == ()
    assert by_text["Why?"].answer == "", "the dialogue does not answer an adversarial question"


def test_evidence_in_one_string_is_read_apart(tmp_path: Path) -> None:
    record = dialogue() | {"qa": [{"question": "?", "answer": "x", "evidence": ["D1:6; D2:7", "D"], "category": 1}]}
    [found] = read_dialogues(write_json(tmp_path / "x", record))
    assert found.questions[0].evidence == ("D1:6", "D2:7")


def test_what_is_no_turn_is_told(tmp_path: Path) -> None:
    record = dialogue()
    record["conversation"]["session_2"].insert(1, {"text": "who says that?"})
    record["conversation"]["session_4"] = [turn(4, 1, "Hi."), None, {"speaker": 3, "text": ["odd"], "dia_id": 7}]
    session = only(write_json(tmp_path / "x", record))
    assert [str(problem) for problem in session.problems] == [
        "turn 2 of day 2 was left out: it has no speaker",
        "turn 2 of day 4 was left out: it has no speaker",
        "element 3 of session_4 is out of order: number 7 follows 1",
    ]
    assert "D4:3" in session.by_id


def test_a_name_that_no_provider_takes_is_written_so_that_it_does(tmp_path: Path) -> None:
    record = dialogue()
    for line in record["conversation"]["session_1"]:
        line["speaker"] = {"Ann": "Ann <Lee> Øre\x1b[2J", "Ben": " / "}[line["speaker"]]
    session = only(write_json(tmp_path / "x", record))
    assert session.messages[0].raw["name"] == "Ann_Lee_Øre_2J"
    assert "name" not in session.messages[1].raw
    assert window_problems(at_turn(session, estimate_sizes(session))) == ()


@pytest.mark.parametrize("qa", [None, 7, [None, {"category": "x"}, {"category": 4, "evidence": 7}]])
def test_questions_that_cannot_be_read_are_left_out(tmp_path: Path, qa: object) -> None:
    [found] = read_dialogues(write_json(tmp_path / "x", dialogue() | {"qa": qa}))
    assert all(question.evidence == () for question in found.questions)


def test_a_file_without_dialogues_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="holds no LoCoMo dialogue"):
        read_dialogues(write_json(tmp_path / "x", [{"conversation": {"session_1": []}}]))


def test_two_days_of_one_number_stand_one_behind_the_other(tmp_path: Path) -> None:
    record = dialogue(days=1)
    days = record["conversation"]
    days["session_01"] = [{**entry, "dia_id": f"{entry['dia_id']}b"} for entry in days["session_1"]]
    ids = [message.id for message in only(write_json(tmp_path / "x", record))]
    assert ids == [entry["dia_id"] for entry in (*days["session_1"], *days["session_01"])]
