"""Prices: the longest id wins, a person's own price before the requirement's before the list's, and sums by hand."""

from __future__ import annotations

from dataclasses import astuple, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Usage
from inspector.llm.models.overrides import Rates, own_prices
from inspector.llm.models.prices import PRICING, Cost, Price, Tier, cost, price_of

NONE: dict[str, Rates] = {}
"""No prices of one's own, whatever lies on this machine."""
DAY = datetime(2026, 11, 1, tzinfo=UTC)


def rates(model: str, overlay: dict[str, Rates] = NONE, provider: str = "") -> tuple[float, float]:
    price = price_of(model, provider, overlay, DAY)
    return price.input, price.output


@pytest.mark.parametrize("model", [model for model in PRICING if model != "default"])
def test_the_requirements_table_holds_to_the_cent(model: str) -> None:
    price = price_of(model, overlay=NONE, at=DAY)
    assert (price.input, price.output) == (PRICING[model]["input"], PRICING[model]["output"])
    assert (price.model, price.source, price.note, price.tiers) == (model, "requirement", "", ())


def test_gpt_4o_mini_is_never_billed_as_gpt_4o() -> None:
    assert rates("gpt-4o") == (2.50, 10.00)
    for name in ("gpt-4o-mini", "openai/gpt-4o-mini-2024-07-18", "openrouter/openai/gpt-4o-mini", "azure/gpt-4o-mini"):
        assert rates(name) == (0.15, 0.60)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude-3-5-sonnet", (3.0, 15.0)),
        ("claude-3-5-haiku-latest", (0.8, 4.0)),
        ("anthropic/claude-sonnet-4", (3.0, 15.0)),
        ("litellm_proxy/anthropic/claude-sonnet-4-20250514", (3.0, 15.0)),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", (3.0, 15.0)),
        ("bedrock/eu.anthropic.claude-3-haiku-20240307-v1:0", (0.25, 1.25)),
        ("vertex_ai/claude-3-7-sonnet@20250219", (3.0, 15.0)),
        ("claude-opus-4-6[1m]", (5.0, 25.0)),
        ("models/gemini-2.5-flash", (0.3, 2.5)),
        ("gpt-5-2025-08-07", (1.25, 10.0)),
        ("gpt-5.2-20251211", (1.75, 14.0)),
        ("gpt-4-0613", (30.0, 60.0)),
    ],
)
def test_dated_and_prefixed_names_are_found(name: str, expected: tuple[float, float]) -> None:
    assert rates(name) == expected


def test_a_longer_id_of_the_list_goes_before_a_shorter_one_of_the_requirement() -> None:
    old = price_of("gpt-4o-2024-05-13", overlay=NONE, at=DAY)
    assert (old.input, old.output, old.source, old.model) == (5.0, 15.0, "genai-prices", "gpt-4o-2024-05-13")
    assert price_of("gpt-4o-2024-11-20", overlay=NONE, at=DAY).source == "requirement"


def test_ones_own_price_goes_before_all_others_and_for_every_date_of_its_model() -> None:
    own: dict[str, Rates] = {"gpt-4o": {"input": 1.0, "output": 2.0}}
    for name in ("gpt-4o", "gpt-4o-2024-05-13", "openrouter/openai/gpt-4o-2024-11-20", "GPT-4o"):
        assert price_of(name, overlay=own).source == "user"
        assert rates(name, own) == (1.0, 2.0)
    assert rates("gpt-4o-mini", own) == (0.15, 0.60)
    assert rates("gpt-4o-audio-preview", own) == (2.50, 10.00)


def test_an_own_id_that_only_begins_like_an_unknown_model_is_used_and_said() -> None:
    own: dict[str, Rates] = {"house-model": {"input": 1.0, "output": 2.0}}
    price = price_of("house-model-large", overlay=own)
    assert (price.input, price.source) == (1.0, "user")
    assert price.note == "no price is known for house-model-large, so that of house-model is used"


def test_an_unknown_model_says_that_the_default_is_used() -> None:
    price = price_of("banana-7", overlay=NONE)
    assert (price.input, price.output, price.model, price.source) == (0.55, 2.19, "default", "default")
    assert price.note == (
        "no price is known for banana-7, so the default of $0.55 in and $2.19 out per million tokens is used"
    )
    assert price_of(" ", overlay=NONE).note.startswith("the model is not recorded, so the default of $0.55")
    own: dict[str, Rates] = {"default": {"input": 3.0, "output": 9.0}}
    assert price_of("banana-7", overlay=own).note.endswith(
        "the default of $3.00 in and $9.00 out per million tokens is used"
    )


def test_no_model_is_billed_at_the_price_of_the_id_default() -> None:
    assert price_of("default-model", overlay=NONE).source == "default"


@given(st.text(max_size=60))
def test_any_text_has_a_price(text: str) -> None:
    price = price_of(text, overlay=NONE, at=DAY)
    assert min(price.input, price.output, price.cache_read, price.cache_write) >= 0


@given(st.permutations(["gpt-4o", "gpt-4o-mini", "gpt-4o-mini-special", "gpt"]), st.integers(0, 3))
def test_the_longest_of_ones_own_ids_wins_in_any_order(ids: list[str], which: int) -> None:
    own: dict[str, Rates] = {item: {"input": float(len(item)), "output": 0.0} for item in ids}
    assert price_of(ids[which], overlay=own).input == len(ids[which])


def test_cache_prices_are_the_lists_where_it_has_them() -> None:
    price = price_of("claude-sonnet-4-20250514", overlay=NONE, at=DAY)
    assert (price.cache_read, price.cache_write, price.cache) == (0.3, 3.75, "listed")
    openai = price_of("gpt-5", overlay=NONE, at=DAY)  # writing is not listed: it costs what sending does
    assert (openai.cache_read, openai.cache_write, openai.cache) == (0.125, 1.25, "listed")


def test_a_price_without_cache_prices_takes_the_shares_that_the_list_has_for_its_model() -> None:
    haiku = price_of("claude-3-5-haiku-20241022", overlay=NONE, at=DAY)  # listed: 0.8, read 0.08, written 1
    assert haiku.cache == "scaled"
    assert (haiku.cache_read, haiku.cache_write) == pytest.approx((0.08, 1.0))


def test_a_person_who_pays_half_pays_half_for_the_cache_too() -> None:
    own: dict[str, Rates] = {"claude-sonnet-4": {"input": 1.5, "output": 7.5}}
    price = price_of("claude-sonnet-4-20250514", overlay=own, at=DAY)
    assert price.cache_read == pytest.approx(0.15)
    assert price.cache_write == pytest.approx(1.875)


def test_a_model_that_nobody_lists_is_cached_at_its_familys_usual_shares() -> None:
    own: dict[str, Rates] = {"claude-house": {"input": 2.0, "output": 10.0}}
    price = price_of("claude-house", overlay=own)
    assert (price.cache_read, price.cache_write, price.cache) == (0.2, 2.5, "usual")


def test_where_no_cache_price_is_known_cached_tokens_are_billed_as_fresh_ones() -> None:
    price = price_of("banana-7", overlay=NONE)
    assert (price.cache_read, price.cache_write, price.cache, price.caches) == (0.55, 0.55, "none", False)


def test_a_gateway_without_cache_prices_has_the_makers_shares() -> None:
    price = price_of("openrouter/anthropic/claude-3.7-sonnet", overlay=NONE, at=DAY)
    assert price.provider == "openrouter"
    assert (price.input, price.cache) == (3.0, "scaled")
    assert price.cache_read == pytest.approx(0.3)


def test_who_is_paid_can_be_named() -> None:
    direct = price_of("claude-opus-4-5", overlay=NONE, at=DAY)
    regional = price_of("us.anthropic.claude-opus-4-5-20251101-v1:0", overlay=NONE, at=DAY)
    assert (direct.provider, regional.provider) == ("anthropic", "aws")
    assert price_of("anthropic.claude-opus-4-5-20251101-v1:0", "bedrock", NONE, DAY).provider == "aws"
    assert price_of("claude-opus-4-5", "nobody-knows-them", NONE, DAY).provider == "anthropic"


def test_a_model_that_its_maker_does_not_sell_says_whose_price_it_is() -> None:
    price = price_of("llama-3.3-70b-versatile", overlay=NONE, at=DAY)
    assert price.source == "genai-prices"
    assert price.note == f"the price is that of {price.provider}, one of its providers"


def test_a_call_is_billed_at_the_price_of_its_own_day() -> None:
    before = price_of("claude-opus-4-6", overlay=NONE, at=datetime(2026, 2, 1, tzinfo=UTC))
    since = price_of("claude-opus-4-6", overlay=NONE, at=datetime(2026, 4, 1, tzinfo=UTC))
    assert before.tiers == (Tier(200_000, 10.0, 37.5, 1.0, 12.5, 20.0),)
    assert since.tiers == ()


TIERED = Price(3.0, 15.0, 0.3, 3.75, tiers=(Tier(200_000, 6.0, 22.5, 0.6, 7.5), Tier(500_000, 9.0, 30.0, 0.9, 11.25)))


def test_the_estimated_parts_of_a_cost_account_for_all_that_was_not_reported() -> None:
    parts = Cost(input=40.0, output=3.39, output_estimated=0.28)
    assert parts.describe_estimates() == "≈$0.28 unreported output"
    assert parts.describe_estimates(42.6) == "≈$0.28 unreported output, ≈$0.79 unreported calls"
    assert replace(parts, summaries=0.5).describe_estimates(43.39) == "≈$0.28 unreported output, ≈$0.50 summaries"
    assert Cost(input=1.0).describe_estimates(1.0) == ""


def test_a_cost_by_hand() -> None:
    # 1,000,000 sent: 700,000 read, 200,000 written, so 100,000 fresh; in the tier above 500,000
    # at the price of short ones 0.1 * 3 = 0.30, 0.7 * 0.3 = 0.21, 0.2 * 3.75 = 0.75, 10,000 out: 0.01 * 15 = 0.15
    # 0.1 * 9 = 0.90, 0.7 * 0.9 = 0.63, 0.2 * 11.25 = 2.25, 0.01 * 30 = 0.30: 4.08, which is 2.67 more
    parts = cost(TIERED, Usage(1_000_000, 10_000, 700_000, 200_000))
    assert (parts.input, parts.cache_read, parts.cache_write, parts.output) == pytest.approx((0.30, 0.21, 0.75, 0.15))
    assert parts.surcharge == pytest.approx(2.67)
    assert parts.total == pytest.approx(4.08)


HOURLY = Price(3.0, 15.0, 0.3, 3.75, tiers=(Tier(200_000, 6.0, 22.5, 0.6, 7.5, 12.0),), cache_write_1h=6.0)


def test_what_is_written_for_an_hour_has_a_price_of_its_own() -> None:
    # 100,000 written, 60,000 of them for an hour: 0.04 * 3.75 = 0.15 and 0.06 * 6 = 0.36
    usage = Usage(100_000, 0, 0, 100_000, 60_000)
    parts = cost(HOURLY, usage)
    assert (parts.cache_write, parts.cache_write_1h, parts.surcharge) == pytest.approx((0.15, 0.36, 0.0))
    assert cost(Price(3.0, 15.0, 0.3, 3.75), usage).total == pytest.approx(0.375)  # one price for all that is written


def test_estimated_output_is_told_apart_with_its_share_of_a_long_request() -> None:
    # 300,000 fresh at 6 = 1.80, of which 0.90 surcharge; 100 out at 22.5 = 0.00225, of which 0.00075 surcharge
    # 900 more out, an estimate, at 22.5 = 0.02025
    parts = cost(HOURLY, Usage(300_000, 1_000), 900)
    assert (parts.input, parts.output, parts.surcharge) == pytest.approx((0.90, 0.0015, 0.90075))
    assert parts.output_estimated == pytest.approx(0.02025)
    assert parts.total == pytest.approx(cost(HOURLY, Usage(300_000, 1_000)).total)


@pytest.mark.parametrize(
    "model", ["claude-sonnet-4-20250514", "us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-5-20250929"]
)
def test_a_long_request_to_sonnet_4_costs_more(model: str) -> None:
    price = price_of(model, overlay=NONE, at=DAY)
    assert (price.input, price.cache_write_1h) == (3.0, 6.0)
    assert price.tiers == (Tier(200_000, 6.0, 22.5, 0.6, 7.5, 12.0),)


def test_a_cache_of_an_hour_costs_twice_a_fresh_token_where_nobody_lists_it() -> None:
    own = {"claude-x": {"input": 2.0, "output": 9.0, "cache_read": 0.2, "cache_write": 2.5}}
    assert price_of("claude-x", overlay=own).cache_write_1h == 4.0
    assert price_of("claude-x", overlay={"claude-x": {**own["claude-x"], "cache_write_1h": 3.0}}).cache_write_1h == 3.0
    assert price_of("gpt-4o", overlay=NONE, at=DAY).cache_write_1h is None


def test_a_tier_begins_behind_its_mark_and_holds_for_the_whole_request() -> None:
    assert cost(TIERED, Usage(200_000, 0)).total == pytest.approx(0.6)  # 0.2 * 3
    assert cost(TIERED, Usage(200_001, 0)).total == pytest.approx(200_001 * 6 / 1e6)
    assert TIERED.at(500_000).input == 6.0
    assert TIERED.at(500_001) == Price(9.0, 30.0, 0.9, 11.25)


def test_a_usage_that_contradicts_itself_costs_no_less_than_its_parts() -> None:
    parts = cost(TIERED, Usage(10, 0, cache_read=1_000, cache_write=0))
    assert parts.input == 0.0
    assert parts.cache_read == pytest.approx(0.0003)


def test_the_cost_of_a_model_by_name() -> None:
    # gpt-4o-mini: 1,000,000 in at 0.15, of which 400,000 read at 0.075, and 100,000 out at 0.60
    parts = cost(price_of("gpt-4o-mini", overlay=NONE, at=DAY), Usage(1_000_000, 100_000, 400_000))
    assert (parts.input, parts.cache_read, parts.output) == pytest.approx((0.09, 0.03, 0.06))
    assert parts.total == pytest.approx(0.18)


AMOUNTS = st.floats(0, 1e6, allow_nan=False)
USAGES = st.builds(Usage, *[st.integers(0, 300_000)] * 4)
WRITTEN = st.builds(
    lambda usage, share: replace(usage, cache_write_1h=round(usage.cache_write * share)), USAGES, st.floats(0, 1)
)


@given(st.lists(st.builds(Cost, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS), max_size=8))
def test_costs_add_up(costs: list[Cost]) -> None:
    together = sum(costs, Cost())
    assert together.total == pytest.approx(sum(item.total for item in costs))


@given(WRITTEN, st.integers(0, 400), st.sampled_from([HOURLY, TIERED]))
def test_the_parts_of_a_cost_are_those_of_its_usage(usage: Usage, estimated: int, price: Price) -> None:
    usage = replace(usage, output=usage.output + estimated)
    parts, rates = cost(price, usage, estimated), price.at(usage.input)
    hour = rates.cache_write if rates.cache_write_1h is None else rates.cache_write_1h
    fresh = max(0, usage.input - usage.cache_read - usage.cache_write)
    dollars = fresh * rates.input + usage.output * rates.output + usage.cache_read * rates.cache_read
    dollars += (usage.cache_write - usage.cache_write_1h) * rates.cache_write + usage.cache_write_1h * hour
    assert sum(astuple(parts)) == pytest.approx(parts.total) == pytest.approx(dollars / 1e6)
    assert min(astuple(parts)) >= -1e-12


@given(USAGES, USAGES)
def test_without_tiers_two_calls_cost_what_their_sum_costs(first: Usage, second: Usage) -> None:
    flat = Price(3.0, 15.0, 0.3, 3.75)
    honest = [Usage(item.input + item.cache_read + item.cache_write, *_rest(item)) for item in (first, second)]
    whole = Usage(*(sum(pair) for pair in zip(*map(_fields, honest), strict=True)))
    assert cost(flat, honest[0]).total + cost(flat, honest[1]).total == pytest.approx(cost(flat, whole).total)


def _rest(usage: Usage) -> tuple[int, int, int]:
    return usage.output, usage.cache_read, usage.cache_write


def _fields(usage: Usage) -> tuple[int, int, int, int]:
    return usage.input, *_rest(usage)


@given(USAGES)
def test_reading_from_the_cache_is_never_dearer_than_sending_again(usage: Usage) -> None:
    flat = Price(3.0, 15.0, 0.3, 3.75)
    sent = usage.input + usage.cache_read
    assert cost(flat, Usage(sent, 0, usage.cache_read)).total <= cost(flat, Usage(sent, 0)).total + 1e-12


def test_ones_own_prices_are_read_from_toml(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[house]\ninput = 1\noutput = 4.5\ncache_read = 0.1\n\n["x/y-2.5"]\ninput = 2\noutput = 3\n')
    result, problem = own_prices(file)
    assert problem == ""
    assert result == {
        "house": {"input": 1.0, "output": 4.5, "cache_read": 0.1},
        "x/y-2.5": {"input": 2.0, "output": 3.0},
    }


def test_quotes_around_a_name_with_a_dot_may_be_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text("[gpt-4.1]\ninput = 1\noutput = 4\n")
    assert own_prices(file)[0] == {"gpt-4.1": {"input": 1.0, "output": 4.0}}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[house]\ninput = 1\n", "the price of house needs an input and an output"),
        ('[house]\ninput = "1"\noutput = 2\n', "not '1'"),
        ("[house]\ninput = -1\noutput = 2\n", "not -1"),
        ("[house]\ninput = nan\noutput = 2\n", "not nan"),
        ("[house]\ninput = 1\noutput = 2\nprompt = 3\n", "unknown part 'prompt'"),
        ("house = 3\n", "the price of house needs an input and an output"),
        ("[house\n", "prices.toml cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_said_in_one_sentence(tmp_path: Path, text: str, wrong: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    result, problem = own_prices(file)
    assert result == {}
    assert wrong in problem
    assert str(file) in problem
    assert "\n" not in problem


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text("[house]\ninput = 1\noutput = 2\n")
    assert own_prices(file)[0]["house"]["input"] == 1.0
    file.write_text("[house]\ninput = 10\noutput = 2\n")
    assert own_prices(file)[0]["house"]["input"] == 10.0
    file.unlink()
    assert own_prices(file) == ({}, "")


def test_the_file_is_looked_for_in_the_folder_of_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: tmp_path)
    (tmp_path / "prices.toml").write_text("[house]\ninput = 7\noutput = 8\n")
    assert (price_of("house").input, price_of("house").source) == (7.0, "user")
    (tmp_path / "prices.toml").write_text("[house]\n")
    price = price_of("gpt-4o")
    assert price.input == 2.50
    assert price.note.startswith("your prices are ignored, because ")


def test_a_price_in_code_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="the price of house needs an input and an output"):
        price_of("house", overlay={"house": {"input": 1.0}})
