"""The strings that cannot be guessed again once they are gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.summaries.identifiers import LONGEST, identifiers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("open /etc/hosts.allow now", ["/etc/hosts.allow"]),
        ("see src/app/main.py:12, then stop", ["src/app/main.py:12"]),
        ("in ./run.sh and ~/notes/a.md", ["./run.sh", "~/notes/a.md"]),
        ("get https://example.org/a/b?c=d#e.", ["https://example.org/a/b?c=d#e"]),
        ("(https://example.org/a)", ["https://example.org/a"]),
        ("order ORD-2041-b came", ["ORD-2041-b"]),
        ("commit 9f2c1ab0d3 is bad", ["9f2c1ab0d3"]),
        ("set port=8080 here", ["port=8080"]),
        ("total: 1,204.50 in all", ["total: 1,204.50"]),
        ("it costs $1,299.00 today", ["$1,299.00"]),
        ("nothing to see here", []),
        ("the years 2024 and 7", []),
        ("", []),
    ],
)
def test_identifiers_are_told_from_words(text: str, found: list[str]) -> None:
    assert list(identifiers([text])) == found


def test_identifiers_are_counted_in_the_order_of_first_sight() -> None:
    assert identifiers(["b/c.py a/b.py", "b/c.py"]) == {"b/c.py": 2, "a/b.py": 1}


def test_what_is_longer_than_any_name_is_data_and_no_identifier() -> None:
    assert identifiers(["/" + "a" * LONGEST]) == {}


@given(st.lists(st.text(alphabet="ab/.-_=:1 2\n~$", max_size=40), max_size=4))
def test_every_identifier_stands_in_the_text_as_it_is(texts: list[str]) -> None:
    for word in identifiers(texts):
        assert any(word in text for text in texts)
        assert 4 <= len(word) <= LONGEST
        assert word == word.strip()
