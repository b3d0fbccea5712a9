"""The prices and context windows of genai-prices, from a table that is generated from that package.

Importing the package takes 0.1 to 0.4 s and 30 MB, reading the table 20 ms. `price_list.json` states the version it was
generated from, its license, and a checksum of its data. `python -m tests.llm.models.price_table` writes it again.

Rules and prices mean the same as in the package, https://github.com/pydantic/genai-prices: the last price whose
condition is met applies, and a tier's price applies to all tokens of a request with more input tokens than its start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

_NAME = "price_list.json"
RATES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
"""Kinds of prices, in the order of the table."""

Rule = Mapping[str, Any]
"""One clause, by its kind: `{"equals": "gpt-4o"}`, `{"starts_with": …}`, `{"or": [rules]}` and so on."""
Rate = float | list[Any] | None
"""Dollars per million tokens, `[base, [[start, price], …]]` if it depends on the size of the request, or None."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as sold by one provider."""

    id: str
    rule: Rule
    context_window: int
    """In tokens; 0 if it is not listed."""
    prices: list[tuple[Mapping[str, str], list[Rate]]]
    """Conditions and rates, in the order of `RATES`. Of those whose condition is met, the last applies."""

    def rates_at(self, at: datetime) -> list[Rate]:
        """Return the rates at a time; the first ones if no condition is met."""
        active = (rates for condition, rates in reversed(self.prices) if _is_active(condition, at))
        return next(active, self.prices[0][1] if self.prices else [None] * len(RATES))


@dataclass(frozen=True, slots=True)
class Seller:
    """A provider and the models that it sells."""

    id: str
    rule: Rule
    models: tuple[ListedModel, ...]


@lru_cache(maxsize=1)
def sellers() -> tuple[Seller, ...]:
    """Return all providers of the table."""
    table = orjson.loads(Path(__file__).with_name(_NAME).read_bytes())
    return tuple(
        Seller(name, rule, tuple(ListedModel(*model) for model in models)) for name, rule, models in table["providers"]
    )


def is_match(rule: Rule, name: str) -> bool:
    """Return True if a rule matches a name. Only regular expressions respect case."""
    return any(_is_clause_met(kind, value, name) for kind, value in rule.items())


def _is_clause_met(kind: str, value: Any, name: str) -> bool:
    match kind:
        case "or":
            return any(is_match(inner, name) for inner in value)
        case "and":
            return all(is_match(inner, name) for inner in value)
        case "regex":
            return re.search(value, name) is not None
    lower, text = name.lower(), value.lower()
    match kind:
        case "equals":
            return bool(lower == text)
        case "starts_with":
            return lower.startswith(text)
        case "ends_with":
            return lower.endswith(text)
        case _:
            return text in lower


def match_reach(rule: Rule, name: str) -> int:
    """Return how many characters of a name a rule matches, 0 if it does not match."""
    if not is_match(rule, name):
        return 0
    return max((_clause_reach(kind, value, name) for kind, value in rule.items()), default=0)


def _clause_reach(kind: str, value: Any, name: str) -> int:
    match kind:
        case "starts_with" | "ends_with" | "contains":
            return len(value)
        case "or" | "and":
            return max((match_reach(inner, name) for inner in value), default=0)
        case _:
            return len(name)


def tier_starts(rates: list[Rate]) -> Iterator[int]:
    """Yield the numbers of input tokens above which one of the rates changes."""
    yield from (start for rate in rates if isinstance(rate, list) for start, _ in rate[1])


def rate_above(rate: Rate, start: int) -> float | None:
    """Return a rate for requests with more than `start` input tokens."""
    if not isinstance(rate, list):
        return rate
    base, tiers = rate
    return float(([base] + [price for begins, price in tiers if begins <= start])[-1])


def _is_active(condition: Mapping[str, str], at: datetime) -> bool:
    """Return True if a price applies at a time. A time without a time zone is UTC."""
    at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    if since := condition.get("since"):
        return at.date() >= date.fromisoformat(since)
    if not condition:
        return True
    now, begin, end = at.time(), time.fromisoformat(condition["from"]), time.fromisoformat(condition["to"])
    return now >= begin or now < end if end < begin else begin <= now < end
