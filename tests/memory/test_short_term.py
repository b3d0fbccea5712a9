"""Short-term memory: the plain one of requirement 3, and the view that a manager has."""

from __future__ import annotations

import pytest

from inspector.memory import LLMMessage, MemoryConfig, MemoryManager, ShortTermMemory
from tests.memory.scripted_llm import call

MESSAGES = [LLMMessage("user" if number % 2 == 0 else "assistant", f"Message {number}.") for number in range(8)]


def filled(size: int) -> ShortTermMemory:
    memory = ShortTermMemory(max_size=size)
    for message in MESSAGES:
        memory.add_message(message)
    return memory


async def managed(size: int, *messages: LLMMessage) -> MemoryManager:
    memory = MemoryManager(MemoryConfig(short_term_size=size))
    for message in messages:
        await memory.add_message(message)
    return memory


def test_the_oldest_falls_out_when_it_is_full() -> None:
    memory = filled(3)
    assert memory.get_all() == MESSAGES[5:] == [*memory]
    assert (memory.count(), len(memory), memory.is_full()) == (3, 3, True)
    memory.clear()
    assert (memory.get_all(), memory.is_full()) == ([], False)


def test_none_are_kept_where_there_is_room_for_none() -> None:
    assert filled(0).get_all() == []


def test_what_it_gives_out_is_a_copy() -> None:
    memory = filled(3)
    memory.get_all().clear()
    assert memory.count() == 3


def test_a_size_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or more messages, not -1"):
        ShortTermMemory(-1)


async def test_a_manager_shows_its_newest_messages() -> None:
    memory = await managed(3, LLMMessage("system", "Be brief."), *MESSAGES)
    assert memory.short_term.get_all() == MESSAGES[5:] == [*memory.short_term]
    assert memory.short_term.is_full()


async def test_a_manager_with_a_size_of_none_shows_none() -> None:
    memory = await managed(0, *MESSAGES)
    assert memory.short_term.get_all() == []


async def test_system_messages_are_not_among_the_newest() -> None:
    memory = await managed(3, MESSAGES[0], LLMMessage("system", "Be brief."))
    assert memory.short_term.get_all() == MESSAGES[:1]
    assert not memory.short_term.is_full()


async def test_parallel_results_are_never_without_their_call() -> None:
    caller = LLMMessage("assistant", None, [call("a"), call("b"), call("c")])
    results = [LLMMessage("tool", "3 rows", tool_call_id=each) for each in "abc"]
    memory = await managed(2, MESSAGES[0], caller, *results)
    assert memory.short_term.get_all() == [caller, *results]


async def test_results_in_one_message_count_as_one() -> None:
    uses = [{"type": "tool_use", "id": each, "name": "query", "input": {}} for each in "abc"]
    answers = [{"type": "tool_result", "tool_use_id": each, "content": "3 rows"} for each in "abc"]
    caller, results = LLMMessage("assistant", uses), LLMMessage("user", answers)
    memory = await managed(2, MESSAGES[0], caller, results)
    assert memory.short_term.get_all() == [caller, results]
    assert memory.short_term.get_all()[1] is results


async def test_a_summary_is_not_among_the_newest() -> None:
    memory = MemoryManager(MemoryConfig(short_term_size=20, compression_threshold=2_000))
    for number in range(60):
        await memory.add_message(LLMMessage("user" if number % 2 == 0 else "assistant", f"Order {number}. " * 30))
    assert memory.compressed_memory
    recent = memory.short_term.get_all()
    assert len(recent) == 20
    assert recent == memory.get_context_for_llm()[-20:]
