"""How long an agent's event loop stands still while its memory works: `python -m tests.benchmarks.loop_lag`.

A task that sleeps for a millisecond notes its longest delay during each step, in milliseconds; the smallest of several
fresh processes. Beside it stands what a thread that burns Python does to the same task: threads take turns every 5 ms
(`sys.getswitchinterval`), and no library may change that for its program.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator

from inspector.memory import LLMMessage, MemoryConfig, MemoryManager
from tests.benchmarks.conversations import conversation

RUNS = 5
MESSAGES = 400
LONG = 300_000
"""Characters of a long result."""
BEFORE = ("a thread that burns Python", "making the manager")
"""What happens before the first message."""


class Probe:
    """The longest delay of a task that sleeps for a millisecond."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.task = asyncio.create_task(self.watch())

    async def watch(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            self.longest = max(self.longest, time.perf_counter() - before - 0.001)

    async def delay(self, step: Callable[[], Awaitable[object]]) -> float:
        """Milliseconds of the longest delay while a step is done, and right behind it."""
        await asyncio.sleep(0.01)
        self.longest = 0.0
        await step()
        await asyncio.sleep(0.005)
        return 1_000 * self.longest


def burn() -> None:
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        sum(range(100))


async def measure() -> dict[str, float]:
    """The delays of each step in the life of a manager, by its name."""
    probe, delays = Probe(), {}
    delays[BEFORE[0]] = await probe.delay(lambda: asyncio.to_thread(burn))
    memory: list[MemoryManager] = []

    async def make() -> None:
        memory.append(MemoryManager(MemoryConfig(compression_threshold=40_000), model="gpt-4o"))

    delays[BEFORE[1]] = await probe.delay(make)
    for name, message in steps():

        async def add(message: LLMMessage = message) -> None:
            await memory[0].add_message(message)

        delay = await probe.delay(add)
        if memory[0].was_compressed_last_iteration and name != "long message":
            name = f"{'later' if 'first compression' in delays else 'first'} compression"
        delays[name] = max(delay, delays.get(name, 0.0))
    delays["statistics"] = await probe.delay(lambda: asyncio.sleep(0, memory[0].get_stats()))
    probe.task.cancel()
    return delays


def steps() -> Iterator[tuple[str, LLMMessage]]:
    seen: set[str] = set()
    for raw in conversation(MESSAGES):
        role = "reply" if raw["role"] == "assistant" else "message"
        name = f"{'later' if role in seen else 'first'} {role}"
        seen.add(role)
        fields = ("role", "content", "tool_calls", "tool_call_id")
        yield name, LLMMessage(**{field: raw[field] for field in fields if field in raw})
    yield "long message", LLMMessage("user", conversation(4)[1]["content"] * (LONG // 100))


def main() -> None:
    if sys.argv[1:] == ["once"]:
        print(json.dumps(asyncio.run(measure())))
        return
    command = [sys.executable, "-m", "tests.benchmarks.loop_lag", "once"]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(RUNS)]
    for name in runs[0]:
        print(f"{name:<28}{min(run.get(name, 0.0) for run in runs):8.1f} ms")


if __name__ == "__main__":
    main()
