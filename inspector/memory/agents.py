"""Small agents whose memory manages itself: to be used as they are, or as a base for others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from inspector.conversation import Dialect, ToolCall, ToolResult, Usage
from inspector.memory.config import MemoryConfig
from inspector.memory.llm import call, parse_response
from inspector.memory.manager import MemoryManager
from inspector.memory.message_adapter import LLMMessage, message_of
from inspector.memory.tools import Tool, answer_to, as_tool
from inspector.providers import dialect_of_message, wire_of

__all__ = ["BaseAgent", "ReActAgent", "Tool"]


class BaseAgent(ABC):
    """An agent with a model, tools and a memory. A subclass says what `run` does.

    Args:
        llm: any object with `async call_async(messages=, tools=)`; one that takes no tools is given none.
        tools: functions, or objects with a `name` and `execute()`.
        max_iterations: the most calls of the model for one task.
        memory_config: when the memory compresses, and how.
        system: the system message that stands at the beginning of the memory.

    Raises ValueError for a tool that cannot be called.
    """

    def __init__(
        self,
        llm: Any,
        tools: Iterable[Any] = (),
        max_iterations: int = 10,
        memory_config: MemoryConfig | None = None,
        *,
        system: str = "",
    ) -> None:
        self.llm = llm
        self.tools = {tool.name: tool for tool in map(as_tool, tools or ())}
        self.max_iterations = max_iterations
        self.system = system
        self.memory = MemoryManager(memory_config, llm, tools=self.definitions)

    @property
    def definitions(self) -> list[Any]:
        """The tools as a model is shown them."""
        return [tool.definition for tool in self.tools.values()]

    @abstractmethod
    async def run(self, task: str) -> str:
        """Work on a task and return its result."""


class ReActAgent(BaseAgent):
    """Asks the model, runs the tools that it calls, and asks again, until it calls none."""

    async def run(self, task: str) -> str:
        """Work on a task and return the model's last text, after `max_iterations` calls at the latest."""
        if self.system and not self.memory.engine.log:
            await self.memory.add_message(LLMMessage("system", self.system))
        await self.memory.add_message(LLMMessage("user", task))
        words = ""
        for _ in range(self.max_iterations):
            context = self.memory.get_context_for_llm()
            reply = parse_response(await call(self.llm, context, self.definitions))
            await self.memory.add_message(reply.message, actual_tokens=_actual_tokens(reply.usage))
            words = reply.text or words
            if not reply.calls:
                break
            results = [(tool_call, await answer_to(tool_call, self.tools)) for tool_call in reply.calls]
            for message in _result_messages(results, dialect_of_message(reply.message.to_dict())):
                await self.memory.add_message(message)
        return words


def _result_messages(results: Sequence[tuple[ToolCall, str]], dialect: Dialect) -> list[LLMMessage]:
    """The results of tools in the form in which they were called: a message each or, for Anthropic, one for all."""
    wire = wire_of(dialect)
    empty = [(wire.encode("tool", [ToolResult(call.id, ())], call.name), text) for call, text in results]
    return [message_of(raw) for raw in wire.join([wire.with_result_text(raw, text) for raw, text in empty])]


def _actual_tokens(usage: Usage | None) -> dict[str, int] | None:
    """Reported usage as `add_message` takes it."""
    if usage is None:
        return None
    reported = {"input": usage.input, "output": usage.output}
    return reported | {"cache_read": usage.cache_read, "cache_write": usage.cache_write}
