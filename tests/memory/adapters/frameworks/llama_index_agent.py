"""An agent of LlamaIndex with the memory."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.llms.openai_like import OpenAILike

from inspector.memory.adapters import CompressedChatMemory
from tests.memory.adapters.frameworks.loopback import BUDGET, SYSTEM, TASK, look, serving


async def runs() -> None:
    with serving() as model:
        llm = OpenAILike(
            "gpt-4o",
            api_base=model.url,
            api_key="none",
            is_chat_model=True,
            is_function_calling_model=True,
            max_retries=0,
        )
        agent: Any = FunctionAgent(tools=[look], llm=llm, system_prompt=SYSTEM)
        store = SimpleChatStore()
        memory = CompressedChatMemory(budget=BUDGET // 2, model="gpt-4o", chat_store=store, chat_store_key="run")
        for number in range(12):
            model.rounds = 7
            await agent.run(TASK if not number else f"Go on {number}", memory=memory)
        everything = memory.get_all()
        fitted = memory.get()
        assert len(fitted) < len(everything) and fitted[0] == everything[0]
        assert memory.get() == fitted, "the same messages fit in the same way"
        model.rounds = 7
        again = CompressedChatMemory(
            preset="mine",
            budget=BUDGET // 2,
            chat_store=SimpleChatStore(store={"run": [message.model_copy(deep=True) for message in everything]}),
            chat_store_key="run",
        )
        assert [str(message) for message in again.get_all()] == [str(message) for message in everything]
        await agent.run("And again", memory=again)
        model.check(40)
        await counted(llm, everything)
        again.reset()
        assert again.get() == []


async def counted(llm: Any, history: Any) -> None:
    """The system prompt and the tools of the agent take their part of the budget."""
    agent: Any = FunctionAgent(tools=[look], llm=llm, system_prompt="Keep the books of a small shop. " * 150)
    alone = CompressedChatMemory.from_defaults(history, budget=BUDGET, model="gpt-4o")
    memory = CompressedChatMemory.from_defaults(history, budget=BUDGET, model="gpt-4o", agent=agent)
    words = {name: sum(len(str(one).split()) for one in each.get()) for name, each in (("a", alone), ("b", memory))}
    assert words["b"] + 1_000 < BUDGET and words["b"] + 900 < words["a"], words
    assert all(one.role != "system" for one in memory.get())
    assert "agent" not in memory.model_dump(exclude={"chat_store"})


if __name__ == "__main__":
    asyncio.run(runs())
