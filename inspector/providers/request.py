"""Complete requests out of messages: what would be sent to a provider for a window, ready to be sent.

The provider's rules are seen to whatever the messages are and whatever order they come in. What was recorded in the
provider's own form goes out as it came in; what was not crosses over part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inspector.conversation import Dialect, Message, Provider, Raw, RequestContext
from inspector.providers.anthropic.request import THOUGHTS, claude_messages
from inspector.providers.openai_chat.request import chat_messages
from inspector.providers.openai_responses.request import responses_input, responses_settings, responses_tools
from inspector.providers.tool_pairing import fit_name

Request = dict[str, Any]

_MAX_TOKENS = 4096
"""Tokens of the reply, where a provider wants to be told and nothing was recorded."""
_MODELS: dict[Dialect, str] = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-20250514"}
"""Asked for where no model was recorded."""
_UNRECORDED = "The definition of this tool was not recorded."


def request(context: RequestContext, messages: Sequence[Message], to: Provider) -> Request:
    """A request with `messages` that the provider `to` accepts.

    `context` gives the model, the tools, and the other settings where it was recorded in the same form.
    """
    return EXPORTS[to](context, messages)


def _openai_request(context: RequestContext, messages: Sequence[Message]) -> Request:
    built: Request = {"model": context.model or _MODELS["openai"], "messages": chat_messages(messages)}
    if tools := list(_openai_tools(context)):
        built["tools"] = tools
    return built | _settings(context, "openai", bool(tools))


def _responses_request(context: RequestContext, messages: Sequence[Message]) -> Request:
    chat = _openai_request(context, messages)
    instructions, items = responses_input(chat.pop("messages"))
    built: Request = {"model": chat.pop("model")} | ({"instructions": instructions} if instructions else {})
    if tools := list(responses_tools(chat.pop("tools", ()))):
        built["tools"] = tools
    return built | {"input": items} | responses_settings(chat)


def _anthropic_request(context: RequestContext, messages: Sequence[Message]) -> Request:
    kept = _settings(context, "anthropic", bool(context.tools))
    thinks = _enabled(kept.get("thinking"))
    system, items = claude_messages(messages, thinks)
    if thinks and not _begins_with_thinking(items):
        kept.pop("thinking")
        system, items = claude_messages(messages, False)
    built: Request = {"model": context.model or _MODELS["anthropic"], "max_tokens": _most_tokens(context)}
    if system:
        built["system"] = system
    if tools := list(_anthropic_tools(context)) or list(_called_tools(items)):
        built["tools"] = tools
    built["messages"] = items
    return built | {key: value for key, value in kept.items() if key not in built}


EXPORTS: dict[Provider, Callable[[RequestContext, Sequence[Message]], Request]] = {
    "openai": _openai_request,
    "openai-responses": _responses_request,
    "anthropic": _anthropic_request,
}


def _settings(context: RequestContext, to: Dialect, tools: bool) -> Request:
    """The recorded request's other fields, where they mean the same: in the form that they were recorded in."""
    if context.dialect != to:
        return {}
    about_tools = () if tools else ("tool_choice", "parallel_tool_calls")
    return {key: value for key, value in context.settings.items() if value is not None and key not in about_tools}


def _most_tokens(context: RequestContext) -> int:
    """How long the reply may be, as it was recorded under either provider's name for it."""
    recorded = (context.settings.get(name) for name in ("max_tokens", "max_completion_tokens"))
    return next((number for number in recorded if type(number) is int and number > 0), _MAX_TOKENS)


def _enabled(thinking: Any) -> bool:
    return isinstance(thinking, dict) and thinking.get("type") in ("enabled", "adaptive")


def _begins_with_thinking(items: list[Request]) -> bool:
    """Whether the last reply keeps the thinking that a request for more of it must show."""
    replies = [item for item in items if item["role"] == "assistant"]
    if not replies:
        return True
    content = replies[-1]["content"]
    if isinstance(content, list) and content[0]["type"] in THOUGHTS:
        return True
    last = items[-1]["content"]
    results = isinstance(last, list) and last[0]["type"] == "tool_result"
    return items[-1]["role"] == "user" and not results


def _openai_tools(context: RequestContext) -> Iterator[Raw]:
    """Tools as functions. What only the other provider can run is left out."""
    for tool in context.tools:
        match tool:
            case {"function": {"name": str(name)} as function}:
                yield tool if fit_name(name) == name else {**tool, "function": {**function, "name": fit_name(name)}}
            case {"name": str()} if _is_plain(tool):
                yield {"type": "function", "function": _described(tool, 64) | {"parameters": _schema_of(tool)}}
            case _ if context.dialect == "openai":
                yield tool


def _anthropic_tools(context: RequestContext) -> Iterator[Raw]:
    """Tools with an input schema. What only the other provider can run is left out."""
    for tool in context.tools:
        match tool:
            case {"name": str(name), "input_schema": {"type": "object"}} if fit_name(name, 128) == name:
                yield tool
            case {"function": {"name": str()} as function}:
                yield _described(function, 128) | {"input_schema": _schema_of(function)}
            case {"name": str()} if _is_plain(tool):
                yield _described(tool, 128) | {"input_schema": _schema_of(tool)}
            case _ if context.dialect == "anthropic":
                yield tool


def _is_plain(tool: Raw) -> bool:
    """Whether a tool is one of the program's own, not one that a provider runs."""
    return tool.get("type", "custom") in ("custom", "function")


def _described(tool: Raw, longest: int) -> Request:
    """A tool's name, made fit, and what it says of itself."""
    words = {"description": tool["description"]} if isinstance(tool.get("description"), str) else {}
    return {"name": fit_name(tool["name"], longest), **words}


def _schema_of(tool: Raw) -> Request:
    """The JSON schema of a tool's arguments, under either provider's name for it."""
    schema = tool.get("input_schema") or tool.get("parameters")
    return {"properties": {}, **schema, "type": "object"} if isinstance(schema, dict) else {"type": "object"}


def _called_tools(items: list[Request]) -> Iterator[Raw]:
    """Definitions for tools that were called but never recorded: a request with calls must define some."""
    blocks = (block for item in items if isinstance(item["content"], list) for block in item["content"])
    names = dict.fromkeys(block["name"] for block in blocks if block.get("type") == "tool_use")
    for name in names:
        yield {"name": name, "description": _UNRECORDED, "input_schema": {"type": "object"}}
