"""Calling an agent's model, whatever its `call_async` takes."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from inspector.memory.message_adapter import LLMMessage


async def call(llm: Any, messages: Sequence[LLMMessage], tools: Sequence[Any] | None = None) -> Any:
    """What `llm.call_async` answers to messages. Tools are handed over where it takes them, and a None where it must
    be told something.
    """
    wanted = _needs(llm.call_async) if not tools else _takes(llm.call_async)
    return await llm.call_async(messages=list(messages), **({"tools": tools or None} if wanted else {}))


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Those of a function by name; none where it does not tell."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def _needs(function: Any) -> bool:
    """Whether it cannot be called without `tools`."""
    found = _parameters(function).get("tools")
    return found is not None and found.default is found.empty


def _takes(function: Any) -> bool:
    """Whether it can be called with `tools`; one that does not tell what it takes can."""
    found = _parameters(function)
    return not found or "tools" in found or any(each.kind is each.VAR_KEYWORD for each in found.values())
