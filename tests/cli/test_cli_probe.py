"""`inspector probe`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.experiments.needles.needles import KINDS
from inspector.engine.strategies import STRATEGIES
from tests.cli.calling import Ended, chat, hostile_chat, inspect, process, written

SOME = ["-s", "deletion keep_recent=4", "-s", "mask_observations", "--preset", "aggressive"]
STATES = ("retained", "recoverable", "lost")


def probe(*words: object) -> Ended:
    ended = inspect("probe", *words)
    assert ended.code == 0, ended.err
    return ended


def test_the_grid_and_the_curve_add_up_to_the_needles(log: Path) -> None:
    found = probe(log, *SOME, "--depths", "0.2,0.8", "--passes", 3, "--json").json
    assert [each["class"] for each in found["needles"]] == [*KINDS, *KINDS]
    assert [each["name"] for each in found["strategies"]] == [
        "deletion keep_recent=4",
        "mask_observations",
        "aggressive",
    ]
    for each in found["strategies"]:
        assert [sum(cell[state] for state in STATES) for cell in each["grid"]] == [len(KINDS)] * 2
        first = each["curve"][0]
        for state in STATES:
            assert first[state] == sum(cell[state] for cell in each["grid"]) == each["states"].count(state)
            assert first[state] == sum(cls[state] for cls in each["classes"].values())
        assert [step["pass"] for step in each["curve"]] == [1, 2, 3]
        assert each["valid"] is True
    assert found["strategies"][0]["settings"] == {"keep_recent": 4}
    assert found["strategies"][2]["strategy"] == "sliding_window"


def test_what_was_probed_is_neither_changed_nor_stored(log: Path) -> None:
    before = log.read_bytes()
    shown = inspect("show", log, "--json").out
    probe(log, *SOME)
    assert log.read_bytes() == before
    assert inspect("show", log, "--json").out == shown
    assert "No sessions." in inspect("ls").out


def test_the_needles_stand_in_messages_of_the_session_at_their_depths(log: Path) -> None:
    found = probe(log, *SOME, "--json").json
    known = {message["id"] for message in inspect("show", log, "--json").json["messages"]}
    assert {needle["message"] for needle in found["needles"]} <= known
    assert all(needle["value"] in needle["line"] for needle in found["needles"])
    assert all(abs(needle["at"] - needle["depth"]) < 0.1 for needle in found["needles"])


def test_without_a_session_one_is_made_up_and_without_a_strategy_all_are_probed() -> None:
    found = probe("--depths", "0.1,0.9", "--passes", 2, "--json").json
    assert found["session"] is None
    assert [each["name"] for each in found["strategies"]] == list(STRATEGIES)


def test_the_same_seed_prints_the_same_and_another_one_does_not() -> None:
    words = ("-s", "sliding_window", "--passes", 2, "--json")
    assert probe(*words).out == probe(*words).out
    values = [{each["value"] for each in probe(*words, "--seed", seed).json["needles"]} for seed in (0, 1)]
    assert not values[0] & values[1]


def test_the_text_can_be_read_without_colour_in_eighty_columns(log: Path) -> None:
    text = probe(log, *SOME, "--depths", "0.1,0.5,0.9", "--classes").out
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert "39 needles, 13 at each depth" in text
    grid = {line.split()[0]: line for line in text.split("by class")[0].splitlines() if line.startswith("  ")}
    assert "·" in grid["mask_observations"]
    assert "·" in grid["deletion"]
    assert "█ retained   ▒ recoverable   · lost" in text
    assert "con dec tas err pat url id num amo dat ema sym quo" in text
    assert "after 10 compressions in a row" in text


@pytest.mark.parametrize(
    "words", [("--depths", "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,.95,1"), ("--passes", "40"), ("--passes", "1")]
)
def test_many_depths_and_many_passes_still_fit(words: tuple[str, ...]) -> None:
    text = probe(*words, "-s", "deletion", "-s", "vector_swap", "--classes").out
    assert max(map(len, text.splitlines())) <= 80


def test_the_numbers_of_the_text_are_those_of_the_json() -> None:
    words = ("-s", "deletion", "--passes", 4)
    (course,) = probe(*words, "--json").json["strategies"]
    row = [line for line in probe(*words).out.splitlines() if line.startswith("  deletion")][-1]
    assert row.split()[2:] == [f"{step['recall']:.0%}".rstrip("%") for step in course["curve"]]


def test_an_earlier_turn_can_be_probed(log: Path) -> None:
    now = probe(log, "-s", "fifo", "--json").json
    then = probe(log, "-s", "fifo", "--turn", 8, "--json").json
    assert then["turn"] == 8
    assert then["tokens"] < now["tokens"]
    assert "turn 8" in probe(log, "-s", "fifo", "--turn", 8).out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-s", "deletoin"), "Did you mean deletion?"),
        (("-s", "deletion keep_recnt=3"), "Did you mean keep_recent?"),
        (("-s", "deletion 3"), "--strategy takes a name and KEY=VALUE words, such as keep_recent=5, not '3'."),
        (("-s", "deletion 'keep"), "--strategy takes a name and KEY=VALUE words"),
        (("-s", ""), "--strategy takes a name"),
        (("--preset", "balancd"), "Did you mean balanced?"),
        (("--depths", "0.1;0.2"), "--depths takes numbers with commas between them"),
        (("--depths", "0.1,1.2"), "--depths must be between 0, the oldest end, and 1, the newest."),
        (("--depths", ","), "--depths takes numbers with commas between them, such as 0.1,0.5,0.9, not an empty list."),
        (("--depths", "0.1,nan,0.5"), "--depths must be between 0"),
        (("--depths", ",".join(f"0.{n}" for n in range(10, 30))), "--depths takes at most 12 depths, not 20."),
        (("--passes", "0"), "--passes"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(words: tuple[str, ...], says: str) -> None:
    ended = inspect("probe", *words)
    assert ended.code == 2
    assert says in ended.err
    assert ended.out == ""


def test_a_session_in_which_nobody_asks_is_refused_in_one_sentence(tmp_path: Path) -> None:
    value: dict[str, Any] = chat(2)
    value["messages"] = [message for message in value["messages"] if message["role"] != "user"]
    ended = inspect("probe", written(tmp_path / "log.json", value))
    assert ended.code == 1
    assert ended.err == "This window contains no request, so no facts can be planted in it.\n"


def test_a_hostile_session_commands_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "hostile.json", hostile_chat())
    done = process("probe", path, "--passes", 2, environment={"COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    assert not {0x1B, 0x07, 0x00, 0x7F}.intersection(done.stdout)
    assert "\u202e" not in done.stdout.decode()


def test_a_strategy_that_does_nothing_says_why(tmp_path: Path) -> None:
    small = written(tmp_path / "log.json", chat(1, 3))
    text = probe(small, "-s", "sliding_window", "--depths", "0.5", "--passes", 1).out
    assert text.endswith("  sliding_window: nothing is older than the newest 20 messages\n")
    assert "in a row" not in text


def test_needles_that_stand_far_from_their_depth_are_told_of(tmp_path: Path) -> None:
    value: dict[str, Any] = chat(1, 3)
    value["messages"][3]["content"] = "night-01-01=lit " * 400
    small = written(tmp_path / "log.json", value)
    assert re.search(r"are up to 2\d% away", probe(small, "-s", "fifo", "--depths", "0.25").out)
    assert "away" not in probe(small, "-s", "fifo", "--depths", "0.5").out
