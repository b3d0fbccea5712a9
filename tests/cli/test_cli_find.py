"""`inspector find` and `inspector bookmarks`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Ended, inspect


def numbers(ended: Ended) -> list[int]:
    return [hit["number"] for hit in ended.json["hits"]]


def test_messages_are_found_by_words_and_facts(log: Path) -> None:
    shown = inspect("show", log, "--json").json["messages"]
    answers = [message["number"] for message in shown if message["role"] == "tool"]
    assert numbers(inspect("find", log, "role:tool", "--json")) == answers
    assert numbers(inspect("find", log, "--role", "tool", "--json")) == answers
    both = numbers(inspect("find", log, "tool:read_log", "--json"))
    assert set(answers) <= set(both) and len(both) > len(answers)
    assert numbers(inspect("find", log, "tool:read_log", "-role:tool", "--json")) == sorted({*both} - {*answers})
    large = max(message["tokens"] for message in shown)
    hits = inspect("find", log, f">{large - 1}", "--json").json["hits"]
    assert hits and all(hit["tokens"] == large for hit in hits)


def test_the_text_says_where_they_stand_and_shows_the_words(log: Path) -> None:
    first = inspect("show", log, "--json").json["messages"][1]
    word = first["preview"].split()[0] if "preview" in first else "the"
    ended = inspect("find", log, word)
    assert ended.code == 0 and "turn" in ended.out.splitlines()[0]
    assert inspect("find", log, "nowhere-to-be-found").out.startswith("None of ")
    few = inspect("find", log, "role:tool", "--most", 1).out.splitlines()
    assert len(few) == 3 and "--most" in few[-1]


def test_a_turn_has_what_its_window_has(log: Path) -> None:
    window = inspect("show", log, "--turn", 2, "--json").json["messages"]
    ended = inspect("find", log, "-xyzzy", "--turn", 2, "--json")
    assert numbers(ended) == [message["number"] for message in window]
    assert ended.json["messages"] == len(window)
    assert all(hit["turn"] <= 2 for hit in ended.json["hits"])


@pytest.mark.parametrize("words", [["kind:poem"], [">1x"], ["--sort"], [], ["x", "--turn", "999"]])
def test_what_is_no_query_is_told(log: Path, words: list[str]) -> None:
    ended = inspect("find", log, *words)
    assert ended.code == 2 and ended.err.strip().endswith(".")


def test_bookmarks_are_kept_listed_found_and_taken_away(log: Path) -> None:
    assert inspect("bookmarks", "ls").out.startswith("No bookmarks")
    assert inspect("bookmarks", "ls", log).out.startswith("No bookmarks")
    added = inspect("bookmarks", "add", log, 3, "read", "this", "again", "--json").json
    assert added["changed"] == [3] and [mark["note"] for mark in added["bookmarks"]] == ["read this again"]
    inspect("bookmarks", "add", log, 5)
    inspect("bookmarks", "add", log, 3, "changed")
    for words in ([log], [added["session"]], []):
        listed = inspect("bookmarks", "ls", *words, "--json").json["bookmarks"]
        assert [(mark["number"], mark["note"]) for mark in listed] == [(3, "changed"), (5, "")]
    assert "changed" in inspect("bookmarks", "ls").out
    assert [hit["note"] for hit in inspect("find", log, "bookmarked", "--json").json["hits"]] == ["changed", ""]
    assert "• changed" in inspect("find", log, "bookmarked").out
    assert inspect("bookmarks", "rm", log, 3, 4, "--json").json["changed"] == [3]
    assert numbers(inspect("find", log, "bookmarked", "--json")) == [5]
    assert inspect("bookmarks", "add", log, 9999).code == 2


def test_a_session_that_is_not_stored_has_none_to_take_away(log: Path) -> None:
    assert inspect("bookmarks", "rm", log, 1, "--json").json["changed"] == []
    assert inspect("ls", "--json").json["sessions"] == []
