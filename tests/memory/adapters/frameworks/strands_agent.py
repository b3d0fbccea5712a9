"""An agent of Strands with the conversation manager."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from strands import Agent, tool
from strands.models.openai import OpenAIModel

from inspector.memory.adapters import CompressionManager
from tests.memory.adapters.frameworks.loopback import BUDGET, SYSTEM, TASK, Model, look, serving


def agent_with(model: Model, messages: list[Any] | None = None, **options: Any) -> Agent:
    client = {"base_url": model.url, "api_key": "none", "max_retries": 0}
    return Agent(
        OpenAIModel(client_args=client, model_id="gpt-4o"),
        tools=[tool(look)],
        system_prompt=SYSTEM,
        messages=messages,
        callback_handler=None,
        conversation_manager=CompressionManager(model="gpt-4o", **options),
    )


def runs() -> None:
    with serving() as model:
        agent = agent_with(model, budget=BUDGET)
        agent(TASK)
        model.begin()
        agent("Go on")
        model.begin()
        agent_with(model, list(agent.messages), preset="mine", budget=BUDGET)("And again")
        model.check(30)
        roles = [message["role"] for message in agent.messages]
        assert all(one != other for one, other in pairwise(roles)), "roles have to alternate"
        state = agent.conversation_manager.get_state()
        assert state["removed_message_count"] > 0
        CompressionManager().restore_from_session(state)


def overflow() -> None:
    with serving() as model:
        model.budget = 20_000
        agent = agent_with(model, budget=model.budget)
        agent(TASK)
        before = len(agent.messages)
        agent.conversation_manager.reduce_context(agent, ValueError("too long"))
        assert len(agent.messages) < before
        short = agent_with(model, [{"role": "user", "content": [{"text": TASK}]}])
        try:
            short.conversation_manager.reduce_context(short, ValueError("too long"))
        except ValueError as error:
            assert str(error) == "too long"
        else:
            raise AssertionError("the error is raised again")


if __name__ == "__main__":
    runs()
    overflow()
