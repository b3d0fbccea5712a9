"""A model that plays a script, for tests of what asks one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.memory import LLMMessage

SUMMARY = "Goal:\n- Count the orders of May.\n\nResults:\n- There were three."


@dataclass
class Counts:
    """Usage in the words of requirement 3."""

    input_tokens: int
    output_tokens: int


@dataclass
class Reply:
    """A response as most clients give it."""

    content: Any
    tool_calls: Any = None
    usage: Counts | None = None
    stop_reason: str = "end_turn"


@dataclass
class ScriptedLLM:
    """A model without a network: answers with `script`, one entry a call and the last one for ever after.

    An entry is a text, a `Reply` or an exception. A request for a summary is answered with `summary`.
    """

    script: Sequence[Any] = ("Done.",)
    summary: Any = SUMMARY
    model: str = "gpt-4o-mini"
    provider_name: str = "openai"
    pause: float = 0.0
    """Seconds to wait before each answer."""
    asked: list[list[LLMMessage]] = field(default_factory=list)
    """The requests of the agent."""
    briefed: list[list[LLMMessage]] = field(default_factory=list)
    """The requests for summaries."""
    tools: list[Any] = field(default_factory=list)
    """What tools were offered with each request."""

    begun: int = 0
    """Requests that it has received."""
    cancelled: int = 0
    """Requests that were given up while it waited."""

    async def call_async(self, messages: list[LLMMessage], tools: Any = None) -> Reply:
        self.begun += 1
        try:
            await asyncio.sleep(self.pause)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.tools.append(tools)
        if messages and "You condense recorded conversations" in messages[0].text:
            self.briefed.append(messages)
            return answer(self.summary)
        self.asked.append(messages)
        return answer(self.script[min(len(self.asked), len(self.script)) - 1])


def answer(entry: Any) -> Reply:
    if isinstance(entry, BaseException):
        raise entry
    return entry if isinstance(entry, Reply) else Reply(entry)


def call(id: str, name: str = "query", arguments: str = "{}") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
