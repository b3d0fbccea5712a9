"""The table of prices says the same as the package that it was generated from."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from genai_prices.data_snapshot import get_snapshot

from inspector.llm.models.catalog import names_of
from inspector.llm.models.price_list import RATES, Rate, is_match, rate_above, sellers, tier_starts
from tests.llm.models.price_table import KEYS, TABLE, checksum, rate_of, table, written

TIMES = (
    datetime(2024, 3, 1, tzinfo=UTC),
    datetime(2025, 6, 1, 2, 30, tzinfo=UTC),
    datetime(2025, 6, 1, 17, 0),
    datetime(2026, 11, 1, 9, 59, tzinfo=UTC),
)


def test_the_table_is_what_the_installed_package_gives() -> None:
    stored = json.loads(TABLE.read_text("utf-8"))
    assert stored["version"] == table()["version"], "another genai-prices is installed: write the table anew"
    assert TABLE.read_text("utf-8") == written(table()), "python -m tests.llm.models.price_table"
    assert checksum(stored["providers"]) == stored["sha256"]


def test_every_listed_price_is_that_of_the_package_at_any_time() -> None:
    mine = {(seller.id, model.id): model for seller in sellers() for model in seller.models}
    theirs = [(seller.id, info) for seller in get_snapshot().providers for info in seller.models]
    assert len(theirs) >= len(mine) > 2_000
    for seller, info in theirs:
        model = mine[seller, info.id]
        assert model.context_window == (info.context_window or 0)
        for at in TIMES:
            expected = [rate_of(getattr(info.get_prices(at), key, None)) for key in KEYS]
            assert model.rates_at(at) == expected, (seller, info.id, at)


@pytest.mark.parametrize("name", ["gpt-4o-2024-08-06", "us.anthropic.claude-sonnet-4-5", "Qwen/Qwen3-32B", ""])
def test_rules_match_the_same_names(name: str) -> None:
    pairs = [
        (model, info)
        for seller, theirs in zip(sellers(), get_snapshot().providers, strict=True)
        for model, info in zip(seller.models, theirs.models, strict=True)
    ]
    for candidate in {name, *names_of(name)}:
        assert all(is_match(model.rule, candidate) == info.is_match(candidate) for model, info in pairs)
    for seller, theirs in zip(sellers(), get_snapshot().providers, strict=True):
        assert is_match(seller.rule, name) == bool(theirs.provider_match and theirs.provider_match.is_match(name))


def test_a_tier_applies_to_all_tokens_above_its_start() -> None:
    rates: list[Rate] = [2.5, [10.0, [[200_000, 15.0]]], None, None, None]
    assert len(rates) == len(RATES) and set(tier_starts(rates)) == {200_000}
    assert [rate_above(rates[1], start) for start in (0, 199_999, 200_000)] == [10.0, 10.0, 15.0]
    assert rate_above(rates[0], 200_000) == 2.5 and rate_above(None, 0) is None
