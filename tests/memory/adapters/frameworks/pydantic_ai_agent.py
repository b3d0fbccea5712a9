"""An agent of Pydantic AI with the history processor."""

from __future__ import annotations

import asyncio
from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from inspector.memory.adapters import history_processor
from tests.memory.adapters.frameworks.loopback import BUDGET, SYSTEM, TASK, Model, look, serving

try:
    from pydantic_ai.capabilities import ProcessHistory
except ImportError:
    ProcessHistory = None


def agent_with(model: Model, where: str, **options: Any) -> Agent:
    process = history_processor(model="gpt-4o", **options)
    client = AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0)
    how: Any = {"capabilities": [ProcessHistory(process)]} if ProcessHistory else {"history_processors": [process]}
    chat = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))
    return Agent(chat, tools=[look], **{where: SYSTEM}, **how)


async def run(where: str) -> None:
    with serving() as model:
        agent = agent_with(model, where, budget=BUDGET)
        first = await agent.run(TASK)
        model.begin()
        second = await agent.run("Go on", message_history=first.all_messages())
        history: list[ModelMessage] = ModelMessagesTypeAdapter.validate_json(second.all_messages_json())
        model.begin()
        await agent_with(model, where, preset="mine", budget=BUDGET).run("Again", message_history=history)
        model.check(30)
    for request in model.requests:
        assert SYSTEM in str(request["messages"][0]["content"])


if __name__ == "__main__":
    asyncio.run(run("instructions"))
    asyncio.run(run("system_prompt"))
