"""The memory manager where something goes wrong or much comes at once: nothing is raised, lost or given away."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from inspector.engine.strategies import Services
from inspector.engine.summaries import SummaryError
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager, WorkingMemoryCompressor, statistics
from inspector.store import Store
from tests.memory.scripted_llm import ScriptedLLM, call
from tests.memory.test_manager import WORDS, fed, same, talk, until
from tests.store.made import persistent_entries

SPILLED = "401 Incorrect API key sk-proj-Abc123def456ghi789 \x1b[31mred"


async def test_what_came_during_a_compression_is_compressed_after_it() -> None:
    llm = ScriptedLLM(pause=0.05)
    config = MemoryConfig(compression_threshold=3_000, max_context_tokens=10_000, short_term_size=4)
    memory = MemoryManager(config, llm)
    await asyncio.gather(*[memory.add_message(message) for message in talk(200, WORDS * 10)])
    assert memory.engine.full_total > 40_000
    assert memory.current_tokens < 10_000
    assert len(llm.briefed) > 1
    assert not memory.engine.due
    assert not memory.get_stats()["over_limit"]


async def test_one_message_waits_until_nothing_is_due_any_more() -> None:
    """Those who add the others are not there to compress again, for they were called off."""
    llm = ScriptedLLM(pause=0.05)
    memory = MemoryManager(MemoryConfig(compression_threshold=3_000), llm)
    for message in talk(34):
        await memory.add_message(message)
    first = asyncio.create_task(memory.add_message(LLMMessage("user", WORDS * 50)))
    await until(lambda: llm.begun == 1)
    others = [asyncio.create_task(memory.add_message(message)) for message in talk(60, WORDS * 10)]
    await asyncio.sleep(0.001)
    for each in others:
        each.cancel()
    await first
    assert len(memory.engine.log) == 95
    assert len(memory.engine.plans) == 2
    assert not memory.engine.due


async def test_a_search_that_raises_brings_nothing_back_and_is_told_of() -> None:
    def search(*_: Any) -> Any:
        raise OSError("the index is gone")

    config = MemoryConfig(compression_threshold=1_000, compression_strategy="vector_swap")
    memory = MemoryManager(config, services=Services(search=search))
    messages = talk(40)
    for message in messages:
        await memory.add_message(message)
    context = memory.get_context_for_llm()
    assert len(context) < len(messages)
    assert all(message in messages for message in context)
    assert memory.get_stats()["last_error"] == "The search failed: OSError: the index is gone."


async def test_a_model_that_never_answers_is_not_waited_for_longer_than_the_settings_say() -> None:
    llm = ScriptedLLM(pause=3_600)
    messages = talk(16)
    async with asyncio.timeout(60):
        memory = await fed(messages, llm, summary_timeout=0.02)
        with pytest.raises(SummaryError, match=r"took longer than 0\.02 seconds"):
            await WorkingMemoryCompressor(llm, memory.config).compress(messages)
    assert same(memory.get_context_for_llm(), messages)
    assert memory.get_stats()["last_error"].startswith("The model gpt-4o-mini took longer than 0.02 seconds;")
    assert llm.cancelled == llm.begun > 0


async def test_a_models_own_timeout_is_told_as_its_own() -> None:
    memory = await fed(talk(16), ScriptedLLM(summary=TimeoutError("no luck")))
    assert memory.get_stats()["last_error"].startswith("The model gpt-4o-mini took too long (TimeoutError: no luck);")


class Spilling(WorkingMemoryCompressor):
    """Its own rule raises what no one should see."""

    def _should_preserve(self, message: LLMMessage) -> bool:
        raise RuntimeError(SPILLED)


def spilling(*_: Any) -> Any:
    raise RuntimeError(SPILLED)


def failing(*_: Any) -> Any:
    raise SummaryError(SPILLED)


@pytest.mark.parametrize(
    "given",
    [
        {"llm": ScriptedLLM(summary=RuntimeError(SPILLED))},
        {"llm": ScriptedLLM(summary=SummaryError(SPILLED))},
        {"compressor": Spilling},
        {"services": Services(summarise=spilling)},
        {"services": Services(summarise=failing)},
    ],
)
async def test_keys_and_escapes_are_told_to_nobody(given: dict[str, Any]) -> None:
    memory = MemoryManager(MemoryConfig(compression_threshold=1_000, short_term_size=4), **given)
    for message in talk(80):
        await memory.add_message(message)
    stats = memory.get_stats()
    assert stats["gave_up"]
    for text in (stats["last_error"], stats["gave_up"], statistics(stats)):
        assert "401 Incorrect API" in text
        assert "sk-proj" not in text
        assert "\x1b" not in text


async def test_a_failing_model_is_asked_less_and_less_often() -> None:
    llm = ScriptedLLM(summary=ConnectionError("nobody there"))
    memory = await fed(talk(300), llm)
    assert memory.engine.full_total > 20_000
    assert len(llm.briefed) <= 8


async def test_where_all_has_to_stay_the_statistics_say_so() -> None:
    class Everything(WorkingMemoryCompressor):
        def _should_preserve(self, message: LLMMessage) -> bool:
            return True

    messages = talk(60)
    memory = await fed(messages, None, Everything, max_context_tokens=3_000)
    stats = memory.get_stats()
    assert stats["over_limit"]
    assert stats["current_tokens"] > 3_000
    assert "would remove nothing: " in stats["gave_up"]
    assert "of its messages are pinned" in stats["gave_up"]
    assert "more than max_context_tokens allows" in statistics(stats)
    assert not (await fed(messages)).get_stats()["over_limit"]


async def test_messages_may_be_dictionaries_and_results_need_no_id() -> None:
    memory = MemoryManager()
    await memory.add_message({"role": "user", "content": "Look at the orders."})
    await memory.add_message({"role": "assistant", "content": None, "tool_calls": [call("c1")]})
    await memory.add_message(LLMMessage("tool", "Three orders."))
    await memory.add_message("And in June?")
    assert [message.to_dict() for message in memory.get_context_for_llm()] == [
        {"role": "user", "content": "Look at the orders."},
        {"role": "assistant", "content": None, "tool_calls": [call("c1")]},
        {"role": "tool", "content": "Three orders.", "tool_call_id": "c1"},
        {"role": "user", "content": "And in June?"},
    ]


@pytest.mark.parametrize("wrong", [{"content": "hello"}, {"role": 7}, None, 5])
async def test_what_says_no_role_is_no_message(wrong: Any) -> None:
    memory = MemoryManager()
    with pytest.raises(ValueError, match="A message states its role, such as 'user'"):
        await memory.add_message(wrong)
    assert memory.engine.log == []


async def test_a_compressor_takes_dictionaries_and_settings_for_another_strategy() -> None:
    config = MemoryConfig(strategy_settings={"ratio": 0.2})
    messages = [message.to_dict() for message in talk(10)]
    compressed = await WorkingMemoryCompressor(ScriptedLLM(), config).compress(messages, strategy="deletion")  # type: ignore[arg-type]
    assert compressed.strategy == "deletion"
    assert compressed.original_message_count == 10


async def test_a_session_is_archived_whether_its_turns_were_ended_or_not(tmp_path: Path) -> None:
    with Store(tmp_path / "memory.db") as store:
        memory = MemoryManager(store=store)
        await memory.add_message(LLMMessage("system", "Be brief and kind."))
        ended = LLMMessage("user", "The orders lie in /srv/orders/may.csv, and those of June in /srv/orders/june.csv.")
        await memory.add_message(ended)
        memory.on_turn_end(ended)
        await memory.add_message(LLMMessage("assistant", "We decided to use port 8443 for /srv/gateway.toml."))
        archived = memory.on_session_end()
        assert archived
        assert archived.kind == "summary"
        assert "/srv/orders/may.csv" in archived.text
        assert "8443" in archived.text
        assert "kind" not in archived.text
        assert len(archived.message_ids) == 2
        assert archived.text in [entry.text for entry in persistent_entries(store)]
    assert MemoryManager().on_session_end() is None
