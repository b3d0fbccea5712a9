"""`inspector count`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cli.calling import HOSTILE, hostile_chat, inspect, transcript, written


def methods(target: Path, *words: object) -> dict[str, dict[str, Any]]:
    found = inspect("count", target, "--json", *words).json["methods"]
    return {method["how"] if method["name"] == "characters" else method["name"]: method for method in found}


def test_the_ways_of_counting_stand_side_by_side(log: Path) -> None:
    found = methods(log)
    assert list(found) == ["reported", "tiktoken", "4 characters a token", "tokenizer", "calibrated"]
    assert found["tokenizer"]["tokens"] == found["tiktoken"]["tokens"] == found["calibrated"]["tokens"]
    assert found["reported"]["note"] == "No call reported its usage."


def test_the_count_is_the_one_that_show_shows(log: Path) -> None:
    assert methods(log)["calibrated"]["tokens"] == inspect("show", log, "--json").json["window"]["total"]


def test_each_error_is_told_where_usage_was_reported(tmp_path: Path) -> None:
    found = methods(written(tmp_path / "agent.jsonl", transcript(turns=6)))
    assert found["reported"]["tokens"] == 15_000 + 60 * 6 + 5
    assert found["reported"]["error_pct"] == 0.0
    assert found["tiktoken"]["error_pct"] > 0
    assert found["tokenizer"]["note"] == "The tokenizer of anthropic models is not public."
    assert {"3.5 characters a token", "4 characters a token"} <= found.keys()


def test_the_text_has_a_line_for_each_and_fits_the_terminal(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript(turns=6))
    for columns in (60, 80, 110):
        out = inspect("count", file, COLUMNS=str(columns)).out
        assert max(map(len, out.splitlines())) <= columns
    assert "6 windows with a reported size" in out
    for name in ("reported", "tiktoken", "characters", "tokenizer", "calibrated"):
        assert any(line.startswith(f"  {name} ") for line in out.splitlines())
    assert "The recording does not contain the system prompt and the tools" in " ".join(out.split())


def test_it_is_the_same_from_a_file_and_from_the_store(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript("77aa-lamp"))
    read = methods(file)
    inspect("import", file)
    assert methods(Path("77aa")) == read


def test_an_agent_that_is_not_there_is_wrong_usage(log: Path) -> None:
    ended = inspect("count", log, "--agent", "mian")
    assert (ended.code, ended.out) == (2, "")


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    ended = inspect("count", tmp_path / "missing.json")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)


def test_nothing_in_a_recording_commands_the_terminal(tmp_path: Path) -> None:
    file = written(tmp_path / "evil.json", hostile_chat())
    for words in ((), ("--json",)):
        out = inspect("count", file, *words).out
        assert not set(out) & set(HOSTILE) & {"\x1b", "\x9b", "\u202e", "\u2066", "\x00", "\x7f"}
