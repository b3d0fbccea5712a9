"""An agent of LangChain with the middleware, a prebuilt graph with the hook, and the trimmer alone."""

from __future__ import annotations

import warnings
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from inspector.memory.adapters import CompressionMiddleware, MessageTrimmer
from tests.memory.adapters.frameworks.loopback import BUDGET, SYSTEM, TASK, Model, look, serving


def model_at(url: str) -> ChatOpenAI:
    return ChatOpenAI(model="gpt-4o", base_url=url, api_key="none", max_retries=0)


def agent_with(model: Model, saver: Any, **options: Any) -> Any:
    middleware = [CompressionMiddleware(model="gpt-4o", **options)]
    return create_agent(model_at(model.url), [look], system_prompt=SYSTEM, middleware=middleware, checkpointer=saver)


def middleware_and_resume() -> None:
    config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 100}
    saver = InMemorySaver()
    with serving() as model:
        agent = agent_with(model, saver, budget=BUDGET)
        agent.invoke({"messages": [HumanMessage(TASK)]}, config)
        model.begin()
        agent.invoke({"messages": [HumanMessage("Go on")]}, config)
        model.begin()
        resumed = agent_with(model, saver, preset="mine", budget=BUDGET)
        state = resumed.invoke({"messages": [HumanMessage("And again")]}, config)
        model.check(30)
    assert len(state["messages"]) > 60, "the state keeps all messages"
    assert all(request["messages"][0]["content"] == SYSTEM for request in model.requests)


async def middleware_async() -> None:
    with serving() as model:
        agent = agent_with(model, None, budget=BUDGET)
        await agent.ainvoke({"messages": [HumanMessage(TASK)]}, {"recursion_limit": 100})
        model.check(10)


def prebuilt_graph() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langgraph.prebuilt import create_react_agent

        with serving() as model:
            hook = MessageTrimmer(budget=BUDGET, model="gpt-4o").hook
            graph = create_react_agent(model_at(model.url), [look], pre_model_hook=hook)
            graph.invoke({"messages": [HumanMessage(TASK)]}, {"recursion_limit": 100})
            model.check(10)


def trimmer() -> None:
    messages: list[Any] = [SystemMessage(SYSTEM), HumanMessage(TASK)]
    for number in range(12):
        call = {"name": "look", "args": {"place": "x"}, "id": f"c{number}"}
        messages += [AIMessage("", tool_calls=[call]), ToolMessage(look("x"), tool_call_id=f"c{number}")]
    messages.append(HumanMessage("And now?"))
    fit = MessageTrimmer(budget=BUDGET, model="gpt-4o")
    shorter = fit(messages)
    assert len(shorter) < len(messages)
    assert shorter[0] is messages[0] and shorter[-1] is messages[-1] and any(m is messages[1] for m in shorter)
    assert fit(messages) == shorter, "the same messages fit in the same way"
    longer = [*messages, AIMessage("Twelve."), HumanMessage("Why?")]
    assert fit(longer)[: len(shorter)] == shorter, "the prompt cache is kept"
    assert MessageTrimmer(budget=100_000)(messages) == messages


if __name__ == "__main__":
    import asyncio

    middleware_and_resume()
    asyncio.run(middleware_async())
    prebuilt_graph()
    trimmer()
