"""A context that stays within its limit, and the compression of messages in one call."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from inspector.engine.strategies import STRATEGIES
from inspector.memory import (
    CompressedMessages,
    ContextLimitError,
    LLMMessage,
    MemoryConfig,
    MemoryManager,
    acompress,
    compress,
)
from tests.provider_rules import check_openai


def steps(count: int, rng: Random, most: int = 400) -> list[dict[str, Any]]:
    """Return a task and `count` tool calls with their results of up to `most` words."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You tend the greenhouse."},
        {"role": "user", "content": "Log what every bed needs."},
    ]
    for number in range(count):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read_bed", "arguments": "{}"}}
        words = " ".join(rng.choice(("moss", "pH 6", "dry", "row", "leaf")) for _ in range(rng.randint(1, most)))
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": words},
        ]
    return messages


@pytest.mark.parametrize("strategy", list(STRATEGIES))
async def test_one_result_larger_than_the_limit_is_cut_and_the_log_keeps_it(strategy: str) -> None:
    config = MemoryConfig(compression_threshold=2_000, max_context_tokens=4_000, compression_strategy=strategy)
    memory = MemoryManager(config, model="gpt-4o-mini")
    for message in steps(3, Random(3)):
        await memory.add_message(message)
    call = {"id": "big", "type": "function", "function": {"name": "cat", "arguments": "{}"}}
    await memory.add_message({"role": "assistant", "content": None, "tool_calls": [call]})
    text = "first line\n" + "a line of the log\n" * 20_000 + "last line"
    await memory.add_message({"role": "tool", "tool_call_id": "big", "content": text})
    assert memory.current_tokens <= 4_000
    newest = memory.get_context_for_llm()[-1]
    assert newest.content.startswith("first line") and newest.content.endswith("last line")
    assert "characters left out" in newest.content
    assert memory.engine.log[-1].text == text


async def test_a_long_result_is_cut_before_the_strategy_takes_anything_else_out() -> None:
    memory = MemoryManager(MemoryConfig(compression_threshold=3_000, max_context_tokens=8_000), model="gpt-4o-mini")
    messages = steps(6, Random(8), most=40)
    messages[-1]["content"] = "a line of the log\n" * 20_000
    for message in messages:
        await memory.add_message(message)
    assert [plan.strategy for plan in memory.engine.plans] == ["trim_outputs"]
    assert len(memory.get_context_for_llm()) == len(messages)


async def test_a_result_that_has_to_stay_word_for_word_is_never_cut() -> None:
    config = MemoryConfig(compression_threshold=2_000, max_context_tokens=4_000, preserve_tool_calls=True)
    memory = MemoryManager(config, model="gpt-4o-mini")
    messages = steps(1, Random(4))
    messages[-1]["content"] = "moss " * 6_000
    for message in messages:
        await memory.add_message(message)
    assert memory.get_context_for_llm()[-1].content == messages[-1]["content"]
    assert memory.get_stats()["over_limit"]


async def test_a_strategy_that_only_trims_still_keeps_the_limit() -> None:
    config = MemoryConfig(compression_threshold=1_500, max_context_tokens=3_000, compression_strategy="trim_outputs")
    memory = MemoryManager(config, model="gpt-4o-mini")
    for message in steps(120, Random(5), most=60):
        await memory.add_message(message)
        assert memory.current_tokens <= 3_000
    assert not memory.get_stats()["over_limit"]
    assert memory.get_context_for_llm()[1].content == "Log what every bed needs."


async def test_a_context_that_no_model_accepts_is_an_error_with_its_size() -> None:
    memory = MemoryManager(MemoryConfig(max_context_tokens=100_000), model="gpt-4o-mini")
    await memory.add_message({"role": "user", "content": "moss " * 150_000})
    with pytest.raises(ContextLimitError, match="and gpt-4o-mini accepts 128,000"):
        memory.get_context_for_llm()


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_messages_are_compressed_in_one_call_to_a_valid_request(strategy: str) -> None:
    for seed in range(6):
        messages = steps(30, Random(seed))
        result = compress(messages, strategy, budget=1_500, model="gpt-4o-mini")
        assert isinstance(result, CompressedMessages) and result.tokens_after <= 1_500 < result.tokens_before
        assert result.plans
        assert messages[0] in result and messages[1] in result
        assert all(isinstance(message, dict) for message in result)
        problems = check_openai({"model": "gpt-4o-mini", "messages": list(result)})
        assert [problem for problem in problems if "could be one" not in problem] == []


async def test_messages_that_fit_are_returned_as_they_are() -> None:
    messages = steps(2, Random(1))
    result = await acompress(messages, budget=100_000, model="gpt-4o-mini")
    assert all(new is old for new, old in zip(result, messages, strict=True)) and result.plans == ()
    assert compress([], budget=10) == []
    twice = [messages[1], messages[1]]
    assert all(message is messages[1] for message in compress(twice, budget=100_000))


def test_results_have_the_type_of_the_given_messages() -> None:
    @dataclass
    class Note:
        role: str
        content: Any = None
        tool_calls: Any = None
        tool_call_id: str | None = None

    messages = steps(30, Random(2))
    for kind in (Note, LLMMessage):
        result = compress([kind(**message) for message in messages], budget=1_500, model="gpt-4o-mini")
        assert {type(message) for message in result} == {kind}
        assert any(message.content not in [old["content"] for old in messages] for message in result)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"budget": 1}, "budget must be a whole number"),
        ({"budget": 500, "strategy": "shrink"}, "There is no strategy 'shrink'"),
        ({"budget": 500, "settings": {"depth": 1}}, "has no setting 'depth'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        compress(steps(3, Random(0)), **arguments)


def test_what_has_to_stay_and_exceeds_the_budget_is_an_error() -> None:
    with pytest.raises(ContextLimitError, match="more than the budget of 50"):
        compress([{"role": "user", "content": "moss " * 200}], budget=50, model="gpt-4o-mini")
