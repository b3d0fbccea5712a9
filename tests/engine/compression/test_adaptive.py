"""A threshold that follows the session: the cheapest one by its formula, within bounds, and said in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import RequestContext, Role
from inspector.engine.compression import ADAPTIVE, CompressionEngine, Policy, Preset, Scale, load, parse_threshold, save
from inspector.engine.compression.adaptive import GrowthRate, adapt
from inspector.llm.models import Price
from inspector.llm.providers import text_message
from inspector.llm.tokens import CharsCounter, Sizes

RELAPSE, LEAST = 8, 8
"""Calls for what is forgotten, and between two compressions."""
CACHED = Price(3.0, 15.0, 0.3, 3.75)
UNCACHED = Price(3.0, 15.0, 3.0, 3.0)
POLICY = Policy.of(Preset("p", ADAPTIVE), Scale(200_000, 5_000))
growths = st.builds(
    GrowthRate,
    st.integers(4, 500),
    st.floats(20, 5_000),
    st.just(5_000),
    st.integers(5_000, 60_000),
    st.just(0),
)
prices = st.sampled_from([CACHED, UNCACHED, Price(2.5, 10.0, 1.25, 2.5), Price(0.25, 2.0, 0.025, 0.25)])


def cost_of_a_call(growth: GrowthRate, price: Price, size: float, ratio: float = 0.3) -> float:
    """What carrying and compressing cost for each call, where `size` tokens come in between two compressions."""
    carrying = price.cache_read * (growth.stays + ratio * size + size / 2)
    rewriting = (price.cache_write - price.cache_read) * (growth.stays + ratio * size - growth.floor)
    relapse = RELAPSE * (price.cache_read * growth.stays + price.cache_write * growth.per_call)
    summary = price.input * (500 + size) + price.output * (150 + ratio * size)
    return carrying + (rewriting + relapse + summary) * growth.per_call / size


def distance(policy: Policy) -> int:
    """Tokens that come in between two compressions, summaries subtracted."""
    return policy.threshold - policy.target


@given(growths, prices)
def test_no_other_distance_is_cheaper_by_more_than_rounding(growth: GrowthRate, price: Price) -> None:
    policy, why = adapt(POLICY, growth, price)
    assert f"above {policy.threshold:,} tokens" in why
    size = distance(policy)
    assert size >= LEAST * growth.per_call - 2
    best = cost_of_a_call(growth, price, size)
    others = [size * factor for factor in (0.5, 0.8, 0.95, 1.05, 1.25, 2.0)]
    for other in others:
        if other >= LEAST * growth.per_call:
            assert best <= cost_of_a_call(growth, price, other) * 1.001


@given(growths, prices, st.integers(10_000, 400_000))
def test_it_stays_within_the_window_and_above_its_target(growth: GrowthRate, price: Price, window: int) -> None:
    policy, why = adapt(POLICY, GrowthRate(growth.calls, growth.per_call, 5_000, growth.stays, window), price)
    assert policy.threshold <= 0.8 * window
    assert 0 < policy.target < policy.threshold
    assert why.endswith(".")
    again, silence = adapt(policy, GrowthRate(growth.calls, growth.per_call * 1.01, 5_000, growth.stays, window), price)
    assert (again, silence) == (policy, "")


def test_what_is_cheap_to_carry_is_carried_for_longer() -> None:
    growth = GrowthRate(100, 1_000, 5_000, 12_000, 1_000_000)
    assert adapt(POLICY, growth, CACHED)[0].threshold > adapt(POLICY, growth, UNCACHED)[0].threshold


def test_nothing_is_said_of_a_session_that_has_hardly_begun() -> None:
    assert adapt(POLICY, GrowthRate(3, 1_000, 5_000, 12_000, 200_000), CACHED) == (POLICY, "")


def test_a_target_that_was_asked_for_stays() -> None:
    growth = GrowthRate(100, 1_000, 5_000, 12_000, 1_000_000)
    assert adapt(POLICY, growth, CACHED, 9_000)[0].target == 9_000


def grown(sizes: list[int], strategy: str = "sliding_window") -> tuple[CompressionEngine, list[int]]:
    """An engine after a task and replies of these tokens, and the calls after which it compressed."""
    counter = CharsCounter(4.0)
    preset = Preset("p", ADAPTIVE, keep_recent=4, strategy=strategy)
    measures = Sizes((), "estimated", 0, "estimated", 0, 200_000, counter)
    policy = Policy.of(preset, Scale(200_000, 500))
    engine = CompressionEngine(policy, RequestContext(), measures, price=lambda: CACHED)
    engine.append(text_message("task", "user", "Count the orders.", "openai"), 500)
    places = []
    for number, size in enumerate(sizes):
        role: Role = "assistant" if number % 2 == 0 else "user"
        engine.append(
            text_message(f"m{number}", role, f"Order {number} came to {number} dollars. " * 3, "openai"), size
        )
        if engine.due and engine.compress():
            places.append(engine.cursor.turn)
    return engine, places


@given(st.lists(st.integers(200, 4_000), min_size=200, max_size=500))
def test_it_never_thrashes(sizes: list[int]) -> None:
    engine, places = grown(sizes)
    mean = sum(sizes) / len(sizes)
    # a jump may come at once, so that calls are counted over several compressions
    for first, third in zip(places, places[3:], strict=False):
        assert third - first >= 3 * LEAST * min(sizes) / max(mean * 2, 1)
    assert len(places) <= len(sizes) / 2 / LEAST + 2
    assert engine.threshold_reason


def test_the_threshold_follows_a_session_that_grows_faster_and_is_worked_out_seldom() -> None:
    slow, _ = grown([300] * 300)
    fast, _ = grown([3_000] * 300)
    assert fast.policy.threshold > slow.policy.threshold
    assert "each call adds 600" in slow.threshold_reason


@pytest.mark.parametrize("text", ["adaptive", " Adaptive ", "ADAPTIVE"])
def test_it_is_written_as_a_word(text: str) -> None:
    assert parse_threshold(text) is ADAPTIVE
    assert str(ADAPTIVE) == "adaptive"


def test_a_preset_in_a_file_may_have_it(tmp_path: Path) -> None:
    path = tmp_path / "presets.toml"
    save(Preset("mine", ADAPTIVE, about=""), path)
    assert load(path)["mine"].threshold == ADAPTIVE
