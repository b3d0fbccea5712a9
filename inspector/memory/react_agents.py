"""Small agents whose memory manages itself: to be used as they are, or as a base for others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspector.core.conversation import Dialect, ToolCall, ToolResult, Usage
from inspector.llm.providers import dialect_of_message, wire_of
from inspector.memory.compressor import WorkingMemoryCompressor
from inspector.memory.config import MemoryConfig
from inspector.memory.manager import MemoryManager
from inspector.memory.message_adapter import LLMMessage, message_of
from inspector.memory.model_calls import call, parse_response, provider_field, text_field
from inspector.memory.request_sizes import dialect_for
from inspector.memory.stats import statistics
from inspector.memory.tools import Tool, as_tool


async def _answer_to(call: ToolCall, tools: Mapping[str, Tool]) -> str:
    """Return the result of the tool of a call, or an error if there is no such tool."""
    tool = tools.get(call.name)
    if tool is None:
        return f"Error: there is no tool {call.name!r}; the tools are {', '.join(tools) or 'none'}."
    return await tool.call(call.arguments)


__all__ = ["BaseAgent", "ReActAgent"]


class BaseAgent(ABC):
    """An agent with a model, tools and a memory. Subclasses implement `run`.

    Args:
        llm: Any object with `async call_async(messages=, tools=)`. `tools` may be missing.
        tools: Functions, or objects with a `name` and `execute()`.
        max_iterations: Maximum number of model calls for one task.
        memory_config: When and how the memory compresses.
        system: System message at the beginning of the memory.
        compressor: As for `MemoryManager`, such as one with a cheaper model for summaries.
        show_statistics: True to print the memory's statistics after each run.

    Raises:
        ValueError: A tool cannot be called.
    """

    def __init__(
        self,
        llm: Any,
        tools: Iterable[Any] = (),
        max_iterations: int = 10,
        memory_config: MemoryConfig | None = None,
        *,
        system: str = "",
        compressor: WorkingMemoryCompressor | type[WorkingMemoryCompressor] | None = None,
        show_statistics: bool = True,
    ) -> None:
        self.llm = llm
        self.tools = {tool.name: tool for tool in map(as_tool, tools or ())}
        self.max_iterations = max_iterations
        self.system = system
        self.show_statistics = show_statistics
        dialect = dialect_for(text_field(llm, "model"), provider_field(llm))
        self.definitions = [tool.definition_for(dialect) for tool in self.tools.values()]
        """The tools as the model is shown them, in the form of its provider."""
        self.memory = MemoryManager(memory_config, llm, tools=self.definitions, compressor=compressor)

    def print_statistics(self) -> None:
        """Print the statistics of the memory, unless `show_statistics` is off: for the end of `run`."""
        if self.show_statistics:
            print(statistics(self.memory.get_stats()))

    @abstractmethod
    async def run(self, task: str) -> str:
        """Work on a task and return its result."""


class ReActAgent(BaseAgent):
    """Asks the model, runs the tools that it calls, and asks again, until it calls none."""

    async def run(self, task: str) -> str:
        """Work on a task and return the model's last text, after `max_iterations` calls at the latest.

        The statistics of all runs so far are printed at the end.
        """
        if self.system and not self.memory.engine.log:
            await self.memory.add_message(LLMMessage("system", self.system))
        await self.memory.add_message(LLMMessage("user", task))
        words = ""
        try:
            for _ in range(self.max_iterations):
                context = self.memory.get_context_for_llm()
                reply = parse_response(await call(self.llm, context, self.definitions))
                await self.memory.add_message(reply.message, actual_tokens=_actual_tokens(reply.usage))
                words = reply.text or words
                if not reply.calls:
                    break
                results = [(tool_call, await _answer_to(tool_call, self.tools)) for tool_call in reply.calls]
                for message in _result_messages(results, dialect_of_message(reply.message.to_dict())):
                    await self.memory.add_message(message)
        finally:  # what was paid until then is told, also where the model fails
            self.print_statistics()
        return words


def _result_messages(results: Sequence[tuple[ToolCall, str]], dialect: Dialect) -> list[LLMMessage]:
    """Return the results of tools in the form of their calls: one message each or, for Anthropic, one for all."""
    wire = wire_of(dialect)
    empty = [(wire.encode("tool", [ToolResult(call.id, ())], call.name), text) for call, text in results]
    return [message_of(raw) for raw in wire.join([wire.with_result_text(raw, text) for raw, text in empty])]


def _actual_tokens(usage: Usage | None) -> dict[str, int] | None:
    """Return reported usage in the form that `add_message` accepts."""
    if usage is None:
        return None
    numbers = {"input": usage.input, "output": usage.output}
    return numbers | {"cache_read": usage.cache_read, "cache_write": usage.cache_write}
