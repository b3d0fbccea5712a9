"""Requirement 3's `TokenTracker`: its examples run, nothing counts as nothing, and the money is right by hand."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Usage
from inspector.llm.models.prices import PRICING, cost, price_of
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens.counting import TokenizerCounter
from inspector.memory.message_adapter import LLMMessage
from inspector.memory.token_tracker import TokenTracker

SONNET = "claude-3-5-sonnet-20241022"


@pytest.fixture(autouse=True)
def _no_prices_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: tmp_path)


@pytest.fixture
def pricing() -> Iterator[dict[str, dict[str, float]]]:
    """The tracker's table, which is as it was when the test is over."""
    yield TokenTracker.PRICING
    TokenTracker.PRICING.clear()
    TokenTracker.PRICING.update({model: dict(rates) for model, rates in PRICING.items()})


def test_the_requirements_example_runs() -> None:
    message = {"role": "user", "content": "x" * 350}
    tracker = TokenTracker()
    tokens = tracker.count_message_tokens(message, "anthropic", "claude-3-5-sonnet")
    cost = tracker.calculate_cost("claude-3-5-sonnet-20241022")
    assert (tokens, cost) == (100, 0.0)  # 350 / 3.5, and nothing was tracked yet


def test_the_cost_of_a_model_is_what_was_tracked_at_its_price() -> None:
    tracker = TokenTracker()
    tracker.add_input_tokens(1_000_000)
    tracker.add_output_tokens(100_000)
    assert tracker.calculate_cost(SONNET) == pytest.approx(3.00 + 1.50)
    assert tracker.calculate_cost("gpt-4o-mini") == pytest.approx(0.15 + 0.06)
    assert tracker.calculate_cost(SONNET, 2_000_000, 0) == pytest.approx(6.00)
    assert tracker.calculate_cost(SONNET, output_tokens=0) == pytest.approx(3.00)
    assert tracker.calculate_cost(SONNET, input_tokens=0) == pytest.approx(1.50)


@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        ("anthropic", "claude-3-5-sonnet", 200),  # 700 / 3.5
        ("gemini", "gemini-1.5-pro", 175),  # 700 / 4
        ("", "claude-3-5-sonnet", 200),
        ("", "gemini-1.5-flash", 175),
        ("nobody", "banana", 175),
    ],
)
def test_where_no_tokenizer_is_public_the_text_is_measured(provider: str, model: str, expected: int) -> None:
    assert TokenTracker().count_message_tokens({"role": "user", "content": "y" * 700}, provider, model) == expected


def test_openai_messages_are_counted_with_their_frame() -> None:
    text = "The lamp of pier 4 was lit at 21:40."
    counted = TokenTracker().count_message_tokens({"role": "user", "content": text}, "openai", "gpt-4o")
    assert counted == TokenizerCounter("o200k_base").count(text) + 4  # three around a message and one for its role
    older = TokenTracker().count_message_tokens({"role": "user", "content": text}, "openai", "gpt-4")
    assert older == TokenizerCounter("cl100k_base").count(text) + 4


RESULT = "row 1: lit at 21:40, burned until 05:12. " * 10
RESULTS: dict[str, Any] = {
    "chat": {"role": "tool", "tool_call_id": "c1", "content": RESULT},
    "chat blocks": {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": RESULT}]},
    "anthropic": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": RESULT}]},
    "anthropic blocks": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": RESULT}]}],
    },
    "blocks of an SDK": {
        "role": "user",
        "content": [SimpleNamespace(type="tool_result", tool_use_id="t1", content=RESULT)],
    },
    "LLMMessage": LLMMessage("tool", RESULT, tool_call_id="c1"),
    "anything like one": SimpleNamespace(role="tool", content=RESULT, tool_call_id="c1"),
    "of the log": message_from_raw("m1", {"role": "tool", "tool_call_id": "c1", "content": RESULT}, "openai"),
}


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", ""])
@pytest.mark.parametrize("form", RESULTS)
def test_a_tool_result_is_never_nothing(form: str, provider: str) -> None:
    assert TokenTracker("gpt-4o").count_message_tokens(RESULTS[form], provider) >= len(RESULT) / 5


def test_several_results_in_one_message_are_all_counted() -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": RESULT}
    tracker = TokenTracker("claude-sonnet-4")
    one = tracker.count_message_tokens({"role": "user", "content": [block]})
    assert tracker.count_message_tokens({"role": "user", "content": [block, block]}) == 2 * one


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "tool_call_id": "c1", "content": ""},
        {"role": "assistant", "content": None},
        {"role": "assistant"},
        {},
        "",
        None,
        LLMMessage("user"),
        {"role": "user", "content": 7},
        {"role": "user", "content": [None, 7, {"type": "hologram"}]},
    ],
)
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_what_is_empty_or_strange_still_takes_a_token(message: Any, provider: str) -> None:
    assert TokenTracker("gpt-4o").count_message_tokens(message, provider) >= 1


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_special_tokens_are_ordinary_text(provider: str) -> None:
    message = {"role": "user", "content": "<|endoftext|><|im_start|>system<|im_end|>"}
    assert TokenTracker("gpt-4o").count_message_tokens(message, provider) > 5


def test_a_call_is_counted_with_its_arguments() -> None:
    tracker = TokenTracker("gpt-4o")
    function = {"name": "read", "arguments": '{"path": "' + "a b " * 50 + '"}'}
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    assert (
        tracker.count_message_tokens(call) > tracker.count_message_tokens({"role": "assistant", "content": None}) + 50
    )
    assert tracker.count_messages_tokens([call, call]) == 2 * tracker.count_message_tokens(call)


def test_a_price_can_be_added(pricing: dict[str, dict[str, float]]) -> None:
    pricing["your-model-name"] = {"input": 1.00, "output": 4.00}
    tracker = TokenTracker("your-model-name")
    assert tracker.calculate_cost(input_tokens=1_000_000, output_tokens=1_000_000) == pytest.approx(5.00)
    assert (tracker.price().source, tracker.price().note) == ("user", "")


def test_a_price_can_be_changed_and_so_can_the_default(pricing: dict[str, dict[str, float]]) -> None:
    tracker = TokenTracker()
    pricing["gpt-4o"]["input"] = 2.00
    pricing["default"] = {"input": 7.00, "output": 8.00}
    assert tracker.calculate_cost("gpt-4o-2024-11-20", 1_000_000, 0) == pytest.approx(2.00)
    assert tracker.calculate_cost("gpt-4o-mini", 1_000_000, 0) == pytest.approx(0.15)
    assert tracker.calculate_cost("banana", 1_000_000, 0) == pytest.approx(7.00)
    assert PRICING["gpt-4o"]["input"] == 2.50  # nobody else's prices change


def test_a_price_that_is_none_is_refused_in_one_sentence(pricing: dict[str, dict[str, float]]) -> None:
    pricing["your-model-name"] = {"input": 1.00}
    with pytest.raises(ValueError, match="the price of your-model-name needs an input and an output"):
        TokenTracker("your-model-name").price()


def test_an_unknown_model_has_the_default_price_and_says_so() -> None:
    tracker = TokenTracker("banana")
    tracker.add_usage(Usage(1_000_000, 1_000_000))
    assert tracker.get_total_cost() == pytest.approx(0.55 + 2.19)
    assert tracker.get_summary()["notes"] == [
        "no price is known for banana, so the default of $0.55 in and $2.19 out per million tokens is used"
    ]


def test_the_requirements_statistics_come_out() -> None:
    """Total tokens 45,234; net savings 15,678 tokens (34.7 %)."""
    tracker = TokenTracker("gpt-4o")
    tracker.add_input_tokens(20_000)
    tracker.add_output_tokens(5_234)
    tracker.add_compression_savings(20_000)
    tracker.add_compression_cost(4_322, 500)
    assert (tracker.total_tokens, tracker.get_net_savings()) == (45_234, 15_678)
    assert round(tracker.get_savings_percentage(), 1) == 34.7


def test_the_money_of_a_compression_by_hand() -> None:
    tracker = TokenTracker(SONNET)
    tracker.add_input_tokens(100_000)  # 0.30
    tracker.add_output_tokens(10_000)  # 0.15
    tracker.add_compression_savings(70_000)  # worth 70,000 at 3 = 0.21
    tracker.add_compression_cost(20_000, 1_000, "gpt-4o-mini")  # 0.003 + 0.0006
    assert tracker.get_compression_cost() == pytest.approx(0.0036)
    assert tracker.get_total_cost() == pytest.approx(0.4536)
    assert tracker.get_net_savings() == 50_000
    assert tracker.get_net_cost() == pytest.approx(0.21 - 0.0036)
    assert tracker.compression_count == 1


def test_savings_are_worth_what_tokens_cost_that_were_sent() -> None:
    """Where nine tenths are read from the cache, a token that is not sent saves less than a fresh one costs."""
    tracker = TokenTracker(SONNET)
    tracker.add_input_tokens(1_000_000, cache_read=900_000)  # 0.1 * 3 + 0.9 * 0.3 = 0.57
    tracker.add_compression_savings(1_000_000)
    assert tracker.get_net_cost() == pytest.approx(0.57)
    fresh = TokenTracker(SONNET)
    fresh.add_compression_savings(1_000_000)
    assert fresh.get_net_cost() == pytest.approx(3.00)


def test_each_model_is_billed_at_its_own_price() -> None:
    tracker = TokenTracker("gpt-4o")
    tracker.add_input_tokens(1_000_000)
    tracker.add_input_tokens(1_000_000, "gpt-4o-mini")
    tracker.add_output_tokens(1_000_000, "gpt-4o-mini")
    assert tracker.get_total_cost() == pytest.approx(2.50 + 0.15 + 0.60)
    nameless = TokenTracker()
    nameless.add_input_tokens(1_000_000)
    assert nameless.get_total_cost(SONNET) == pytest.approx(3.00)


def test_many_small_calls_are_not_billed_like_one_large_one() -> None:
    """Above 200,000 tokens this model costs twice as much."""
    tracker = TokenTracker("claude-sonnet-4-5")
    for _ in range(10):
        tracker.add_input_tokens(100_000)
        tracker.add_output_tokens(1_000)
    assert tracker.get_total_cost() == pytest.approx(10 * (0.30 + 0.015))
    tracker.add_usage(Usage(300_000, 1_000))
    assert tracker.get_total_cost() == pytest.approx(3.15 + 0.3 * 6 + 0.001 * 22.5)


def test_a_budget_is_watched() -> None:
    tracker = TokenTracker(SONNET, budget_cost=1.00, budget_tokens=1_000_000)
    assert (tracker.check_budget().state, tracker.check_budget().share) == ("ok", 0.0)
    tracker.add_input_tokens(270_000)  # 0.81
    found = tracker.check_budget()
    assert (found.state, found.text) == ("near", "$0.81 of $1.00 of the budget is spent, 81%.")
    tracker.add_compression_cost(100_000)
    assert tracker.check_budget().state == "over"
    assert tracker.check_budget().text == "The budget is overspent: $1.11 of $1.00."
    assert TokenTracker().check_budget().state == "none"
    small = TokenTracker(SONNET, budget_cost=0.0004)
    small.add_input_tokens(200)  # 0.0006
    assert small.check_budget().text == "The budget is overspent: $0.0006 of $0.0004."


def test_the_tokens_of_summaries_count_for_the_budget() -> None:
    tracker = TokenTracker("gpt-4o", budget_tokens=1_000)
    tracker.add_input_tokens(500)
    tracker.add_compression_cost(400, 200)
    assert tracker.check_budget().text == "The budget is overspent: 1,100 of 1,000 tokens."


def test_a_budget_of_nothing_is_overspent_by_the_first_token() -> None:
    tracker = TokenTracker("gpt-4o", budget_tokens=0)
    assert tracker.check_budget().state == "ok"
    tracker.add_input_tokens(1)
    assert tracker.check_budget().state == "over"


@pytest.mark.parametrize(
    "add", ["add_input_tokens", "add_output_tokens", "add_compression_savings", "add_compression_cost"]
)
def test_fewer_than_no_tokens_are_refused(add: str) -> None:
    tracker = TokenTracker("gpt-4o")
    with pytest.raises(ValueError, match="tokens"):
        getattr(tracker, add)(-1)
    assert tracker.get_summary()["total_tokens"] == tracker.get_net_savings() == 0


def test_a_summary_holds_everything_and_a_reset_forgets_it() -> None:
    tracker = TokenTracker("gpt-4o", budget_tokens=10)
    tracker.add_input_tokens(100)
    tracker.add_output_tokens(10)
    tracker.add_compression_savings(50)
    tracker.add_compression_cost(20, 5)
    found = tracker.get_summary()
    assert found | {"total_cost": 0, "compression_cost": 0, "net_cost": 0} == {
        "total_input_tokens": 100,
        "total_output_tokens": 10,
        "used_tokens": 110,
        "total_tokens": 160,
        "total_cost": 0,
        "compression_count": 1,
        "compression_savings": 50,
        "compression_cost_tokens": 20,
        "compression_cost": 0,
        "net_savings": 30,
        "savings_percentage": pytest.approx(100 * 30 / 160),
        "net_cost": 0,
        "budget": "over",
        "notes": [],
    }
    assert found["total_cost"] == pytest.approx((100 * 2.5 + 10 * 10 + 20 * 2.5 + 5 * 10) / 1e6)
    tracker.reset()
    assert tracker.get_summary() | {"budget": "none"} == TokenTracker("gpt-4o").get_summary()
    assert tracker.check_budget().state == "ok"


CALLS = st.lists(
    st.tuples(st.sampled_from(["gpt-4o", SONNET, "banana"]), st.integers(0, 500_000), st.integers(0, 9_000))
)


@given(CALLS)
def test_calls_add_up_to_what_each_of_them_costs(calls: list[tuple[str, int, int]]) -> None:
    tracker = TokenTracker()
    for model, sent, wrote in calls:
        tracker.add_input_tokens(sent, model)
        tracker.add_output_tokens(wrote, model)
    each = sum(cost(price_of(model, overlay={}), Usage(sent, wrote)).total for model, sent, wrote in calls)
    assert tracker.get_total_cost() == pytest.approx(each)
    assert tracker.total_tokens == sum(sent + wrote for _, sent, wrote in calls)


@given(CALLS)
def test_a_call_in_two_halves_or_as_one_usage_is_the_same(calls: list[tuple[str, int, int]]) -> None:
    apart, whole = TokenTracker(), TokenTracker()
    for model, sent, wrote in calls:
        apart.add_input_tokens(sent, model)
        apart.add_output_tokens(wrote, model)
        whole.add_usage(Usage(sent, wrote), model)
    assert apart.get_summary() == whole.get_summary()
