"""The strings that cannot be guessed again once they are gone."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inspector.engine.summaries.extractive.gist import MAX_LINE_LENGTH, identifiers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("open /etc/hosts.allow now", ["/etc/hosts.allow"]),
        ("see src/app/main.py:12, then stop", ["src/app/main.py:12"]),
        ("in ./run.sh and ~/notes/a.md", ["./run.sh", "~/notes/a.md"]),
        ("from file:///etc/motd too", ["/etc/motd"]),
        ("get https://example.org/a/b?c=d#e.", ["https://example.org/a/b?c=d#e"]),
        ("(https://example.org/a)", ["https://example.org/a"]),
        ("order ORD-2041-b came", ["ORD-2041-b"]),
        ("job 0b7e1c52-9f2c-4a1b-8d3e-5f6a7b8c9d0e ran", ["0b7e1c52-9f2c-4a1b-8d3e-5f6a7b8c9d0e"]),
        ("commit 9f2c1ab0d3 is bad", ["9f2c1ab0d3"]),
        ("asked some-model-4.1-mini", ["some-model-4.1-mini"]),
        ("at 127.0.0.1:8080 with 1.24.0", ["127.0.0.1:8080", "1.24.0"]),
        ("set port=8080 and retries=3", ["port=8080", "retries=3"]),
        ("total: 1,204.50 in all", ["total: 1,204.50"]),
        ("rows = 17 and left =5", ["rows = 17", "left =5"]),
        ("it costs $1,299.00 today", ["$1,299.00"]),
        ("\x1b[31msrc/a.py\x1b[0m", ["src/a.py"]),
        ("nothing to see here", []),
        ("the years 2024 and 7, at 10:42", []),
        ("</div> // note */ <br/>", []),
        ("", []),
    ],
)
def test_identifiers_are_told_from_words(text: str, found: list[str]) -> None:
    assert list(identifiers(text)) == found


def test_each_is_told_once_in_the_order_of_first_sight() -> None:
    assert identifiers("b/c.py a/b.py\nsize: 12 b/c.py x-1y") == ("b/c.py", "a/b.py", "x-1y", "size: 12")


def test_a_number_belongs_to_a_key_on_its_own_line_only() -> None:
    assert identifiers("total:\n1,204.50") == ()


def test_what_is_longer_than_any_name_is_data_and_no_identifier() -> None:
    assert identifiers("/" + "a" * MAX_LINE_LENGTH) == ()


@given(st.text(alphabet="ab/.-_=:1 2\n~$", max_size=80))
def test_every_identifier_stands_in_the_text_as_it_is(text: str) -> None:
    for word in identifiers(text):
        assert word in text
        assert 4 <= len(word) <= MAX_LINE_LENGTH
        assert word == word.strip()


@given(st.text(alphabet="ab/.-_=:1 2\n~$", max_size=80))
def test_an_identifier_on_a_line_of_its_own_is_found_again(text: str) -> None:
    for word in identifiers(text):
        assert word in identifiers(f"- {word}\n")
