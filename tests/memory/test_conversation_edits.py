"""A memory that begins with a history, takes its last message back, is compressed by choice, and begins again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.engine.compression import Preset, save
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager, TokenTracker
from inspector.store import Store

TASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Count the orders."}]
CALL = {"id": "c1", "type": "function", "function": {"name": "count", "arguments": "{}"}}


def texts(memory: MemoryManager) -> list[Any]:
    return [message.content for message in memory.get_context_for_llm()]


def steps(count: int) -> list[dict[str, Any]]:
    return [
        {"role": role, "content": f"{role} {number} " + "word " * 60}
        for number in range(count)
        for role in ("assistant", "user")
    ]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.db")


async def test_a_memory_begins_with_a_history() -> None:
    memory = await MemoryManager.from_history(TASK, MemoryConfig(compression_threshold=2_000), model="gpt-4o")
    assert texts(memory) == ["Be brief.", "Count the orders."]
    await memory.add_messages(steps(40))
    assert memory.current_tokens <= 2_000 and memory.engine.plans
    assert memory.get_context_for_llm()[1].content == "Count the orders."


async def test_the_last_message_is_taken_back_and_another_takes_its_place() -> None:
    memory = await MemoryManager.from_history(TASK)
    before = memory.current_tokens
    wrong = LLMMessage("assistant", "There are thirteen.")
    await memory.add_message(wrong)
    assert memory.take_back() is wrong
    assert memory.current_tokens == before
    await memory.add_message({"role": "assistant", "content": "There are twelve."})
    assert texts(memory)[-1] == "There are twelve."


async def test_nothing_is_taken_back_of_an_empty_memory() -> None:
    assert MemoryManager().take_back() is None


async def test_a_message_of_several_results_is_taken_back_as_a_whole_and_its_calls_are_open_again() -> None:
    uses: list[dict[str, Any]] = [{"type": "tool_use", "id": name, "name": "count", "input": {}} for name in ("a", "b")]
    results = [{"type": "tool_result", "tool_use_id": name, "content": name} for name in ("a", "b")]
    memory = await MemoryManager.from_history([TASK[1], {"role": "assistant", "content": uses}], model="claude-opus-4")
    await memory.add_message({"role": "user", "content": results})
    back = memory.take_back()
    assert back is not None and len(back.content) == 2
    assert [call.id for call in memory.open_calls] == ["a", "b"]
    await memory.add_message(back)
    assert memory.open_calls == ()


async def test_a_message_that_was_taken_back_stays_away_after_a_resume(store: Store) -> None:
    memory = MemoryManager.resume(store, "run")
    await memory.add_messages([*TASK, {"role": "assistant", "content": "Thirteen."}])
    memory.take_back()
    await memory.add_message({"role": "assistant", "content": None, "tool_calls": [CALL]})
    memory.close()
    again = MemoryManager.resume(store, "run")
    assert [call.id for call in again.open_calls] == ["c1"]
    assert again.take_back() is not None
    again.close()
    last = MemoryManager.resume(store, "run")
    assert texts(last) == ["Be brief.", "Count the orders."]
    await last.add_message({"role": "assistant", "content": "Twelve."})
    last.close()
    assert texts(MemoryManager.load(store, "run")) == ["Be brief.", "Count the orders.", "Twelve."]


async def test_a_memory_is_compressed_with_another_strategy_once() -> None:
    config = MemoryConfig(compression_strategy="sliding_window", compression_threshold=50_000)
    memory = await MemoryManager.from_history([*TASK, *steps(30)], config)
    assert await memory.compress(strategy="deletion")
    assert memory.engine.plans[-1].strategy == "deletion"
    assert memory.compressed_memory is None
    assert memory.engine.policy.strategy == "sliding_window"
    await memory.add_messages(steps(40))
    assert await memory.compress()
    assert memory.engine.plans[-1].strategy == "sliding_window"


async def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(ValueError, match="magic"):
        await MemoryManager().compress(strategy="magic")


async def test_a_reset_memory_is_as_new() -> None:
    tracker = TokenTracker("gpt-4o")
    memory = await MemoryManager.from_history(
        [*TASK, *steps(40)], MemoryConfig(compression_threshold=2_000), model="gpt-4o", tracker=tracker
    )
    fresh = MemoryManager(MemoryConfig(compression_threshold=2_000), model="gpt-4o").get_stats()
    memory.reset()
    assert memory.get_context_for_llm() == [] and memory.compressed_memory is None
    stats = memory.get_stats()
    assert {name: stats[name] for name in ("current_tokens", "total_messages", "gave_up", "last_error")} == {
        name: fresh[name] for name in ("current_tokens", "total_messages", "gave_up", "last_error")
    }
    assert memory.token_tracker is tracker
    await memory.add_messages(TASK)
    assert texts(memory) == ["Be brief.", "Count the orders."]


async def test_persistent_memory_outlives_a_reset_with_and_without_a_store(store: Store) -> None:
    for place in (None, store):
        memory = MemoryManager(store=place)
        memory.on_turn_end({"role": "user", "content": "Please remember that the port is 8080."})
        memory.profile.set("name", "Alice")
        memory.reset()
        memory.on_turn_end({"role": "user", "content": "Please remember that the host is kiwi."})
        assert memory.profile.get("name") == "Alice"
        assert len(memory.retrieve("port host")) == 2
        kept = [entry.text for entry in memory.session_memory if entry.key is None]
        assert kept == ["Please remember that the host is kiwi."]


async def test_a_reset_begins_a_new_session_in_the_store_and_keeps_the_old_one(store: Store) -> None:
    memory = MemoryManager.resume(store, "run")
    await memory.add_messages(TASK)
    memory.reset()
    await memory.add_message("Another task.")
    name = memory.save()
    assert name != "run"
    assert texts(MemoryManager.load(store, "run")) == ["Be brief.", "Count the orders."]
    assert texts(MemoryManager.load(store, name)) == ["Another task."]


async def test_a_subclass_is_reset_as_a_whole() -> None:
    class Counting(MemoryManager):
        def __init__(self, label: str) -> None:
            super().__init__(model="gpt-4o")
            self.label, self.seen = label, 0

    memory = Counting("a")
    memory.seen = 3
    memory.reset()
    assert (memory.label, memory.seen, memory.model) == ("a", 0, "gpt-4o")


def test_a_preset_that_the_user_saved_is_used_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_PRESETS", str(tmp_path / "presets.toml"))
    save(Preset("mine", threshold=12_345, strategy="deletion"))
    config = MemoryConfig.from_preset("mine")
    assert (config.compression_threshold, str(config.compression_strategy)) == (12_345, "deletion")
