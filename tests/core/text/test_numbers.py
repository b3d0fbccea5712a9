"""Dollars, shares and counts in words."""

from __future__ import annotations

import pytest

from inspector.core.text import dollars, percent, plural


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "$0.00"),
        (0.00004, "$0.00004"),
        (0.00098, "$0.001"),
        (0.004, "$0.004"),
        (0.0832, "$0.083"),
        (0.0998, "$0.10"),
        (0.5, "$0.50"),
        (12.345, "$12.35"),
        (999.5, "$999.50"),
        (1234.5, "$1,234"),
        (-0.02, "-$0.020"),
    ],
)
def test_dollars_have_as_many_digits_as_say_something(amount: float, text: str) -> None:
    assert dollars(amount) == text


def test_only_nothing_costs_nothing() -> None:
    assert [dollars(10.0**-exponent) for exponent in range(9) if dollars(10.0**-exponent) == "$0.00"] == []


def test_only_all_is_called_all_and_only_nothing_nothing() -> None:
    assert [percent(share) for share in (0, 0.001, 0.5, 0.999, 1)] == ["0%", "<1%", "50%", "99%", "100%"]


def test_one_is_singular_and_all_else_plural() -> None:
    assert [plural(number, "call") for number in (0, 1, 2, 2400)] == ["0 calls", "1 call", "2 calls", "2,400 calls"]
