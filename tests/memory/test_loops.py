"""One manager, used from several event loops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from inspector.memory import LLMMessage, MemoryConfig, MemoryManager
from inspector.memory.loop_lock import LoopLock
from tests.memory.scripted_llm import Reply, ScriptedLLM
from tests.refusals import standing_refusals

WORDS = "The order lies in /srv/orders/may.csv and came to 4,711 dollars, as was agreed. "


class CountingLLM(ScriptedLLM):
    """A model that counts how many requests it answers at the same time, from any thread."""

    running = most = 0
    guard = threading.Lock()

    async def call_async(self, messages: list[LLMMessage], tools: Any = None) -> Reply:
        with self.guard:
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            return await super().call_async(messages, tools)
        finally:
            with self.guard:
                self.running -= 1


def run_apart(*works: Coroutine[Any, Any, None]) -> None:
    """Run each in a thread and an event loop of its own, all at the same time."""
    with ThreadPoolExecutor(len(works)) as threads:
        for result in [threads.submit(asyncio.run, work) for work in works]:
            result.result(120)


def test_two_loops_add_to_one_memory_and_nothing_is_lost() -> None:
    llm = CountingLLM(pause=0.002)
    memory = MemoryManager(MemoryConfig(compression_threshold=1_500, short_term_size=4), llm)
    start = threading.Barrier(2, timeout=60)

    async def add(speaker: str) -> None:
        start.wait()
        for number in range(60):
            words = WORDS * (2_000 if number % 20 == 7 else 3)
            await memory.add_message(LLMMessage("user", f"{speaker} {number}: {words}"))
            assert list(standing_refusals(memory.engine.context(), "openai")) == []
            assert memory.get_context_for_llm()
            memory.get_stats()

    run_apart(add("one"), add("two"))
    heads = [" ".join(message.text.split()[:2]) for message in memory.engine.log]
    for speaker in ("one", "two"):
        assert [head for head in heads if head.startswith(speaker)] == [f"{speaker} {n}:" for n in range(60)]
    assert len({message.id for message in memory.engine.log}) == 120
    assert memory.engine.total == memory.engine.window().total
    assert len(memory.engine.plans) == memory.get_stats()["compression_count"] > 1
    assert llm.most == 1


def test_a_second_loop_goes_on_where_the_first_one_ended() -> None:
    memory = MemoryManager(MemoryConfig(compression_threshold=900, short_term_size=2), ScriptedLLM(pause=0.001))
    for part in range(3):

        async def add(part: int = part) -> None:
            messages = [LLMMessage("user", f"{part} {number}: {WORDS * 4}") for number in range(10)]
            await asyncio.gather(*[memory.add_message(message) for message in messages])

        asyncio.run(add())
    assert len(memory.engine.log) == 30
    assert memory.get_stats()["compression_count"] > 1


async def test_who_waited_longest_has_the_lock_next() -> None:
    lock, order = LoopLock(), list[int]()

    async def use(number: int) -> None:
        async with lock:
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*map(use, range(9)))
    assert order == list(range(9))


async def test_who_gives_up_waiting_does_not_keep_the_lock() -> None:
    lock, order = LoopLock(), list[str]()

    async def use(name: str) -> None:
        async with lock:
            order.append(name)

    async with lock:
        first, second = asyncio.create_task(use("first")), asyncio.create_task(use("second"))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
    await second
    assert order == ["second"]
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_who_is_cancelled_at_its_turn_hands_the_lock_on() -> None:
    lock = LoopLock()
    await lock.__aenter__()
    first = asyncio.create_task(lock.__aenter__())
    await asyncio.sleep(0)
    await lock.__aexit__()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    async with asyncio.timeout(60), lock:
        assert first.cancelled()
