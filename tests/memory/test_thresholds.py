"""A memory whose threshold depends on its model, or on what can never be compressed."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.engine.compression import Net, Share
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager

TOOL = {
    "type": "function",
    "function": {"name": "count", "description": "Counts the boats. " * 20, "parameters": {"type": "object"}},
}


async def filled(threshold: Any, replies: int = 0, tools: list[Any] | None = None, **settings: Any) -> MemoryManager:
    """A memory after its prompt, its task and some replies."""
    config = MemoryConfig(
        compression_threshold=threshold, compression_strategy="deletion", short_term_size=2, **settings
    )
    memory = MemoryManager(config, model="gpt-4", tools=tools or [])
    await memory.add_message(LLMMessage(role="system", content="Be brief. " * 200))
    await memory.add_message(LLMMessage(role="user", content="Count the boats. " * 100))
    for number in range(replies):
        await memory.add_message(LLMMessage(role="assistant", content=f"{number}: " + "One more boat. " * 30))
    return memory


async def test_a_share_is_of_the_models_window_or_of_the_most_that_is_sent() -> None:
    assert (await filled("50%")).engine.policy.threshold == 8_192 // 2
    assert (await filled(Share(50), max_context_tokens=6_000)).engine.policy.threshold == 3_000


async def test_a_net_threshold_lies_above_prompt_task_and_tools() -> None:
    memory = await filled("+500")
    assert memory.engine.policy.threshold == memory.current_tokens + 500
    with_tools = await filled(Net(500), tools=[TOOL])
    assert with_tools.engine.policy.threshold == with_tools.current_tokens + 500
    assert with_tools.engine.policy.threshold > memory.engine.policy.threshold + 40


async def test_it_stands_fast_once_the_task_is_there_and_is_what_compresses() -> None:
    memory = await filled("+500")
    threshold = memory.engine.policy.threshold
    await memory.add_message(LLMMessage(role="system", content="Another word. " * 50))
    assert memory.engine.policy.threshold == threshold
    busy = await filled("+500", replies=12)
    assert busy.engine.policy.threshold == threshold
    assert busy.get_stats()["compression_count"] >= 1
    assert busy.current_tokens < busy.engine.full_total


async def test_it_is_never_above_the_most_that_is_sent() -> None:
    memory = await filled("+50000", max_context_tokens=4_000, target_tokens=30_000)
    assert memory.engine.policy.threshold == 4_000
    assert memory.engine.policy.target < 4_000


async def test_the_environment_and_presets_may_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_COMPRESSION_THRESHOLD", "60%")
    assert MemoryConfig().compression_threshold == Share(60)
    assert MemoryManager(MemoryConfig(), model="gpt-4").engine.policy.threshold == 4_915
    assert MemoryConfig.from_preset("early").compression_threshold == Net(20_000)


@pytest.mark.parametrize("wrong", ["lots", "120%", "40000", None, True, 0, 4.5])
def test_what_is_no_threshold_is_refused_with_its_name(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"compression_threshold|share of the model's window"):
        MemoryConfig(compression_threshold=wrong)


async def test_an_adaptive_one_says_why_it_is_what_it_is() -> None:
    memory = await filled("adaptive", replies=200, max_context_tokens=4_000)
    stats = memory.get_stats()
    assert stats["compression_count"] > 1
    assert stats["compression_threshold"] == memory.engine.policy.threshold <= 3_200
    assert f"above {stats['compression_threshold']:,} tokens" in stats["threshold_reason"]
    assert (await filled("20%")).get_stats()["threshold_reason"] == ""
