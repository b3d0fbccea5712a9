"""The tools of an agent: anything that can be called, with the definition that a model is shown of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from inspector.conversation import Raw, ToolCall
from inspector.text import dumps

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
"""Words for types in a definition."""


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
        """What a model is shown, in OpenAI's form."""
        parameters = self.parameters or {"type": "object", "properties": {}}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    async def call(self, arguments: str) -> str:
        """What it answers to arguments as JSON text. Whatever goes wrong comes back as a text that begins "Error:"."""
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
    """A function, or an object with a `name` and `execute`, `run` or a call of its own, as a tool.

    Raises ValueError for what cannot be called.
    """
    if isinstance(thing, Tool):
        return thing
    run = next((method for name in ("execute", "run") if callable(method := getattr(thing, name, None))), thing)
    name = getattr(thing, "name", None) or getattr(thing, "__name__", "")
    if not callable(run) or not isinstance(name, str) or not name:
        raise ValueError(f"A tool is a function, or an object with a name and execute(); {thing!r} is neither.")
    about = getattr(thing, "description", None) or inspect.getdoc(thing) or ""
    parameters = getattr(thing, "parameters", None)
    return Tool(name, run, str(about), _schema(parameters) if isinstance(parameters, Mapping) else _signature(run))


def _schema(parameters: Mapping[str, Any]) -> Raw:
    """JSON Schema of parameters that are given as one, or as their properties alone."""
    if parameters.get("type") == "object":
        return dict(parameters)
    return {"type": "object", "properties": dict(parameters)}


def _signature(run: Callable[..., Any]) -> Raw:
    """JSON Schema of a function's parameters, as far as its signature tells."""
    properties: dict[str, Any] = {}
    required = []
    for name, parameter in inspect.signature(run).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        kind = getattr(parameter.annotation, "__name__", str(parameter.annotation))
        properties[name] = {"type": _TYPES[kind]} if kind in _TYPES else {}
        if parameter.default is parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


async def answer_to(call: ToolCall, tools: Mapping[str, Tool]) -> str:
    """What the tool that a call asks for answers; that there is none, where there is none."""
    tool = tools.get(call.name)
    if tool is None:
        return f"Error: there is no tool {call.name!r}; the tools are {', '.join(tools) or 'none'}."
    return await tool.call(call.arguments)
