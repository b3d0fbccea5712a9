"""Lists of related texts: each within its size, and related texts in one list."""

from __future__ import annotations

from itertools import pairwise

import pytest

from inspector.analysis.memory_audit.related_rules import MAX_LISTS, related_lists
from inspector.engine.retrieval import Embedder, WordLlamaEmbedder

PAIRS = [
    ("Lanterns of the harbour are oiled on Mondays.", "Nobody oils a harbour lantern."),
    ("Invoices carry two decimals.", "An invoice has amounts of four decimals."),
    ("The turbine stops above ninety knots.", "Let the turbine run in any knots."),
    ("Migrations are frozen once merged.", "Edit a merged migration in place."),
]


def filler(count: int) -> list[str]:
    words = ["apple", "birch", "cedar", "daisy", "elder", "fern", "grass", "hazel", "iris", "juniper", "kale"]
    return [f"The {words[n % 11]} grows next to {words[n * 7 % 10]}-{n} in row {n}." for n in range(count)]


def test_texts_that_fit_are_one_list() -> None:
    texts = [text for pair in PAIRS for text in pair]
    assert related_lists(texts, [5] * len(texts), 40) == ([[*range(8)]], 0)
    assert related_lists(texts[:1], [5], 40) == ([], 0)


@pytest.mark.parametrize("embedder", [None, WordLlamaEmbedder()], ids=["words", "vectors"])
def test_related_texts_share_a_list_and_no_list_is_too_large(embedder: Embedder | None) -> None:
    texts = [pair[0] for pair in PAIRS] + filler(60) + [pair[1] for pair in PAIRS]
    lists, apart = related_lists(texts, [10] * len(texts), 120, embedder)
    assert 0 < len(lists) <= MAX_LISTS and all(1 < len(own) <= 12 for own in lists)
    for one in range(len(PAIRS)):
        other = len(texts) - len(PAIRS) + one
        assert any(one in own and other in own for own in lists), texts[one]
    assert apart >= 0


def test_what_was_not_compared_is_counted() -> None:
    texts = [f"Row {a} and row {b} of the same plum orchard." for a, b in pairwise(range(200))]
    lists, apart = related_lists(texts, [10] * len(texts), 20)
    assert len(lists) == MAX_LISTS and apart > 0
    assert related_lists(["Oil the lantern.", "Light the lantern."], [30, 30], 40) == ([], 1)
