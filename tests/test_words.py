"""Users' strings are plain technical English, as far as `tests/words.py` can recognise the opposite."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from tests.words import TURNS, Turn, UserString, catalogue, docstrings, words

MAX_TURNS = {"engine": 1, "store": 3}
"""Maximum unidiomatic turns in the strings of each room; rooms that are not listed have none. Lower these numbers."""
MAX_CLAUSES: dict[str, int] = {}
"""Maximum docstrings that begin with a clause in place of a summary, likewise."""
CLAUSE = re.compile(r"(?:What|How|Whether|Where)\b")


@cache
def user_strings() -> list[UserString]:
    return list(catalogue())


@cache
def all_docstrings() -> list[UserString]:
    return list(docstrings())


def excess(found: Counter[str], limits: dict[str, int]) -> dict[str, int]:
    """Return the rooms that exceed their limits."""
    return {room: count for room, count in found.items() if count > limits.get(room, 0)}


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.name)
def test_a_rule_finds_its_bad_example_only(turn: Turn) -> None:
    assert turn.pattern.search(turn.bad)
    assert not turn.pattern.search(turn.good)


def test_strings_have_no_more_unidiomatic_turns() -> None:
    found = Counter(string.room for string in user_strings() for _ in string.turns())
    over = excess(found, MAX_TURNS)
    places = [
        f"{string.path}:{string.line} {string.turns()}"
        for string in user_strings()
        if string.turns() and string.room in over
    ]
    assert not over, "\n".join(places)


def test_docstrings_begin_with_a_summary() -> None:
    clauses = [string for string in all_docstrings() if CLAUSE.match(string.text)]
    over = excess(Counter(string.room for string in clauses), MAX_CLAUSES)
    assert not over, "\n".join(f"{string.path}:{string.line}" for string in clauses if string.room in over)


def test_the_catalogue_has_the_strings_of_all_front_ends() -> None:
    rooms = Counter(string.room for string in user_strings())
    assert rooms["cli"] > 300 and rooms["ui"] > 300 and rooms["formats"] > 300
    texts = {string.text for string in user_strings()}
    assert "Show what is in the context window." in texts, "one line of a command's help"
    assert any(text.startswith("There is no turn {}") for text in texts), "an f-string"
    assert sum(words(text) for text in texts) > 15_000


def test_documentation_and_patterns_are_not_in_the_catalogue() -> None:
    assert not any("(?:" in string.text for string in user_strings())
    documentation = {string.text for string in all_docstrings()}
    assert not {string.text for string in user_strings() if string.room != "cli"} & documentation


def test_a_string_is_named_by_its_place() -> None:
    string = UserString("cli/commands/show.py", 3, "Nobody told it.")
    assert string.room == "cli"
    assert string.turns() == ["tells (states, shows)", "nobody (no one)"]
