"""`inspector pin`, `drop` and `undo`: the stack of plans, by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import inspect, transcript, written

DELETION = ["--strategy", "deletion", "--set", "keep_recent=2"]


def fate(log: Path, number: int) -> str:
    ids = [message["id"] for message in inspect("show", log, "--recorded", "--json").json["messages"]]
    plan = inspect("compress", log, *DELETION, "--json").json
    return next(str(message["fate"]) for message in plan["messages"] if message["id"] == ids[number - 1])


def test_a_pinned_message_stays_with_what_belongs_to_it(log: Path) -> None:
    assert fate(log, 8) == "dropped"
    assert inspect("pin", log, 8).code == 0
    assert (fate(log, 7), fate(log, 8), fate(log, 9)) == ("pinned", "pinned", "dropped")
    assert "★         8 read_log" in inspect("show", log).out


def test_unpinning_lets_it_go_again(log: Path) -> None:
    inspect("pin", log, 8)
    assert inspect("pin", log, 8, "--undo").code == 0
    assert fate(log, 8) == "dropped"


def test_dropping_takes_a_call_out_with_its_results(log: Path) -> None:
    dropped = inspect("drop", log, "7", "--json").json
    assert len(dropped["dropped"]) == 2
    shown = inspect("show", log, "--json").json
    assert [message["number"] for message in shown["messages"] if message["number"] in (6, 7, 8, 9)] == [6, 9]
    assert (dropped["total"], dropped["valid"]) == (shown["window"]["total"], True)


def test_messages_are_named_by_number_range_or_id(log: Path) -> None:
    ids = [message["id"] for message in inspect("show", log, "--json").json["messages"]]
    for words in (["3-6"], ["3–6"], ["#3", "#5"], [ids[2], ids[4]]):
        assert set(inspect("drop", log, *words, "--json").json["dropped"]) == set(ids[2:6])
        inspect("undo", log)


def test_a_message_that_is_not_there_is_wrong_usage(log: Path) -> None:
    for word in ("99", "40-50", "zzz"):
        ended = inspect("pin", log, word)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err == f"There is no message '{word}' in this window. inspector show lists messages by number.\n"


def test_a_number_whose_message_is_not_in_the_window_is_no_beginning_of_an_id(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", json.loads(json.dumps(transcript()).replace("3f0c-0", "2f0c")))
    ended = inspect("pin", file, "2", "--turn", 1)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("There is no message '2' in this window")
    assert inspect("pin", file, "2f", "--turn", 1, "--json").json["pinned"] == ["2f0c"]


def test_undo_gives_back_the_very_same_window_step_by_step(log: Path) -> None:
    seen = [inspect("show", log, "--json").out]
    for words in (["drop", log, 5], ["compress", log, *DELETION, "--apply"], ["pin", log, 28]):
        assert inspect(*words).code == 0
        seen.append(inspect("show", log, "--json").out)
    while len(seen) > 1:
        assert inspect("show", log, "--json").out == seen.pop()
        assert inspect("undo", log).code == 0
    assert inspect("show", log, "--json").out == seen.pop()


def test_undo_says_what_it_undid_and_what_is_left(log: Path) -> None:
    inspect("compress", log, *DELETION, "--apply")
    undone = inspect("undo", log, "--json").json
    assert undone["undone"] == {"strategy": "deletion", "settings": {"keep_recent": 2}, "turn": 14}
    assert undone["plans"] == 0
    assert inspect("undo", log).out == "There is nothing to undo.\n"
    assert inspect("undo", log, "--json").json["undone"] is None


def test_a_plan_is_the_same_by_path_and_by_id(log: Path) -> None:
    (session,) = inspect("import", log, "--json").json["sessions"]
    inspect("drop", session["id"], 5)
    assert inspect("show", log, "--json").json["window"] == inspect("show", session["id"], "--json").json["window"]
    assert len(inspect("show", log, "--json").json["plans"]) == 1


def test_without_a_store_nothing_pretends_to_be_kept(log: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for words in (["pin", log, 3], ["drop", log, 3], ["undo", log]):
        ended = inspect(*words, "--db", tmp_path / "file" / "inspector.db")
        assert (ended.code, ended.out) == (1, "")
        assert "cannot be written" in ended.err


@pytest.mark.parametrize("command", ["pin", "drop"])
def test_messages_must_be_named(log: Path, command: str) -> None:
    assert inspect(command, log).code == 2
