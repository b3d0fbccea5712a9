"""`inspector memory PATH` and `memory stores`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import HOSTILE, inspect
from tests.cli.commands import RAW
from tests.formats.memory_samples import mem0, rule_folder, rules


def test_a_path_in_place_of_a_command_lists_its_memories(tmp_path: Path) -> None:
    path = mem0(tmp_path)
    ended = inspect("memory", path)
    assert ended.code == 0 and "The lamp is green." in ended.out and "deleted" in ended.out
    assert inspect("memory", "open", path, "--json").json["stores"][0]["items"][0]["history"][1]["after"]


def test_the_stores_of_a_folder_are_listed_with_their_sizes(tmp_path: Path) -> None:
    ended = inspect("memory", "stores", rule_folder(tmp_path / "folder"), "--json")
    kinds = [(store["kind"], store["items"]) for store in ended.json["stores"]]
    assert sorted(kinds) == [("mem0", 1), ("notes", 2), ("rule-file", 1), ("rule-file", 4)]
    assert ended.json["tokens"] > 10


def test_hostile_rules_reach_the_terminal_without_control_characters(tmp_path: Path) -> None:
    path = rules(tmp_path)
    path.write_text(f"{path.read_text()}- {HOSTILE}\n" + 40 * "Be brief. ", encoding="utf-8", errors="replace")
    ended = inspect("memory", path)
    assert ended.code == 0 and not RAW.search(ended.out)


@pytest.mark.parametrize("words", [["open", "nothing"], ["./nothing"]])
def test_a_missing_path_is_an_error(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ended = inspect("memory", *words)
    assert (ended.code, ended.err.strip()) == (1, f"{Path(words[-1])} does not exist.")
