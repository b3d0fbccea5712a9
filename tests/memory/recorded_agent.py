"""An agent whose session is written to a store, as a program that may be killed: `python -m … STORE [pause]`.

It prints how many messages are in its memory each time that one has come in.
"""

from __future__ import annotations

import asyncio
import sys

from inspector.memory import LLMMessage, MemoryConfig, MemoryManager
from inspector.store import Store
from tests.memory.scripted_llm import ScriptedLLM

SESSION = "the books"
MANY = 100_000


def message(number: int) -> LLMMessage:
    """The message at a place of the conversation, the same in every process."""
    words = f"{number}: The order lies in /srv/orders/{number}.csv and came to {number * 17} dollars. " * 3
    return LLMMessage("assistant" if number % 2 else "user", words)


def config() -> MemoryConfig:
    return MemoryConfig(compression_threshold=1_500, short_term_size=4)


async def run(path: str, pause: float) -> None:
    with Store(path) as store:
        memory = MemoryManager.resume(store, SESSION, ScriptedLLM(pause=pause), config=config())
        print(len(memory.engine.log), flush=True)
        for number in range(len(memory.engine.log), MANY):
            usage = {"input": memory.current_tokens, "output": 60, "cache_read": 10} if number % 2 else None
            await memory.add_message(message(number), actual_tokens=usage)
            print(number + 1, flush=True)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.0))
