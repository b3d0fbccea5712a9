"""Tools, settings and cache breakpoints of a request to Anthropic, and their validation.

The rules are from https://docs.anthropic.com/en/api/messages and the pages on extended thinking and prompt caching.
Indices that vary between requests are replaced by "…" in the error messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.core.conversation import Raw, RequestContext
from inspector.llm.providers.anthropic.anthropic_wire import ANTHROPIC_WIRE, blocks_of
from inspector.llm.providers.base import Request
from inspector.llm.providers.tool_names import ToolNames, name_of_tool
from inspector.llm.providers.tool_pairing import argument_schema, is_own_tool, name_and_description, own_settings

MAX_NAME_LENGTH = 128
"""Maximum length of a tool name."""
STRANGE_NAME = "{field}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
_MISSING = "tools.….{field}: Field required"
_TWICE = "tools: Tool names must be unique."
_NO_TOOLS = "tool_choice: may only be specified while providing tools."
_NO_SUCH_TOOL = "tool_choice: Tool '{name}' not found in provided tools"
_NEVER_THINKS = "'{model}' does not support thinking."
_NO_LIMIT = "max_tokens: Field required"
_BUDGET = "`max_tokens` must be greater than `thinking.budget_tokens`."
_LARGE_LIMIT = "max_tokens: {limit} > {most}, which is the maximum allowed number of output tokens for {model}"
_ONE_TEMPERATURE = "`temperature` may only be set to 1 when thinking is enabled."
_NO_TOP_K = "`top_k` must be unset when thinking is enabled."
_FORCED_TOOL = "Thinking may not be enabled when tool_choice forces tool use."
MARKS = 4
"""Maximum number of cache breakpoints in a request."""
TOO_MANY_MARKS = f"A maximum of {MARKS} blocks with cache_control may be provided. Found …."
_MARK = "cache_control"

# e.g. "claude-opus-4-6"
_NEW_VERSION = re.compile(r"claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
# e.g. "claude-3-5-sonnet"
_OLD_VERSION = re.compile(r"claude-(\d)(?:[-.](\d))?(?!\d)")
_THINKING = (3, 7)
_MAX_REPLY_TOKENS = {(3, 0): 4096, (3, 5): 8192}
"""Maximum output tokens of older models, by version."""
_Version = tuple[int, int]


def version_of(model: str) -> _Version | None:
    """Return the version in a model name, before or after the family, or None if it has no version."""
    name = model.lower()
    match = _NEW_VERSION.search(name) or _OLD_VERSION.search(name)
    return (int(match[1]), int(match[2] or 0)) if match else None


def asks_for_thinking(settings: Raw) -> bool:
    """Return True if the settings enable thinking."""
    thinking = settings.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") in ("enabled", "adaptive")


def _thinking_refusal(settings: Raw, model: str) -> str:
    """Return the error message for thinking that the model does not support, or an empty string."""
    return _NEVER_THINKS.format(model=model) if asks_for_thinking(settings) and not can_think(model) else ""


def can_think(model: str) -> bool:
    """Return True if a model supports thinking. A model of unknown version is assumed to."""
    return (version_of(model) or _THINKING) >= _THINKING


def fit_limit(limit: int, settings: Raw, model: str) -> int:
    """Return a valid limit of output tokens: above the thinking budget, and at most the model's maximum.

    Args:
        limit: Requested limit.
        settings: Settings of the request.
        model: Name of the model.
    """
    budget = _budget_of(settings)
    most = _MAX_REPLY_TOKENS.get(version_of(model) or (0, 0))
    limit = max(limit, budget + 1)
    return min(limit, most) if most else limit


def _budget_of(settings: Raw) -> int:
    """Return the thinking budget in tokens, or 0 without a budget."""
    thinking = settings.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) and thinking.get("type") == "enabled" else 0
    return budget if type(budget) is int else 0


def _limit_refusal(settings: Raw, model: str) -> str:
    limit, budget = settings.get("max_tokens"), _budget_of(settings)
    if type(limit) is not int:
        return _NO_LIMIT if budget else ""
    if limit <= budget:
        return _BUDGET
    most = _MAX_REPLY_TOKENS.get(version_of(model) or (0, 0), limit)
    return _LARGE_LIMIT.format(limit=limit, most=most, model=model) if limit > most else ""


def _loose_settings(settings: Raw, names: ToolNames, has_tools: bool) -> Iterator[tuple[str, str]]:
    """Yield the name of each setting that conflicts with thinking or with the tools, and the error message."""
    choice = settings.get("tool_choice")
    kind = choice.get("type") if isinstance(choice, Mapping) else None
    if asks_for_thinking(settings):
        if settings.get("temperature") not in (None, 1):
            yield "temperature", _ONE_TEMPERATURE
        if settings.get("top_k") is not None:
            yield "top_k", _NO_TOP_K
        if kind in ("any", "tool"):
            yield "tool_choice", _FORCED_TOOL
    if choice is not None and not has_tools:
        yield "tool_choice", _NO_TOOLS
    elif kind == "tool" and isinstance(choice, Mapping) and not names.has(name_of_tool(choice)):
        yield "tool_choice", _NO_SUCH_TOOL.format(name=name_of_tool(choice))


def fit_settings(settings: Raw, names: ToolNames, has_tools: bool) -> Request:
    """Return settings without those that conflict with others or with the tools, using valid tool names.

    Args:
        settings: Settings of the request.
        names: Names of the tools.
        has_tools: True if the request defines tools.
    """
    refused = {name for name, _ in _loose_settings(settings, names, has_tools)}
    fit = {key: value for key, value in settings.items() if key not in refused}
    choice = fit.get("tool_choice")
    if isinstance(choice, Mapping) and (name := name_of_tool(choice)):
        fit["tool_choice"] = {**choice, "name": names.of(name)}
    return fit


def context_refusals(context: RequestContext) -> Iterator[str]:
    """Yield error messages about tools and settings that were recorded in Anthropic's wire format."""
    if context.dialect != ANTHROPIC_WIRE.name:
        return
    names = ToolNames(context, MAX_NAME_LENGTH)
    for tool in context.tools:
        yield from _tool_refusals(tool, names)
    recorded = [name for tool in context.tools if (name := name_of_tool(tool))]
    if len(set(recorded)) < len(recorded):
        yield _TWICE
    settings = {key: value for key, value in context.settings.items() if value is not None}
    if words := _thinking_refusal(settings, context.model):
        yield words
        settings.pop("thinking")
    if words := _limit_refusal(settings, context.model):
        yield words
    yield from (words for _, words in _loose_settings(settings, names, bool(context.tools)))


def _tool_refusals(tool: Raw, names: ToolNames) -> Iterator[str]:
    if not is_own_tool(tool):
        return
    if not isinstance(tool.get("name"), str):
        yield _MISSING.format(field="name")
    elif not names.is_fit(tool["name"]):
        yield STRANGE_NAME.format(field="tools.….custom.name")
    schema = tool.get("input_schema")
    if not isinstance(schema, Mapping):
        yield _MISSING.format(field="custom.input_schema")
    elif schema.get("type") != "object":
        yield _MISSING.format(field="custom.input_schema.type")


def claude_tools(context: RequestContext, names: ToolNames) -> Iterator[Raw]:
    """Yield tool definitions in Anthropic's form with unique names. Tools hosted by other providers are dropped."""
    tools: dict[str, Raw] = {}
    for tool in context.tools:
        recorded = name_of_tool(tool)
        if tool == tools.get(recorded):
            continue
        name = names.free(names.of(recorded)) if recorded in tools else names.of(recorded)
        if recorded:
            tools[recorded] = tool
        match tool:
            case {"name": str(), "input_schema": {"type": "object"}}:
                yield {**tool, "name": name}
            case {"function": {"name": str()} as function}:
                yield name_and_description(function, name) | {"input_schema": argument_schema(function)}
            case {"name": str()} if is_own_tool(tool):
                yield name_and_description(tool, name) | {"input_schema": argument_schema(tool)}
            case {"type": str()} if context.dialect == ANTHROPIC_WIRE.name and not is_own_tool(tool):
                yield tool


def marks_in(raw: Raw) -> int:
    """Return the number of cache breakpoints in a message, including those inside results."""
    return sum(_marks_of(block) for block in blocks_of(raw))


def _marks_of(block: Any) -> int:
    if not isinstance(block, Mapping):
        return 0
    inner = block.get("content")
    return int(bool(block.get(_MARK))) + (sum(map(_own_mark, inner)) if isinstance(inner, list) else 0)


def _own_mark(block: Any) -> int:
    return int(isinstance(block, Mapping) and bool(block.get(_MARK)))


def marks_around(context: RequestContext) -> int:
    """Return the number of cache breakpoints outside the messages: those of tools, and one for the whole request."""
    return sum(map(_own_mark, context.tools)) + _own_mark(context.settings)


def with_newest_marks(request: Request) -> Request:
    """Return a request with only the last `MARKS` of its cache breakpoints."""
    system = request.get("system")
    tools, blocks = request.get("tools", []), system if isinstance(system, list) else []
    messages = request["messages"]
    excess = _own_mark(request) + sum(map(_own_mark, [*tools, *blocks])) + sum(map(marks_in, messages)) - MARKS
    if excess <= 0:
        return request
    taker = _MarkTaker(excess)
    changes: Request = {"tools": taker.plain(tools)} if tools else {}
    changes |= {"system": taker.plain(blocks)} if blocks else {}
    return request | changes | {"messages": [taker.message(message) for message in messages]}


class _MarkTaker:
    """Removes the first `excess` cache breakpoints from the blocks that it is applied to."""

    def __init__(self, excess: int) -> None:
        self.excess = excess

    def plain(self, blocks: list[Any]) -> list[Any]:
        return [self._block(block) for block in blocks]

    def message(self, message: Raw) -> Raw:
        content = message["content"]
        return {**message, "content": self.plain(content)} if isinstance(content, list) else message

    def _block(self, block: Any) -> Any:
        if not self.excess or not isinstance(block, Mapping) or not _marks_of(block):
            return block
        inner = block.get("content")
        if isinstance(inner, list):
            block = {**block, "content": [self._unmarked(part) for part in inner]}
        return self._unmarked(block)

    def _unmarked(self, block: Any) -> Any:
        if not self.excess or not _own_mark(block):
            return block
        self.excess -= 1
        return {key: value for key, value in block.items() if key != _MARK}


def recorded_settings(context: RequestContext, model: str) -> Request:
    """Return the recorded settings, without thinking if the model does not support it."""
    settings = own_settings(context, ANTHROPIC_WIRE.name)
    if _thinking_refusal(settings, model):
        settings.pop("thinking")
    return settings
