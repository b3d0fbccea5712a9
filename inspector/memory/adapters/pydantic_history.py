"""Pydantic AI: a history processor."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from inspector.memory.adapters.context_fitter import ContextFitter
from inspector.memory.message_adapter import LLMMessage, as_messages


def history_processor(**options: Any) -> Callable[[list[Any]], Awaitable[list[Any]]]:
    """Return a history processor that fits each request into a budget.

    Args:
        options: `preset`, `budget`, `model`, `provider` and `summarise`, as for `ContextFitter`.
    """
    fitter = ContextFitter(_model_messages, _chat_of, **options)

    async def fit_history(messages: list[Any]) -> list[Any]:
        return await asyncio.to_thread(fitter.fit, messages)

    return fit_history


def _chat_of(message: Any) -> Sequence[LLMMessage]:
    if not message.parts:  # a request with instructions alone, or an empty reply
        return []
    return as_messages(message)


def _model_messages(original: Any, messages: Sequence[LLMMessage]) -> list[Any]:
    from pydantic_ai.messages import ModelRequest, ModelResponse

    if isinstance(original, ModelResponse):
        return [replace(original, parts=list(_reply_parts(messages)))]
    if isinstance(original, ModelRequest):
        return [replace(original, parts=list(_request_parts(messages)))]
    return [
        ModelResponse(parts=list(_reply_parts([message])))
        if message.role == "assistant"
        else ModelRequest(parts=list(_request_parts([message])))
        for message in messages
    ]


def _request_parts(messages: Sequence[LLMMessage]) -> Iterator[Any]:
    from pydantic_ai.messages import SystemPromptPart, ToolReturnPart, UserPromptPart

    for message in messages:
        if message.role == "tool":
            yield ToolReturnPart(message.name or "tool", message.text, message.tool_call_id or "")
        elif message.role == "system":
            yield SystemPromptPart(message.text)
        else:
            yield UserPromptPart(message.text)


def _reply_parts(messages: Sequence[LLMMessage]) -> Iterator[Any]:
    from pydantic_ai.messages import TextPart, ToolCallPart

    for message in messages:
        if isinstance(message.content, str) and message.content:
            yield TextPart(message.content)
        for call in message.tool_calls or ():
            yield ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"])
