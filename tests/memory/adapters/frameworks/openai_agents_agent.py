"""An agent of the OpenAI Agents SDK with the session, over both of OpenAI's APIs."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from inspector.memory.adapters import StoreSession
from tests.memory.adapters.frameworks.loopback import BUDGET, SYSTEM, TASK, look, serving

EXTRA = 12
"""Runs of a session, each with one step."""


async def run(kind: Any, store: Path) -> None:
    with serving() as model:
        client = AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0)
        agent = Agent("books", instructions=SYSTEM, model=kind("gpt-4o", client), tools=[function_tool(look)])
        session = StoreSession("run", store, budget=BUDGET // 2, model="gpt-4o")
        for number in range(EXTRA):
            model.rounds = 7
            await Runner.run(agent, TASK if not number else f"Go on {number}", session=session, max_turns=50)
        everything = len(session.memory.engine.log)
        session.close()
        resumed = StoreSession("run", store, preset="mine", budget=BUDGET // 2, model="gpt-4o")
        assert len(resumed.memory.engine.log) == everything
        model.rounds = 7
        await Runner.run(agent, "And again", session=resumed, max_turns=50)
        model.check(EXTRA * 4)
        assert resumed.memory.current_tokens <= BUDGET // 2
        await items(resumed)
        resumed.close()


async def long_run(kind: Any, store: Path) -> None:
    """One run of many steps stays within the budget, instructions and tools included."""
    with serving() as model:
        client = AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0)
        instructions = "Keep the books of a small shop. " * 150
        agent = Agent("books", instructions=instructions, model=kind("gpt-4o", client), tools=[function_tool(look)])
        session = StoreSession("run", store, budget=BUDGET, model="gpt-4o", agent=agent)
        settings = RunConfig(call_model_input_filter=session.fit_request)
        model.rounds = -60
        await Runner.run(agent, TASK, session=session, max_turns=90, run_config=settings)
        model.check(60)
        assert len(instructions.split()) + session.memory.current_tokens <= BUDGET
        sizes = session.memory.engine.context()
        assert sizes.total > sum(sizes.tokens), "the tools count"
        session.close()


async def items(session: StoreSession) -> None:
    before = await session.get_items()
    call = {
        "type": "function_call",
        "call_id": "x",
        "name": "look",
        "arguments": "{}",
        "id": "fc_x",
        "status": "completed",
    }
    result = {"type": "function_call_output", "call_id": "x", "output": "found"}
    for item in (call, {**call, "call_id": "y", "id": "fc_y"}, result, {**result, "call_id": "y"}):
        await session.add_items([item])
    assert (await session.get_items())[-4:] == [
        *(call, {**call, "call_id": "y", "id": "fc_y"}),
        *(result, {**result, "call_id": "y"}),
    ]
    assert await session.get_items(1) == []
    assert await session.pop_item() == {**result, "call_id": "y"}
    assert await session.pop_item() == result
    assert await session.pop_item() == {**call, "call_id": "y", "id": "fc_y"}
    assert await session.pop_item() == call
    assert await session.get_items() == before
    await session.clear_session()
    assert await session.get_items() == [] and await session.pop_item() is None
    await session.add_items([{"role": "user", "content": "Hello"}])
    assert await session.get_items() == [{"role": "user", "content": "Hello"}]


if __name__ == "__main__":
    set_tracing_disabled(True)
    for each in (OpenAIResponsesModel, OpenAIChatCompletionsModel):
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(run(each, Path(folder) / "store.db"))
            asyncio.run(long_run(each, Path(folder) / "long.db"))
