"""Small agents whose memory manages itself: to be used as they are, or as a base for others.

A tool is anything that can be called, with the definition that a model is shown of it.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from inspector.core.conversation import Dialect, Raw, ToolCall, ToolResult, Usage
from inspector.core.text import dumps
from inspector.llm.providers import dialect_of_message, wire_of
from inspector.memory.compressor import WorkingMemoryCompressor
from inspector.memory.config import MemoryConfig
from inspector.memory.manager import MemoryManager
from inspector.memory.message_adapter import LLMMessage, message_of
from inspector.memory.model_calls import call, parse_response, provider_field, text_field
from inspector.memory.request_sizes import dialect_for
from inspector.memory.stats import statistics

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
"""Words for types in a definition."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Tool:
    """A tool under its name. `run` takes the arguments by name; it may be a coroutine function."""

    name: str
    run: Callable[..., Any]
    description: str = ""
    parameters: Raw = field(default_factory=dict)
    """JSON Schema of the arguments."""

    @property
    def definition(self) -> Raw:
        """Definition for the model in OpenAI's form."""
        return self.definition_for("openai")

    def definition_for(self, dialect: Dialect) -> Raw:
        """Return the definition for the model in the provider's form."""
        parameters = self.parameters or {"type": "object", "properties": {}}
        if dialect == "anthropic":
            return {"name": self.name, "description": self.description, "input_schema": parameters}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    async def call(self, arguments: str) -> str:
        """Call the tool with arguments as JSON text. Any failure is returned as a text that begins with "Error:"."""
        try:
            values = orjson.loads(arguments or "{}")
            if not isinstance(values, dict):
                return f"Error: the arguments of {self.name} are a JSON object."
            result = self.run(**values)
            if inspect.isawaitable(result):
                result = await result
        except Exception as error:  # a tool is somebody else's: the model is told, and goes on
            return f"Error: {type(error).__name__}: {error}"
        return result if isinstance(result, str) else dumps(result)


def as_tool(thing: Any) -> Tool:
    """Return a function, or an object with a `name` and `execute`, `run` or `__call__`, as a tool.

    Raises:
        ValueError: It cannot be called, or providers do not accept its name.
    """
    if isinstance(thing, Tool):
        return _named(thing)
    run = next((method for name in ("execute", "run") if callable(method := getattr(thing, name, None))), thing)
    name = getattr(thing, "name", None) or getattr(thing, "__name__", "")
    if not callable(run) or not isinstance(name, str) or not name:
        raise ValueError(f"A tool is a function, or an object with a name and execute(); {thing!r} is neither.")
    about = getattr(thing, "description", None) or inspect.getdoc(thing) or ""
    parameters = getattr(thing, "parameters", None)
    schema = _schema(parameters) if isinstance(parameters, Mapping) else _signature(run)
    return _named(Tool(name, run, str(about), schema))


def _named(tool: Tool) -> Tool:
    """Return a tool unchanged. Raises ValueError if providers reject its name."""
    if not _NAME.fullmatch(tool.name):
        raise ValueError(f"A tool's name is 1 to 64 letters, digits, _ and -; {tool.name!r} is none: give it a name.")
    return tool


def _schema(parameters: Mapping[str, Any]) -> Raw:
    """Return the JSON Schema of parameters that are given as a schema, or as its properties only."""
    if parameters.get("type") == "object":
        return dict(parameters)
    return {"type": "object", "properties": dict(parameters)}


def _signature(run: Callable[..., Any]) -> Raw:
    """Return the JSON Schema of a function's parameters, derived from its signature."""
    properties: dict[str, Any] = {}
    required = []
    for name, parameter in inspect.signature(run).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        properties[name] = _type_schema(parameter.annotation)
        if parameter.default is parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def _type_schema(annotation: Any) -> Raw:
    """Return the JSON Schema of a type if it is a plain type or a list of one."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if not isinstance(annotation, str) and getattr(annotation, "__args__", None):
        text = str(annotation).removeprefix("typing.")
    base, _, inner = text.partition("[")
    kind = _TYPES.get(base.lower())
    if kind == "array":
        return {"type": kind, "items": _type_schema(inner.removesuffix("]").split(",")[0].strip())}
    return {"type": kind} if kind else {}


async def _answer_to(call: ToolCall, tools: Mapping[str, Tool]) -> str:
    """Return the result of the tool of a call, or an error if there is no such tool."""
    tool = tools.get(call.name)
    if tool is None:
        return f"Error: there is no tool {call.name!r}; the tools are {', '.join(tools) or 'none'}."
    return await tool.call(call.arguments)


__all__ = ["BaseAgent", "ReActAgent", "Tool"]


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
