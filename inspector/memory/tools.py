"""Tools of agents: anything that can be called, with the definition that a model receives."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from inspector.core.conversation import Dialect, Raw
from inspector.core.text import dumps

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
