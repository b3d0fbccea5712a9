"""What appending one message costs when many are there already: `python -m tests.benchmarks.append`.

Prints microseconds for each message, the smallest of several runs, without any compression and with the balanced
preset: for the keeper (counts known), for the manager (the message is read and counted as well), and for one that
writes its session to a store and whose threshold adapts. "alone" is the median of what each message took by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from inspector.core.conversation import Message, RequestContext
from inspector.engine.compression.engine import CompressionEngine
from inspector.engine.compression.policy import Policy
from inspector.engine.compression.presets import PRESETS
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens.counting import CharsCounter, count_message
from inspector.llm.tokens.sizes import Sizes
from inspector.memory import MemoryConfig, MemoryManager
from inspector.memory.message_adapter import message_of
from inspector.store import Store
from tests.benchmarks.conversations import Raw, conversation

COUNTER = CharsCounter(4.0)
LAST = 500
"""Messages that are timed, behind those that are there already."""
RUNS = 3
SIZES = (1_000, 20_000)


@cache
def made(size: int) -> list[Raw]:
    return conversation(size)


def keeper_time(raws: list[Raw], policy: Policy) -> float:
    """Seconds for each of the last messages."""
    messages = [message_from_raw(f"m{number}", raw, "openai") for number, raw in enumerate(raws)]
    tokens = [count_message(message, COUNTER) for message in messages]
    keeper = CompressionEngine(policy, RequestContext(), Sizes((), "estimated", 0, "estimated", 0, 0, COUNTER))

    def feed(message: Message, size: int) -> None:
        keeper.append(message, size)
        if keeper.due:
            keeper.compress()

    for message, size in zip(messages[:-LAST], tokens[:-LAST], strict=True):
        feed(message, size)
    start = perf_counter()
    for message, size in zip(messages[-LAST:], tokens[-LAST:], strict=True):
        feed(message, size)
    return (perf_counter() - start) / LAST


def manager_times(raws: list[Raw], config: MemoryConfig, writes: bool = False) -> list[float]:
    """Seconds that each of the last messages took, in a manager that writes its session to a store, or to none."""
    messages = [message_of(raw) for raw in raws]

    async def run(store: Store | None) -> list[float]:
        memory = MemoryManager.resume(store, "one", config=config) if store else MemoryManager(config)
        for message in messages[:-LAST]:
            await memory.add_message(message)
        times = [perf_counter()]
        for message in messages[-LAST:]:
            await memory.add_message(message)
            times.append(perf_counter())
        return [after - before for before, after in pairwise(times)]

    if not writes:
        return asyncio.run(run(None))
    with TemporaryDirectory() as folder, Store(Path(folder, "memory.db")) as store:
        return asyncio.run(run(store))


def manager_time(raws: list[Raw], config: MemoryConfig, writes: bool = False) -> float:
    """Seconds for each of the last messages."""
    return sum(manager_times(raws, config, writes)) / LAST


def row(name: str, time: Callable[[list[Raw]], float]) -> str:
    times = [min(time(raws) for _ in range(RUNS)) for raws in map(made, SIZES)]
    return f"{name:<34}" + "".join(f"{each * 1e6:>12.1f}" for each in times)


def main() -> None:
    preset = PRESETS["balanced"]
    policy, config = Policy.of(preset), MemoryConfig.from_preset(preset)
    print(f"{'microseconds a message':<34}{'at 1,000':>12}{'at 20,000':>12}")
    print(row("keeper, no compression", lambda raws: keeper_time(raws, replace(policy, enabled=False))))
    print(row("keeper, compressions included", lambda raws: keeper_time(raws, policy)))
    print(row("manager, no compression", lambda raws: manager_time(raws, replace(config, enable_compression=False))))
    print(row("manager, compressions included", lambda raws: manager_time(raws, config)))
    off = replace(config, enable_compression=False)
    on = replace(config, compression_threshold="adaptive")
    print(row("written, no compression", lambda raws: manager_time(raws, off, writes=True)))
    print(row("the same, alone", lambda raws: median(manager_times(raws, off, writes=True))))
    print(row("written, adaptive, alone", lambda raws: median(manager_times(raws, on, writes=True))))


if __name__ == "__main__":
    main()
