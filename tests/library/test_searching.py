"""Searching stored and listed sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.library import Entry, Library, SearchProgress, search_sessions, target_entries
from tests.cli.calling import chat, transcript, written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "logs"
    written(place / "lamp.jsonl", transcript("lamp", turns=3))
    written(place / "many.jsonl", [chat(2), chat(3)])
    (place / "broken.json").write_text("{")
    return place


def listed(*targets: Path) -> list[Entry]:
    return [entry for entry, _ in target_entries([str(target) for target in targets])]


def found(progress: list[SearchProgress]) -> list[tuple[str, int]]:
    return [(hit.target, hit.number) for step in progress for hit in step.hits]


def test_listed_files_are_searched_without_being_stored(folder: Path) -> None:
    steps = list(search_sessions("LAMP dark", None, listed(folder)))
    hits = [hit for step in steps for hit in step.hits]
    assert {hit.target for hit in hits} == {str(folder / "lamp.jsonl")}
    assert {hit.text[a:b].casefold() for hit in hits for a, b in hit.spans} == {"lamp", "dark"}
    assert (steps[-1].is_last, steps[-1].scope) == (True, "0 stored, 3 listed")
    assert [step.is_last for step in steps[:-1]] == [False] * (len(steps) - 1)


def test_each_session_of_a_file_is_searched(folder: Path) -> None:
    names = {name for name, _ in found(list(search_sessions("night", None, listed(folder / "many.jsonl"))))}
    assert names == {f"{folder / 'many.jsonl'}#1", f"{folder / 'many.jsonl'}#2"}


def test_a_stored_session_whose_file_is_listed_is_found_once(folder: Path, tmp_path: Path) -> None:
    with Library(tmp_path / "store.db", required=True) as library:
        list(library.import_targets([str(folder)]))
        assert library.store is not None
        both = list(search_sessions("lamp dark", library.store, listed(folder / "lamp.jsonl")))
        alone = list(search_sessions("lamp dark", library.store))
    assert both[-1].scope == "2 stored, 1 listed" and alone[-1].scope == "3 stored, 0 listed"
    assert sorted(number for _, number in found(both)) == sorted(number for _, number in found(alone))
    assert {name for name, _ in found(both)} == {str(folder / "lamp.jsonl")}
    assert {name for name, _ in found(alone)} == {"lamp"}


def test_a_search_gives_no_more_than_it_was_asked_for_and_ends_when_nobody_wants_it(folder: Path) -> None:
    entries = listed(folder)
    assert len(found(list(search_sessions("a", None, entries, most=3)))) == 3
    assert found(list(search_sessions("a", None, entries, cancelled=lambda: True))) == []
    assert found(list(search_sessions("  ", None, entries))) == []


def test_a_file_that_has_gone_is_counted(folder: Path) -> None:
    entries = listed(folder)
    (folder / "lamp.jsonl").unlink()
    assert list(search_sessions("lamp", None, entries))[-1].scope == "0 stored, 2 listed, 1 unreadable"
