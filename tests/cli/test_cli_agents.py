"""`inspector agents`: who wrote what, and whose prompt it went into."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import HOSTILE, inspect, written
from tests.places import ROOT

THREE = ROOT / "sessions" / "three-agents.jsonl"


def test_text_and_json_say_the_same_of_a_session_with_helpers() -> None:
    ended = inspect("agents", THREE, "--json")
    assert ended.code == 0, ended.err
    found = ended.json
    assert [row["name"] for row in found["agents"]] == ["main", "researcher-1", "coder-1", "reviewer-1"]
    pairs = {(row["writer"], row["reader"]) for row in found["matrix"]}
    assert pairs == {("main", name) for name in ("researcher-1", "coder-1", "reviewer-1")} | {
        (name, "main") for name in ("researcher-1", "coder-1", "reviewer-1")
    }
    assert all(row["turn"] and row["prompt_tokens"] == row["tokens"] * row["prompts"] for row in found["transfers"])
    assert {Path(row["what"]).name for row in found["repeats"]} == {"page.py", "phase.py"}
    assert {row["class"] for row in found["adoptions"]} >= {"date", "number"}
    text = inspect("agents", THREE, "--all").out
    assert found["summary"].split()[0] == "4" and f"{len(found['repeats'])} repeated calls" in text
    assert all(row["fact"] in text for row in found["adoptions"])
    assert "more; --all lists them" in inspect("agents", THREE).out


def test_one_agents_part_and_one_turn_word_for_word() -> None:
    whole = inspect("agents", THREE, "--json").json
    found = inspect("agents", THREE, "--agent", "main", "--turn", "3", "--json").json
    assert {row["reader"] for row in found["transfers"]} | {row["writer"] for row in found["transfers"]} >= {"main"}
    holders = {row["holder"] for row in whole["transfers"] if row["reader"] == "main" and row["turn"] == 3}
    assert {row["message"] for row in found["arrivals"]} == holders
    text = inspect("agents", THREE, "--agent", "main", "--turn", "3").out
    assert all(row["text"] in text for row in found["arrivals"])
    assert "contains no text of other agents" in inspect("agents", THREE, "--agent", "main", "--turn", "1").out
    alone = inspect("agents", THREE, "--agent", "coder-1", "--json").json
    assert all("coder-1" in (row["writer"], row["reader"]) for row in alone["transfers"])


def test_a_gate_on_work_done_twice() -> None:
    ended = inspect("agents", THREE, "--fail-repeated", "10", "--json")
    assert ended.code == 3 and "Repeated calls returned" in ended.json["missed"][0]
    assert inspect("agents", THREE, "--fail-repeated", "100000").code == 0


def test_a_session_with_one_agent_is_told_in_a_sentence(log: Path) -> None:
    ended = inspect("agents", log)
    assert ended.code == 0 and "This session has one agent" in " ".join(ended.out.split())
    found = inspect("agents", log, "--json").json
    assert (found["agents"], found["transfers"], found["certainty"]) == ([], [], "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--turn", "1"), "--turn requires --agent"),
        (("--agent", "coder-2"), "Did you mean"),
        (("--agent", "main", "--turn", "99"), "There is no turn 99"),
    ],
)
def test_wrong_words_are_told(words: tuple[str, ...], said: str) -> None:
    ended = inspect("agents", THREE, *words)
    assert ended.code == 2 and said in ended.err


def test_a_group_chat_with_hostile_names(tmp_path: Path) -> None:
    turns = [{"role": f"{name}{HOSTILE}", "content": f"{name} {HOSTILE} says so."} for name in ("Ann", "Ben", "Ann")]
    path = written(tmp_path / "chat.json", json.loads(json.dumps({"history": turns})))
    ended = inspect("agents", path, COLUMNS="40")
    assert ended.code == 0 and "\x1b" not in ended.out
    assert len(inspect("agents", path, "--json").json["agents"]) == 2
