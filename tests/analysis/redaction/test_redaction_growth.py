"""The work of a redaction grows in proportion to the text and to the number of secrets: the exponents are about 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import log2
from random import Random

import pytest

from inspector.analysis.redaction import Redactor
from inspector.analysis.redaction.fitting_patterns import FittingPatterns
from inspector.analysis.redaction.patterns import CONTEXT_PATTERNS
from tests.growth import calls_made

BASE = 150
LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def token(random: Random) -> str:
    return "ghp_" + "".join(random.choices(LETTERS, k=36))


def messages_with_secrets(count: int) -> list[str]:
    random = Random(1)
    tokens = [token(random) for _ in range(count)]
    return [
        f"Push order {number} with {one}, then {one} again. The password is Ab3{one[4:12]}!"
        for number, one in enumerate(tokens)
    ]


def messages_of_text(count: int) -> list[str]:
    return [
        f"Order {number}: 3 lamps for berth {number * 7}, the key is in the log. " * 4 + f"token_count: {number}"
        for number in range(count)
    ]


def copies_of_few_secrets(count: int) -> list[str]:
    tokens = [token(Random(place)) for place in range(10)]
    return [f"Line {number}: {tokens[number % 10]} and plain words to read." for number in range(count)]


def one_long_text(count: int) -> list[str]:
    return ["\n".join(messages_with_secrets(count))]


DIMENSIONS: Mapping[str, Callable[[int], list[str]]] = {
    "secrets": messages_with_secrets,
    "text": messages_of_text,
    "copies": copies_of_few_secrets,
    "secrets of one text": one_long_text,
}


def redacted(texts: list[str]) -> list[str]:
    redactor = Redactor()
    patterns = [redactor.collect(text) for text in texts]
    clean = [str(redactor.value_of(text, own)) for text, own in zip(texts, patterns, strict=True)]
    redactor.check("\n".join(clean))
    return clean


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_redaction_grows_in_proportion(dimension: str, record_property: Callable[[str, float], None]) -> None:
    write = DIMENSIONS[dimension]
    redacted(write(2 * BASE))  # the first time compiles patterns
    made = [calls_made(partial(redacted, write(count))) for count in (BASE, 2 * BASE)]
    exponent = log2(made[1] / made[0])
    record_property(f"growth exponent of {dimension}", round(exponent, 2))
    assert exponent < 1.25, f"{dimension}: {made[0]:,} calls for {BASE}, {made[1]:,} for {2 * BASE}"


def test_the_hints_of_a_long_text_are_found_wherever_they_are() -> None:
    patterns = FittingPatterns(CONTEXT_PATTERNS)
    hints = sorted({hint for pattern in CONTEXT_PATTERNS for hint in pattern.hints})
    for place in (0, 65_530, 65_536, 131_070):
        text = "." * place
        for hint in hints:
            found = patterns.hints_in(text + hint + "." * 9)
            assert hint in found, (hint, place)
            assert all(other in hint or not other.strip(".") for other in found), (hint, found)
