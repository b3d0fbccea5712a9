"""LangChain and LangGraph: a middleware for `create_agent`, and a callable like `trim_messages`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from inspector.memory.adapters.context_fitter import ContextFitter
from inspector.memory.adapters.optional_frameworks import framework_class
from inspector.memory.message_adapter import LLMMessage

_AgentMiddleware: Any = framework_class("langchain.agents.middleware", "AgentMiddleware", "langchain")


class MessageTrimmer:
    """Fits messages into a budget, like `trim_messages`: call it, use it in a chain, or as the `pre_model_hook`.

    Args:
        options: `preset`, `budget`, `model`, `provider` and `summarise`, as for `ContextFitter`.
    """

    def __init__(self, **options: Any) -> None:
        self._fitter = ContextFitter(_langchain_messages, **options)

    def __call__(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages to send."""
        return self._fitter.fit(list(messages))

    def hook(self, state: Any) -> dict[str, list[Any]]:
        """Return the messages to send for the state of a graph, which keeps all: the `pre_model_hook` of LangGraph."""
        messages = state["messages"] if isinstance(state, dict) else state.messages
        return {"llm_input_messages": self(messages)}


class CompressionMiddleware(_AgentMiddleware):
    """Fits each request of an agent into a budget. The state of the graph keeps all messages.

    Args:
        options: `preset`, `budget`, `model`, `provider` and `summarise`, as for `ContextFitter`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._fitter = ContextFitter(_langchain_messages, **options)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Call the model with the messages that fit."""
        return handler(self._fitted(request))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Call the model with the messages that fit."""
        return await handler(await asyncio.to_thread(self._fitted, request))

    def _fitted(self, request: Any) -> Any:
        from langchain_core.utils.function_calling import convert_to_openai_tool

        system = [request.system_message] if request.system_message is not None else []
        tools = [convert_to_openai_tool(tool) for tool in request.tools]
        fitted = self._fitter.fit([*system, *request.messages], tools)
        is_first = bool(system and fitted and fitted[0].type == "system")
        return request.override(messages=fitted[1:] if is_first else fitted)


def _langchain_messages(original: Any, messages: Sequence[LLMMessage]) -> list[Any]:
    from langchain_core.messages import convert_to_messages

    new: list[Any] = convert_to_messages([message.to_dict() for message in messages])
    if original is not None and len(new) == 1:
        new[0].id = original.id
    return new
