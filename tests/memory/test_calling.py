"""Models take tools or not, and both are called."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.memory import LLMMessage, MemoryConfig, MemoryManager, ReActAgent
from inspector.memory.llm import call
from tests.memory.playing import SUMMARY, Reply

WORDS = "The order lies in /srv/orders/may.csv and came to 4,711 dollars, as was agreed. " * 4
TOOLS = [{"type": "function"}]


class Needing:
    async def call_async(self, messages: Any, tools: Any) -> Any:
        return Reply(SUMMARY if tools is None else f"{len(tools)} tools")


class Offering:
    async def call_async(self, messages: Any, tools: Any = ()) -> Any:
        return Reply(f"{len(tools)} tools")


class Without:
    async def call_async(self, messages: Any) -> Any:
        return Reply("no tools")


class Anything:
    async def call_async(self, **given: Any) -> Any:
        return Reply(" ".join(given))


@pytest.mark.parametrize(
    ("llm", "tools", "said"),
    [
        (Needing(), TOOLS, "1 tools"),
        (Needing(), None, SUMMARY),
        (Needing(), [], SUMMARY),
        (Offering(), TOOLS, "1 tools"),
        (Offering(), None, "0 tools"),
        (Without(), TOOLS, "no tools"),
        (Without(), None, "no tools"),
        (Anything(), TOOLS, "messages tools"),
        (Anything(), None, "messages"),
    ],
)
async def test_tools_are_handed_over_where_they_are_taken(llm: Any, tools: Any, said: str) -> None:
    assert (await call(llm, [LLMMessage("user", "Hello.")], tools)).content == said


async def test_a_model_that_must_be_told_of_tools_writes_summaries() -> None:
    memory = MemoryManager(MemoryConfig(compression_threshold=1_000, short_term_size=4), Needing())
    for number in range(16):
        await memory.add_message(LLMMessage("assistant" if number % 2 else "user", f"{number}: {WORDS}"))
    assert memory.get_stats()["failed_compressions"] == 0
    assert memory.compressed_memory
    assert "There were three." in memory.compressed_memory.summary


async def test_an_agent_may_have_a_model_that_takes_no_tools() -> None:
    def look(at: int) -> str:
        return f"Order {at}"

    assert await ReActAgent(Without(), [look]).run("Look.") == "no tools"
