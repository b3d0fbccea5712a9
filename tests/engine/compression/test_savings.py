"""The money of a compression: the published break-even points, sums by hand, an account that is true to the cent."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Usage
from inspector.engine.compression.savings import (
    BreakEven,
    SavingsLedger,
    balance,
    break_even,
    cached_prefix,
    call_entry,
    compression_entry,
    compute_savings,
    summary_calls,
)
from inspector.engine.strategies import draft_plan
from inspector.engine.window.plan import apply, manual_plan
from inspector.engine.window.window import Window
from inspector.llm.models.prices import Price, Tier, cost
from tests.generated import Ask, Reply, System, window_of, windows, work

PUBLISHED = Price(3.0, 15.0, 0.3, 3.75)
"""Output 5 times the input, a cached read a tenth of it, a cache write 1.25 of it."""
WHOLE = [Usage(100_000, 2_000)]
"""A summary of 2,000 tokens of a whole window."""


def test_the_published_example_pays_for_itself_after_21_calls_or_8_or_2() -> None:
    # (1.25*30 + 1*100 + 5*2) / (0.1*70) = 147.5/7 = 21.07; (37.5 + 10 + 10)/7 = 8.21; (100 + 10)/70 = 1.57
    result = break_even(100_000, 30_000, PUBLISHED, WHOLE)
    assert (result.calls, result.calls_cached, result.calls_uncached) == pytest.approx((147.5 / 7, 57.5 / 7, 110 / 70))
    assert [round(item or 0) for item in (result.calls, result.calls_cached, result.calls_uncached)] == [21, 8, 2]
    assert str(result) == (
        "it breaks even after 21 calls, after 8 calls if the summary is written from the cache, "
        "after 2 calls without a prompt cache"
    )


def test_the_published_example_in_dollars() -> None:
    # now: 30k written at 3.75 = 0.1125, 100k read at 3 = 0.30, 2k written at 15 = 0.03; then 70k at 0.3 a call
    result = break_even(100_000, 30_000, PUBLISHED, WHOLE)
    assert result.cost_now == pytest.approx(0.4425)
    assert result.saved_per_call == pytest.approx(0.021)


def test_without_a_model_only_the_rewriting_costs() -> None:
    # 1.25*30 / (0.1*70) = 5.36
    result = break_even(100_000, 30_000, PUBLISHED)
    assert (result.calls, result.calls_cached) == pytest.approx((37.5 / 7, 37.5 / 7))
    assert result.calls_uncached == 0.0
    assert str(result) == "it breaks even after 5 calls, immediately without a prompt cache"


def test_what_stays_cached_is_not_written_again() -> None:
    # of the 30k that are left, 20k are an unchanged beginning: 1.25*10 / 7 = 1.79
    assert break_even(100_000, 30_000, PUBLISHED, prefix=20_000).calls == pytest.approx(12.5 / 7)
    assert str(break_even(100_000, 30_000, PUBLISHED, prefix=30_000)) == "it breaks even immediately"


def test_one_call_is_one_call() -> None:
    # 1.25*5.6 / 7 = 1
    assert str(break_even(100_000, 30_000, PUBLISHED, prefix=24_400)).startswith("it breaks even after 1 call, ")


@pytest.mark.parametrize("after", [100_000, 120_000])
def test_what_saves_nothing_never_pays_for_itself(after: int) -> None:
    result = break_even(100_000, after, PUBLISHED, WHOLE)
    assert (result.calls, result.calls_cached, result.calls_uncached) == (None, None, None)
    assert str(result) == "it never breaks even"


def test_where_nothing_is_cached_both_ways_are_one() -> None:
    result = break_even(100_000, 30_000, Price(3.0, 15.0, 3.0, 3.0), WHOLE)
    assert result.calls == result.calls_cached == result.calls_uncached == pytest.approx(110 / 70)


def test_a_free_model_saves_no_money() -> None:
    assert break_even(100_000, 30_000, Price(0.0, 0.0, 0.0, 0.0), WHOLE).calls is None


def test_a_cheaper_summariser_pays_off_sooner() -> None:
    # 112.5 for the rewriting, 100k at 0.15 = 15, 2k at 0.6 = 1.2, in thousandths of a dollar; 21 saved a call
    cheap = Price(0.15, 0.60, 0.075, 0.15)
    assert balance(100_000, 30_000, PUBLISHED, WHOLE, cheap, 0).calls == pytest.approx((112.5 + 15 + 1.2) / 21)


def test_falling_below_a_tier_saves_more_than_the_tokens() -> None:
    # 300k at 0.6 a call against 100k at 0.3: 0.18 - 0.03
    tiered = Price(3.0, 15.0, 0.3, 3.75, tiers=(Tier(200_000, 6.0, 22.5, 0.6, 7.5),))
    assert break_even(300_000, 100_000, tiered).saved_per_call == pytest.approx(0.15)


def long_window() -> Window:
    words = "The harbour log of the night has forty lines, and each of them was read twice. " * 20
    return window_of(
        System(), Ask("Read the logs."), *(work(result=words) for _ in range(8)), Reply("Read."), Ask("And now?")
    )


def test_an_unchanged_window_stays_cached_whole() -> None:
    window = long_window()
    assert cached_prefix(window, window) == window.total
    result = compute_savings(window, window, PUBLISHED)
    assert (result.gross, result.rewritten, result.compression_cost, result.rewrite_cost) == (0, 0, 0.0, 0.0)


def test_the_cache_holds_up_to_the_first_message_that_changed() -> None:
    window = long_window()
    after = apply(window, manual_plan(window, [window.ids[5]], "dropped"))
    gone = next(place for place, item in enumerate(window.ids) if item not in after.ids)
    assert cached_prefix(window, after) == window.sizes.tools + sum(window.tokens[:gone])
    assert compute_savings(window, after, PUBLISHED).rewritten == after.total - cached_prefix(window, after)


def test_a_change_at_the_end_keeps_more_of_the_cache_than_one_at_the_beginning() -> None:
    window = long_window()
    early, late = (apply(window, manual_plan(window, [window.ids[place]], "dropped")) for place in (2, 14))
    assert cached_prefix(window, early) < cached_prefix(window, late)


def test_an_unrecorded_prompt_is_part_of_what_stays_cached() -> None:
    window = long_window()
    hidden = replace(window, context=replace(window.context, records_system=False), unrecorded=5_000)
    after = apply(hidden, manual_plan(hidden, [hidden.ids[1]], "dropped"))
    assert cached_prefix(hidden, after) == hidden.sizes.tools + 5_000 + hidden.tokens[0]


def test_a_summary_is_subtracted_once_and_its_making_is_counted() -> None:
    window = long_window()
    plan = draft_plan(window, "sliding_window", {"keep_recent": 3})
    after = apply(window, plan)
    calls = summary_calls(window, plan, instructions=200)
    covered = plan.sources(plan.summaries[0].id)
    sizes = dict(zip(window.ids, window.tokens, strict=True))
    summary = window.sizes.measure(plan.summaries[0])
    assert calls == (Usage(200 + sum(sizes[item] for item in covered), summary),)

    result = compute_savings(window, after, PUBLISHED, calls)
    assert result.gross == sum(sizes[item] for item in covered) - summary
    assert result.net == result.gross - calls[0].input
    assert result.compression_cost == pytest.approx(cost(PUBLISHED, calls[0]).total)
    assert result.rewrite_cost == pytest.approx(result.rewritten * (3.75 - 0.3) / 1e6)
    assert (result.per_call_cost, result.per_call_uncached) == pytest.approx(
        (result.gross * 0.3e-6, result.gross * 3e-6)
    )


def test_a_plan_without_a_summary_needs_no_call() -> None:
    window = long_window()
    plan = draft_plan(window, "deletion", {"keep_recent": 3})
    assert summary_calls(window, plan) == ()
    assert compute_savings(window, apply(window, plan), PUBLISHED).compression_cost == 0.0


COUNTS = st.integers(0, 1_000_000)
DOLLARS = st.floats(0, 1e4, allow_nan=False)
LEDGERS = st.builds(SavingsLedger, COUNTS, COUNTS, COUNTS, DOLLARS, COUNTS, COUNTS, DOLLARS, COUNTS, DOLLARS)


def values(ledger: SavingsLedger) -> dict[str, Any]:
    names = [field.name for field in fields(SavingsLedger)] + ["net_cost"]
    return {name: getattr(ledger, name) for name in names}


@given(st.lists(LEDGERS, max_size=6))
def test_every_part_of_an_account_adds_up(parts: list[SavingsLedger]) -> None:
    whole = values(sum(parts, SavingsLedger()))
    for name, value in whole.items():
        assert value == pytest.approx(sum(values(part)[name] for part in parts), abs=1e-6)


@given(windows(), st.sampled_from(["deletion", "sliding_window", "mask_observations", "trim_outputs", "fifo"]))
def test_the_parts_of_any_compression_add_up(window: Window, name: str) -> None:
    plan = draft_plan(window, name, {})
    after = apply(window, plan)
    result = compute_savings(window, after, PUBLISHED, summary_calls(window, plan))
    assert result.gross == window.total - after.total >= 0
    assert 0 <= result.kept <= after.total
    assert result.kept + result.rewritten == after.total
    assert compression_entry(result).gross_saved == result.gross
    assert result.rewrite_cost >= 0
    if after.messages == window.messages:
        assert result.kept == after.total


PRICES = st.builds(
    lambda fresh, out, read, write: Price(fresh, out, fresh * read, fresh * write),
    st.floats(0.1, 20),
    st.floats(0.1, 100),
    st.floats(0.05, 0.9),
    st.floats(1, 2),
)


@given(PRICES, st.integers(1_000, 200_000), st.integers(0, 100), st.integers(0, 100), st.integers(1, 40), st.booleans())
def test_the_account_is_the_difference_between_two_bills(
    price: Price, before: int, left: int, same: int, calls: int, caches: bool
) -> None:
    """Every call billed by itself, with the compression and without it."""
    after = before * left // 100
    rest = after * same // 100
    requests = Usage(before, after // 10)
    again = Usage(before, 0, cache_read=before) if caches else Usage(before, 0)
    without = calls * cost(price, again).total
    first = Usage(after, 0, rest, after - rest) if caches else Usage(after, 0)
    later = Usage(after, 0, cache_read=after) if caches else Usage(after, 0)
    with_it = cost(price, requests).total + cost(price, first).total + (calls - 1) * cost(price, later).total

    extra = (after - rest) * (price.cache_write - price.cache_read) / 1e6
    result = SavingsLedger(
        1,
        before - after,
        0,
        0.0,
        requests.input,
        requests.output,
        cost(price, requests).total,
        after - rest if caches else 0,
        extra if caches else 0.0,
    )
    account = sum((call_entry(before, after, price, caches) for _ in range(calls)), result)
    assert account.net_cost == pytest.approx(without - with_it, abs=1e-9)
    assert account.avoided_tokens - account.compression_input == calls * (before - after) - before


@given(PRICES, st.integers(1_000, 200_000), st.integers(0, 99), st.integers(0, 100))
def test_after_that_many_calls_it_has_paid_for_itself(price: Price, before: int, left: int, same: int) -> None:
    """The published formula bills the whole rewriting, so the account is never behind it."""
    after = before * left // 100
    rest = after * same // 100
    requests = Usage(before, after // 10)
    result = break_even(before, after, price, [requests], prefix=rest)
    assert result.calls is not None
    assert result.calls_cached is not None
    assert result.calls_cached <= result.calls
    saved = result.calls * (before - after) * price.cache_read / 1e6
    assert saved == pytest.approx(result.cost_now)
    rewriting = (after - rest) * (price.cache_write - price.cache_read) / 1e6
    assert saved + 1e-9 >= cost(price, requests).total + rewriting


def test_savings_become_an_account() -> None:
    window = long_window()
    plan = draft_plan(window, "sliding_window", {"keep_recent": 3})
    after = apply(window, plan)
    result = compute_savings(window, after, PUBLISHED, summary_calls(window, plan))
    account = compression_entry(result) + call_entry(window.total, after.total, PUBLISHED)
    assert (account.compressions, account.gross_saved, account.avoided_tokens) == (1, result.gross, result.gross)
    assert account.cache_rewritten == result.rewritten
    assert account.net_cost == pytest.approx(result.per_call_cost - result.compression_cost - result.rewrite_cost)
    uncached = compression_entry(result, caches=False)
    assert (uncached.cache_rewritten, uncached.rewrite_cost) == (0, 0.0)


def test_what_only_saves_without_a_cache_says_so_in_words_of_its_own() -> None:
    even = BreakEven(None, None, 0.0, 0.1, 0.0)
    assert str(even) == "it never breaks even with a prompt cache, and immediately without one"
