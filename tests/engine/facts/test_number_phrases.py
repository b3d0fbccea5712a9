"""What numbers tell with the words around them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inspector.engine.facts.number_phrases import numbers_in


def told(text: str) -> list[tuple[str, str]]:
    return [found.key for _, found in numbers_in(text)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("there are 412 files", "412 files"),
        ("within 5 working days", "5 working days"),
        ("147 of 2,499 moons", "2499 moons"),
        ("at most 90 parking places", "90 parking places"),
        ("reads 33.3 °C at noon", "33.3 °C"),
        ("at -250 cm", "-250 cm"),
        ("within 3-4 days", "4 days"),
        ("costs 25 % less", "25 %"),
        ("the sheet of week 13 shows", "week 13"),
        ('File "a.py", line 884: boom', "line 884"),
        ("The total is 3845 now", "total 3845"),
        ("a total of 3860 min", "total 3860 min"),
        ("retries: 3", "retries = 3"),
        ('{"amount":42.53,"to":"card"}', "amount = 42.53"),
        ('{"price": 189.0, "a": 1}', "price = 189"),
        ('amount="20.00"', "amount = 20"),
        ("x = 5", "x = 5"),
        ("`seq`: 22682", "seq = 22682"),
        ("**6 characters wide**", "6 characters"),
        ("1.8 million people", "1.8 million"),
    ],
)
def test_numbers_with_their_key_or_their_unit(text: str, number: str) -> None:
    assert ("number", number) in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "1. one thing, 2. another",
        "Then: 2. What is it?",
        "| a | 3 | 4 |",
        "version 0.4.3",
        "31 in favour, 4 against",
        "he had 3 of them",
        "step a: 3 was done",
        "12:30 to 14:00",
    ],
)
def test_numbers_that_count_nothing_are_no_facts(text: str) -> None:
    assert told(text) == []


def test_the_label_is_no_fact_without_the_value() -> None:
    assert told("the total is much too high") == []
    assert told("week of the storm") == []


def test_a_number_belongs_to_nothing_beyond_its_own_sentence() -> None:
    assert told("It was 412. Files were lost.") == []


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("for EUR 1,489,780 without VAT", "EUR 1489780"),
        ("costs €41.20.", "EUR 41.2"),
        ("$5 each", "USD 5"),
        ("11 euros a jar", "EUR 11"),
        ("EUR 1.62 million", "EUR 1620000"),
        ("2 million dollars", "USD 2000000"),
    ],
)
def test_an_amount_with_its_currency(text: str, amount: str) -> None:
    assert told(text) == [("amount", amount)]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 29 March 2026 at", "2026-03-29"),
        ("on March 29, 2026", "2026-03-29"),
        ("from 12 Jan on", "12 January"),
        ("the 15th of August", "15 August"),
        ("dated March 2027.", "2027-03"),
        ("it is from 2019 and", "2019"),
        ("in 1987", "1987"),
    ],
)
def test_days_in_words(text: str, date: str) -> None:
    assert told(text) == [("date", date)]


def test_verbs_are_no_months_and_not_every_number_is_a_year() -> None:
    assert told("you may 3 times") == []
    assert told("the 2019 of them") == []


def test_the_same_value_is_the_same_fact_whatever_it_is_called() -> None:
    (_, one), (_, other) = next(numbers_in("3860 minutes")), next(numbers_in("total: 3,860"))
    assert one.terms[0] == other.terms[0]


def test_a_short_value_is_only_the_same_with_its_key() -> None:
    (_, one), (_, other) = next(numbers_in("6 characters")), next(numbers_in("6 minutes"))
    assert not set(one.terms) & set(other.terms)


@given(st.text("0123456789 .,:%€$-+aZ'\"\n|ofEUR", max_size=60))
def test_any_numbers_can_be_read(text: str) -> None:
    for written, found in numbers_in(text):
        assert written in text
        assert found.key[1]


def test_exit_codes_and_options_of_commands_have_values() -> None:
    assert told("Exit code 2\nno such berth") == [("number", "exit code 2")]
    assert told("Process exited with code 128") == [("number", "exit code 128")]
    assert told("exited with code 0") == []
    assert told("serve --port 8123 --max-lines 40") == [("number", "port 8123")]
