"""`inspector compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Ended, chat, hostile_chat, inspect, process, written

TIGHT = """
[tight]
threshold = 2000
keep_recent = 4

[masks]
threshold = 2000
strategy = "mask_observations"

[drops]
threshold = 2000
keep_recent = 4
strategy = "deletion"
"""


@pytest.fixture(autouse=True)
def _presets(tmp_path: Path) -> None:
    path = tmp_path / "settings" / "presets.toml"
    path.parent.mkdir(parents=True)
    path.write_text(TIGHT)


def compare(*words: object) -> Ended:
    ended = inspect("compare", *words)
    assert ended.code == 0, ended.err
    return ended


def lanes_of(text: str) -> list[str]:
    """The lines of the lanes, without what stands above and below them."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.lstrip().startswith("turn "))
    return lines[start + 1 : next(place for place, line in enumerate(lines) if "◆ compressed" in line)]


BOTH = ("--preset", "tight", "--preset", "masks")


def test_both_sides_are_told_turn_by_turn(log: Path) -> None:
    found = compare(log, *BOTH, "--json").json
    assert (found["left"]["preset"], found["right"]["preset"]) == ("tight", "masks")
    assert [pair["turn"] for pair in found["turns"]] == list(range(1, found["left"]["turns"] + 2))
    for side in ("left", "right"):
        sent = [pair[side] for pair in found["turns"][:-1]]
        assert found[side]["tokens_sent"] == sum(sent)
        assert found[side]["peak"] == max(sent)
        assert found[side]["compressions"] >= 1
        assert found[side]["valid"] is True


def test_the_first_difference_is_where_the_windows_part(log: Path) -> None:
    found = compare(log, *BOTH, "--json").json
    turn = found["first"]["turn"]
    assert [pair["same"] for pair in found["turns"][:turn]] == [True] * (turn - 1) + [False]
    assert found["first"]["left"]["kind"] == "summary"
    text = compare(log, *BOTH).out
    assert f"They first differ at turn {turn}." in text
    assert "tokens by sliding_window" in text


def test_what_one_kept_and_the_other_lost_is_told_by_fate(log: Path) -> None:
    found = compare(log, *BOTH, "--json").json
    kept = found["kept"]["right"]
    assert {each["left"] for each in kept} == {"summarised"}
    assert {each["right"] for each in kept} <= {"kept", "masked"}
    assert {each["id"] for each in kept} <= {each["id"] for each in inspect("show", log, "--json").json["messages"]}
    assert sum(found["fates"]["left"].values()) == sum(found["fates"]["right"].values()) == 28
    text = compare(log, *BOTH).out
    assert f"masks keeps more of {len(kept)} messages, {sum(each['tokens'] for each in kept):,} tokens" in text
    assert "--all lists them" in text
    assert len(compare(log, *BOTH, "--all").out.splitlines()) > len(text.splitlines())


def test_fates_are_told_of_the_turn_that_is_asked_for(log: Path) -> None:
    assert compare(log, *BOTH, "--turn", 1, "--json").json["kept"] == {"left": [], "right": []}
    assert "at turn 1 " in compare(log, *BOTH, "--turn", 1).out
    ended = inspect("compare", log, *BOTH, "--turn", 99)
    assert (ended.code, ended.err) == (2, "There is no turn 99. The last turn is 14.\n")


def test_one_preset_is_compared_with_what_was_recorded(log: Path) -> None:
    found = compare(log, "--preset", "none", "--json").json
    assert (found["left"]["preset"], found["right"]["preset"]) == ("recorded", "none")
    assert found["first"] is None
    assert "Every window is the same on both sides." in compare(log, "--preset", "none").out


def test_two_sessions_are_compared_as_they_were_recorded(tmp_path: Path) -> None:
    value: dict[str, Any] = chat()
    one = written(tmp_path / "one.json", value)
    value["messages"][12]["content"] = "Reading another month."
    other = written(tmp_path / "other.json", value)
    found = compare(one, other, "--json").json
    assert {found[side]["preset"] for side in ("left", "right")} == {"recorded"}
    assert found["first"]["same_before"] == 12
    assert found["first"]["right"]["preview"].startswith("Reading another month.")
    assert [len(found["alone"][side]) for side in ("left", "right")] == [1, 1]
    text = compare(one, other).out
    assert text.count("alone received 1 message") == 2
    assert "message 13: assistant: Reading another month." in text


def test_turns_of_two_sessions_are_next_to_each_other_by_their_actions(tmp_path: Path) -> None:
    value: dict[str, Any] = chat()
    one = written(tmp_path / "one.json", value)
    del value["messages"][4:8]
    other = written(tmp_path / "other.json", value)
    found = compare(one, other, "--json").json
    pairs = [(row["left"], row["right"]) for row in found["aligned"]]
    last = found["left"]["turns"] + 1
    assert pairs == [(1, 1), (2, None), (3, None), *((turn, turn - 2) for turn in range(4, last + 1))]
    assert [row["right_action"] for row in found["aligned"][1:3]] == ["", ""]
    gaps = [line for line in compare(one, other).out.splitlines() if " < " in f"{line} "]
    assert [line.split()[0] for line in gaps] == ["2", "3", "="], "two turns, and the legend"
    at = compare(one, other, "--turn", 3, "--json").json["at"]
    assert at == [3, 1], "a gap: the turn before it"


def test_long_sessions_fold_turns_of_one_kind_into_a_line(tmp_path: Path) -> None:
    value: dict[str, Any] = chat(70)
    one = written(tmp_path / "one.json", value)
    del value["messages"][40:100]
    other = written(tmp_path / "other.json", value)
    text = compare(one, other).out
    assert "and 29 more turns" in text and "--all lists them" not in text
    assert len(compare(one, other, "--all").out.splitlines()) > len(text.splitlines()) + 60


def test_two_sessions_may_have_one_preset_or_one_each(log: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other.json", chat(6))
    same = compare(log, other, "--preset", "tight", "--json").json
    each = compare(log, other, *BOTH, "--json").json
    assert [same[side]["preset"] for side in ("left", "right")] == ["tight", "tight"]
    assert [each[side]["preset"] for side in ("left", "right")] == ["tight", "masks"]
    assert same["left"] == each["left"]


def test_a_session_beside_itself_is_the_same(log: Path) -> None:
    found = compare(log, log, "--json").json
    assert found["first"] is None
    assert found["alone"] == {"left": [], "right": []}


def test_the_lanes_fit_into_eighty_columns_and_say_without_colour_what_differs(log: Path) -> None:
    text = compare(log, *BOTH).out
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    lanes = lanes_of(text)
    assert len(lanes) == 14
    turn = compare(log, *BOTH, "--json").json["first"]["turn"]
    assert [" = " in line for line in lanes] == [number < turn for number in range(1, 15)]
    assert "◆" in lanes[turn - 1]


def test_many_turns_share_lines_and_a_line_begins_where_they_first_differ(tmp_path: Path) -> None:
    path = written(tmp_path / "long.json", chat(90, 8))
    found = compare(path, *BOTH, "--json").json
    text = compare(path, *BOTH).out
    rows = lanes_of(text)
    assert len(rows) <= 30
    starts = [int(row.split()[0].split("–")[0]) for row in rows]
    assert found["first"]["turn"] in starts
    unfolded = compare(path, *BOTH, "--all").out
    assert len(lanes_of(unfolded)) == len(found["turns"]) > 90


@pytest.mark.parametrize("columns", [40, 60, 120])
def test_any_width_will_do(log: Path, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert "They first differ" in compare(log, *BOTH).out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Name two presets with --preset, or a second session."),
        (("--preset", "tight", "--preset", "tight"), "Both sides are tight: name another preset, or a second session."),
        (("--preset", "tihgt"), "Did you mean tight?"),
        (("--preset", "tight") * 3, "compare requires one or two sessions, and at most two presets."),
        (("--preset", "tight", "--agent", "nobody"), "There is no agent 'nobody' in this session"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(log: Path, words: tuple[str, ...], says: str) -> None:
    ended = inspect("compare", log, *words)
    assert ended.code == 2
    assert says in ended.err
    assert ended.out == ""


def test_hostile_sessions_command_nothing(log: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "hostile.json", hostile_chat())
    for words in ((path, log), (path, "--preset", "none"), (log, path, "--json")):
        done = process("compare", *words, environment={"COLUMNS": "80"})
        assert done.returncode == 0, done.stderr
        assert not {0x1B, 0x07, 0x00, 0x7F}.intersection(done.stdout)
        assert "\u202e" not in done.stdout.decode()


def test_neither_source_is_written_to(log: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other.json", chat(6))
    before = log.read_bytes(), other.read_bytes()
    compare(log, other)
    assert (log.read_bytes(), other.read_bytes()) == before
    assert "No sessions." in inspect("ls").out


def test_facts_that_only_one_window_still_tells_are_named(log: Path) -> None:
    found = compare(log, "--preset", "drops", "--preset", "none", "--json").json
    assert found["facts_kept"]["left"] == []
    kept = found["facts_kept"]["right"]
    assert {(each["left"], each["right"]) for each in kept} == {("lost", "retained")}
    for cls, sides in found["facts"].items():
        assert sum(sides["left"].values()) == sum(sides["right"].values())
        assert sides["right"]["retained"] - sides["left"]["retained"] == sum(each["class"] == cls for each in kept)
    text = compare(log, "--preset", "drops", "--preset", "none").out
    assert f"none retains {len(kept)} facts that drops lost" in text


def test_what_was_lost_and_used_again_on_one_side_only_is_told(log: Path) -> None:
    value: dict[str, Any] = chat()
    value["messages"][3]["content"] += "\nThe keeper's book is /pier/books/keeper-1871.txt"
    value["messages"] += [
        {"role": "assistant", "content": "I look into /pier/books/keeper-1871.txt again."},
        {"role": "user", "content": "Thank you."},
    ]
    words = (written(log.parent / "again.json", value), "--preset", "drops", "--preset", "none")
    missed, *_ = compare(*words, "--json").json["regrets"]["left"]
    assert (missed["class"], missed["fact"]) == ("path", "/pier/books/keeper-1871.txt")
    assert missed["lost_at"] < missed["turn"]
    text = compare(*words).out
    assert "drops alone has 1 regret" in text
    assert max(map(len, text.splitlines())) <= 80
