"""The account of a memory: everything paid for once, every summary subtracted once."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.core.conversation import Usage
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager, TokenTracker, statistics
from inspector.memory.stats import check_actual_tokens, usage_of_call
from inspector.memory.token_tracker import percentage
from tests.memory.scripted_llm import SUMMARY, Counts, Reply, ScriptedLLM

WORDS = "The order lies in /srv/orders/may.csv and came to 4,711 dollars, as was agreed. " * 4
BRIEFED = Reply(SUMMARY, usage=Counts(900, 60))


async def fed(count: int, summary: Any = BRIEFED, **settings: Any) -> MemoryManager:
    """A manager after a talk of so many messages with gpt-4o-mini, each reply reported as 500 tokens in and 80 out."""
    config = MemoryConfig(**({"compression_threshold": 1_000, "short_term_size": 4, "summary_retries": 0} | settings))
    memory = MemoryManager(config, ScriptedLLM(summary=summary) if summary else None, model="gpt-4o-mini")
    for number in range(count):
        if number % 2:
            message = LLMMessage("assistant", f"{number}: {WORDS}")
            await memory.add_message(message, actual_tokens={"input": 500, "output": 80})
        else:
            await memory.add_message(LLMMessage("user", f"{number}: {WORDS}"))
    return memory


def test_the_percentage_of_the_requirement() -> None:
    assert round(percentage(15_678, 45_234), 1) == 34.7
    assert percentage(5, 0) == 0.0


async def test_what_was_reported_is_what_is_counted_and_billed() -> None:
    stats = (await fed(8, enable_compression=False)).get_stats()
    assert (stats["total_input_tokens"], stats["total_output_tokens"], stats["total_tokens"]) == (2_000, 320, 2_320)
    assert stats["total_cost"] == pytest.approx((2_000 * 0.15 + 320 * 0.60) / 1e6)
    assert stats["net_savings"] == stats["savings_percentage"] == stats["net_cost"] == 0


async def test_a_reply_without_a_report_is_a_call_with_all_of_the_context() -> None:
    memory = MemoryManager(MemoryConfig(), model="gpt-4o-mini")
    await memory.add_message(LLMMessage("user", WORDS))
    sent = memory.current_tokens
    await memory.add_message(LLMMessage("assistant", WORDS))
    stats = memory.get_stats()
    assert stats["total_input_tokens"] == sent
    assert stats["total_output_tokens"] == memory.engine.cursor.log_tokens[1]
    await memory.add_message(LLMMessage("user", WORDS))
    assert memory.get_stats()["total_input_tokens"] == sent, "what is only added has not been sent"


async def test_savings_are_told_apart() -> None:
    memory = await fed(40)
    stats, passes = memory.get_stats(), memory.engine.plans
    assert stats["compression_count"] == len(passes) > 1
    assert stats["gross_savings"] == stats["uncompressed_tokens"] - stats["current_tokens"]
    assert stats["avoided_tokens"] > stats["gross_savings"], "each later call did without them"
    assert (stats["compression_input_tokens"], stats["compression_output_tokens"]) == (
        900 * len(passes),
        60 * len(passes),
    )
    assert stats["net_savings"] == stats["avoided_tokens"] - stats["compression_input_tokens"]
    assert stats["used_tokens"] == stats["total_input_tokens"] + stats["total_output_tokens"]
    assert stats["total_tokens"] == stats["used_tokens"] + stats["avoided_tokens"]
    assert stats["savings_percentage"] == pytest.approx(100 * stats["net_savings"] / stats["total_tokens"])


async def test_never_more_than_all_is_saved() -> None:
    memory = await fed(300, summary=None)
    stats = memory.get_stats()
    assert stats["net_savings"] > stats["used_tokens"], "more was saved than sent"
    assert 50 < stats["savings_percentage"] < 100
    assert f"({stats['savings_percentage']:.1f}%)" in statistics(stats)


@pytest.mark.parametrize("summary", [BRIEFED, None, Reply("Goal:", stop_reason="length", usage=Counts(900, 60))])
async def test_the_tracker_says_the_same_as_the_statistics(summary: Any) -> None:
    memory = await fed(40, summary=summary)
    stats, told = memory.get_stats(), memory.token_tracker.get_summary()
    both = stats.keys() & told.keys()
    assert {"net_savings", "savings_percentage", "net_cost", "total_tokens", "compression_cost"} <= both
    assert {name: stats[name] for name in both} == {name: told[name] for name in both}


async def test_two_managers_with_one_tracker_tell_of_both() -> None:
    tracker = TokenTracker("gpt-4o-mini")
    config = MemoryConfig(compression_threshold=1_000, short_term_size=4)
    first, second = (MemoryManager(config, model="gpt-4o-mini", tracker=tracker) for _ in range(2))
    for number in range(40):
        await first.add_message(LLMMessage("assistant" if number % 2 else "user", f"{number}: {WORDS}"))
    alone = first.get_stats()
    await second.add_message(LLMMessage("assistant", "x"), {"input": 10, "output": 5})
    assert second.get_stats()["used_tokens"] == alone["used_tokens"] + 15
    assert second.get_stats()["net_savings"] == alone["net_savings"] > 0
    assert not second.was_compressed_last_iteration


async def test_a_summary_is_paid_for_once() -> None:
    memory = await fed(40)
    stats = memory.get_stats()
    count = stats["compression_count"]
    summaries = count * (900 * 0.15 + 60 * 0.60) / 1e6
    calls = 20 * (500 * 0.15 + 80 * 0.60) / 1e6
    assert stats["compression_cost"] == pytest.approx(summaries)
    assert stats["total_cost"] == pytest.approx(calls + summaries)
    assert stats["net_cost"] == pytest.approx(stats["avoided_cost"] - summaries)
    assert stats["avoided_cost"] == pytest.approx(stats["avoided_tokens"] * 0.15 / 1e6)


async def test_a_summary_that_was_no_use_is_paid_for_too() -> None:
    memory = await fed(20, summary=Reply("Goal:", stop_reason="length", usage=Counts(900, 60)))
    stats = memory.get_stats()
    assert stats["compression_count"] == 0
    assert stats["failed_compressions"] > 0
    assert stats["compression_input_tokens"] == 900 * stats["failed_compressions"]
    assert stats["compression_cost"] > 0
    assert stats["net_savings"] == -stats["compression_input_tokens"]
    assert stats["net_cost"] == pytest.approx(-stats["compression_cost"])


async def test_a_summary_made_without_a_model_costs_nothing() -> None:
    stats = (await fed(40, summary=None)).get_stats()
    assert stats["compression_count"] > 0
    assert stats["compression_cost"] == stats["compression_input_tokens"] == 0


async def test_the_prompt_cache_is_paid_for_again_only_where_there_is_one() -> None:
    memory = await fed(0)
    for cached in (0, 400):
        for number in range(20):
            await memory.add_message(LLMMessage("user", f"{number}: {WORDS}"))
            actual = {"input": 500, "output": 80, "cache_read": cached, "cache_write": 0}
            await memory.add_message(LLMMessage("assistant", f"{number}: {WORDS}"), actual_tokens=actual)
        stats = memory.get_stats()
        assert (stats["cache_rewritten_tokens"] > 0) == (cached > 0)


async def test_the_account_goes_into_the_tracker_that_was_handed_over() -> None:
    tracker = TokenTracker("gpt-4o-mini", budget_tokens=1_000)
    memory = MemoryManager(MemoryConfig(), model="gpt-4o-mini", tracker=tracker)
    await memory.add_message(LLMMessage("assistant", "Three."), actual_tokens={"input": 2_000, "output": 3})
    assert memory.token_tracker is tracker
    assert tracker.total_input_tokens == 2_000
    assert memory.get_stats()["budget"] == "over"


async def test_a_model_nobody_knows_has_the_default_price_and_says_so() -> None:
    memory = MemoryManager(MemoryConfig(), model="nobody-knows-1")
    await memory.add_message(LLMMessage("assistant", "x"), actual_tokens={"input": 1_000_000, "output": 0})
    stats = memory.get_stats()
    assert stats["total_cost"] == pytest.approx(0.55)
    assert "nobody-knows-1" in stats["price_note"]


@pytest.mark.parametrize("wrong", [{"input": -1}, {"output": "many"}, {"input": 1.5}])
async def test_numbers_that_are_none_are_refused_before_anything_is_taken_in(wrong: dict[str, Any]) -> None:
    memory = MemoryManager()
    with pytest.raises(ValueError, match="is a number of tokens"):
        await memory.add_message(LLMMessage("assistant", "x"), actual_tokens=wrong)
    assert memory.engine.log == []
    assert memory.get_stats()["total_tokens"] == 0


def test_what_was_not_reported_is_estimated() -> None:
    assert usage_of_call({"input": None, "output": 7}, size=100, output=9).input == 100
    assert usage_of_call({"output": 7}, size=100, output=9).output == 7
    assert usage_of_call({}, size=100, output=9).output == 9


def test_an_input_that_leaves_out_the_cache_is_completed() -> None:
    reported = usage_of_call({"input": 100, "output": 20, "cache_read": 5_000, "cache_write": 7}, size=1, output=1)
    assert (reported.input, reported.cache_read, reported.cache_write) == (5_107, 5_000, 7)
    assert usage_of_call({"input": 6_000, "output": 20, "cache_read": 5_000}, size=1, output=1).input == 6_000
    assert usage_of_call({"cache_read": 5_000}, size=90, output=1).input == 5_000


async def test_fresh_tokens_cost_something_beside_cached_ones() -> None:
    memory = MemoryManager(model="claude-3-5-sonnet-20241022", provider="anthropic")
    actual = {"input": 100, "output": 0, "cache_read": 5_000}
    await memory.add_message(LLMMessage("assistant", "Three."), actual)
    stats = memory.get_stats()
    assert stats["total_input_tokens"] == 5_100
    assert stats["total_cost"] == pytest.approx(memory.account.price.cache_read * 5e-3 + 3.0 * 1e-4)


def test_a_providers_own_usage_is_understood() -> None:
    by_names = {"input": 5_100, "output": 20, "cache_read": 5_000, "cache_write": 0}
    anthropic = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 5_000, "service_tier": "standard"}
    openai = {"prompt_tokens": 5_100, "completion_tokens": 20, "total_tokens": 5_120}
    details = {"prompt_tokens_details": SimpleNamespace(cached_tokens=5_000)}
    for usage in (anthropic, openai | details):
        assert check_actual_tokens(usage) == check_actual_tokens(SimpleNamespace(**usage)) == by_names
    assert check_actual_tokens(Usage(5_100, 20, 5_000)) == by_names
    assert check_actual_tokens(None) == check_actual_tokens({}) == {}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"input_token": 5}, "actual_tokens has no 'input_token'; it has input, output, cache_read, cache_write."),
        ({"prompt_tokens": -5}, "actual_tokens['prompt_tokens'] is a number of tokens, not -5."),
        ({"input": True}, "actual_tokens['input'] is a number of tokens, not True."),
        (17, "actual_tokens is a dictionary with input, output, cache_read, cache_write, not 17."),
    ],
)
def test_a_usage_that_says_nothing_is_refused_with_a_sentence(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        check_actual_tokens(wrong)


async def test_the_block_at_the_end_tells_of_failures_too() -> None:
    memory = await fed(40, summary=ConnectionError("nobody\x1b[31m there"))
    lines = statistics(memory.get_stats()).splitlines()
    assert lines[0] == "--- Memory Statistics ---"
    assert lines[2] == "Compressions: 0"
    assert lines[5].startswith("Failed compressions: ")
    assert "nobody" in lines[5]
    assert "\x1b" not in "".join(lines)
    assert lines[6].startswith("Waiting: the last ")
