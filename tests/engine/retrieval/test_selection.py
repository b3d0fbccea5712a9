"""What of the matches goes into a window, what almost does, and how it is explained."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from inspector.engine.retrieval import Match, Result, ScorePart, SearchDocument, age_in_words, explain, select

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


def matches(*keys: int) -> list[Match[int]]:
    return [Match(key, 1 / rank, (ScorePart("bm25", 1 / rank, rank),)) for rank, key in enumerate(keys, 1)]


def documents(**tokens: int) -> dict[int, SearchDocument]:
    return {int(key[1:]): SearchDocument("text", size) for key, size in tokens.items()}


def test_what_the_budget_cuts_is_a_near_miss_with_the_reason() -> None:
    retrieval = select("q", matches(1, 2, 3, 4), documents(k1=60, k2=50, k3=40, k4=5), 2, 100, NOW)
    assert [result.key for result in retrieval.results] == [1, 3]
    assert retrieval.tokens == 100
    assert [(miss.result.key, miss.reason) for miss in retrieval.near_misses] == [
        (2, "it has 50 tokens, with 40 of 100 remaining"),
        (4, "the limit is 2 results, and this is number 4"),
    ]


@given(
    st.lists(st.integers(0, 30), unique=True, max_size=20),
    st.dictionaries(st.integers(0, 30), st.integers(0, 90), max_size=20),
    st.integers(0, 6),
    st.one_of(st.none(), st.integers(0, 200)),
)
def test_a_selection_is_within_its_bounds_and_forgets_nobody(
    keys: list[int], sizes: dict[int, int], limit: int, budget: int | None
) -> None:
    known = {key: SearchDocument("text", size) for key, size in sizes.items()}
    retrieval = select("q", matches(*keys), known, limit, budget)
    assert len(retrieval.results) <= limit
    assert retrieval.tokens == sum(result.tokens for result in retrieval.results)
    assert budget is None or retrieval.tokens <= budget
    ranks = {result.key: result.rank for result in retrieval.results}
    ranks |= {miss.result.key: miss.result.rank for miss in retrieval.near_misses}
    assert set(ranks) <= set(keys) & set(known)
    assert len(ranks) == min(len(set(keys) & set(known)), len(retrieval.results) + 10)


def test_a_result_explains_itself() -> None:
    parts = (ScorePart("bm25", 7.2, 1), ScorePart("embedding", 0.61, 3))
    assert explain(Result(1, 1, 0.03, parts, 210, 3 * 86_400)) == (
        "bm25 #1 (7.20), embedding #3 (0.61); 3 days old; 210 tokens"
    )
    assert explain(Result(1, 1, 0.03, parts[:1], 1, None)) == "bm25 #1 (7.20); 1 token"


@pytest.mark.parametrize(
    ("time", "age"),
    [
        ("2026-03-04T11:59:00Z", 60),
        ("2026-03-04T13:00:00+02:00", 3600),
        ("2026-03-04T12:00:00", 0),
        ("", None),
        ("x", None),
    ],
)
def test_ages_follow_from_the_times(time: str, age: float | None) -> None:
    retrieval = select("q", matches(1), {1: SearchDocument("text", 1, time)}, 1, None, NOW)
    assert retrieval.results[0].age == age


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "0 seconds"), (1, "1 second"), (3_700, "1 hour"), (200_000, "2 days"), (1e9, "31 years")],
)
def test_an_age_is_told_in_its_largest_unit(seconds: float, words: str) -> None:
    assert age_in_words(seconds) == words
