"""What the requests of all providers are made of: recorded settings, and names and schemas of tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspector.conversation import Dialect, Raw, RequestContext
from inspector.providers.base import Request

_MAX_TOKENS = 4096
"""Tokens of the reply, where a provider wants to be told and nothing was recorded."""
UNFIT_SIGN = re.compile(r"[^a-zA-Z0-9_-]")
"""A character that no provider takes in the name of a tool."""


def own_settings(context: RequestContext, form: Dialect, has_tools: bool) -> Request:
    """The recorded request's other fields, where they mean the same: in the form that they were recorded in."""
    if context.dialect != form:
        return {}
    about_tools = () if has_tools else ("tool_choice", "parallel_tool_calls")
    return {key: value for key, value in context.settings.items() if value is not None and key not in about_tools}


def reply_limit(context: RequestContext) -> int:
    """How many tokens the reply may have, as it was recorded under any provider's name for it."""
    recorded = (context.settings.get(name) for name in ("max_tokens", "max_completion_tokens"))
    return next((number for number in recorded if type(number) is int and number > 0), _MAX_TOKENS)


def fit_name(name: str, longest: int = 64) -> str:
    """A tool's name without what providers refuse in one."""
    return UNFIT_SIGN.sub("_", name)[:longest] or "tool"


def is_own_tool(tool: Raw) -> bool:
    """Whether a tool is one of the program's own, not one that a provider runs."""
    return tool.get("type", "custom") in ("custom", "function")


def name_and_description(tool: Raw, longest: int) -> Request:
    """A tool's name, made fit, and what it says of itself."""
    words = {"description": tool["description"]} if isinstance(tool.get("description"), str) else {}
    return {"name": fit_name(tool["name"], longest), **words}


def argument_schema(tool: Raw) -> Request:
    """The JSON schema of a tool's arguments, under any provider's name for it."""
    schema: Any = tool.get("input_schema") or tool.get("parameters")
    return {"properties": {}, **schema, "type": "object"} if isinstance(schema, Mapping) else {"type": "object"}
