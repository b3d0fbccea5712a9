"""Select the matches that fit into a window's budget, and report near misses with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Generic

from inspector.core.json_objects import Age, Tokens, json_object
from inspector.core.text import plural
from inspector.engine.retrieval.base import K, Match, ScorePart

_MAX_NEAR_MISSES = 10
"""Maximum number of reported near misses."""


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """A document as the caller knows it."""

    text: str
    tokens: int
    """Size of the document in the window."""
    time: str = ""
    """Time of writing in ISO 8601; empty if unknown."""


@json_object(keys="rank score parts tokens age")
@dataclass(frozen=True, slots=True)
class Result(Generic[K]):
    """A match with everything that explains it."""

    key: K
    rank: Annotated[int, "rank among all matches, from 1"]
    score: Annotated[float, "score of the single list, or reciprocal rank fusion of several"]
    parts: tuple[ScorePart, ...]
    tokens: Annotated[Tokens, "its size in a window; estimated if not counted"]
    age: Age


@dataclass(frozen=True, slots=True)
class NearMiss(Generic[K]):
    """A match that was not selected, and the reason."""

    result: Result[K]
    reason: str


@dataclass(frozen=True, slots=True)
class Retrieval(Generic[K]):
    """Content selected for a window by a query."""

    query: str
    results: tuple[Result[K], ...]
    """Best first."""
    near_misses: tuple[NearMiss[K], ...]
    tokens: int
    """Total tokens of the results."""
    limit: int
    """Maximum number of results."""
    budget: int | None
    """Maximum total tokens of the results; None if unlimited."""


def select(
    query: str,
    matches: Sequence[Match[K]],
    documents: Mapping[K, SearchDocument],
    limit: int,
    budget: int | None = None,
    now: datetime | None = None,
) -> Retrieval[K]:
    """Return the best matches that fit. A match that is too large is skipped, but smaller ones after it can still fit.

    Args:
        query: The query.
        matches: Matches, best first. Those without a document are skipped.
        documents: Documents by key.
        limit: Maximum number of results.
        budget: Maximum total tokens of the results; None if unlimited.
        now: Time from which ages are computed; without it they are unknown.
    """
    results: list[Result[K]] = []
    misses: list[NearMiss[K]] = []
    total = 0
    known = [match for match in matches if match.key in documents]
    for rank, match in enumerate(known, 1):
        document = documents[match.key]
        age = _age(document.time, now)
        result = Result(match.key, rank, match.score, match.parts, document.tokens, age)
        if len(results) >= limit:
            reason = f"the limit is {plural(limit, 'result')}, and this is number {rank:,}"
        elif budget is not None and total + document.tokens > budget:
            left = budget - total
            reason = f"it has {plural(document.tokens, 'token')}, with {left:,} of {budget:,} remaining"
        else:
            results.append(result)
            total += document.tokens
            continue
        if len(misses) < _MAX_NEAR_MISSES:
            misses.append(NearMiss(result, reason))
    return Retrieval(query, tuple(results), tuple(misses), total, limit, budget)


def explain(result: Result[K]) -> str:
    """Return a result in one line: `bm25 #1 (7.20), embedding #3 (0.61); 3 days old; 210 tokens`."""
    parts = ", ".join(f"{part.name} #{part.rank:,} ({part.score:.2f})" for part in result.parts)
    age = "" if result.age is None else f"{age_in_words(result.age)} old; "
    return f"{parts}; {age}{plural(result.tokens, 'token')}"


def age_in_words(seconds: float) -> str:
    """Return an age in its largest unit: "3 days", "1 hour", "5 seconds"."""
    for unit, size in (("year", 31_557_600), ("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            return plural(int(seconds // size), unit)
    return plural(max(0, int(seconds)), "second")


def _age(time: str, now: datetime | None) -> float | None:
    if now is None or not time:
        return None
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return (now - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))).total_seconds()
