"""Tools and settings of a chat request, and their validation, with OpenAI's error messages.

Which settings a model supports is documented at https://platform.openai.com/docs/guides/reasoning, and known from the
API's errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.core.conversation import Raw, RequestContext
from inspector.llm.providers.base import Request
from inspector.llm.providers.openai_chat.chat_wire import OPENAI_CHAT_WIRE, RESPONSES
from inspector.llm.providers.tool_names import ToolNames, name_of_tool
from inspector.llm.providers.tool_pairing import argument_schema, is_own_tool, name_and_description, own_settings

_KINDS = ("function", "custom")
_STRANGE_KIND = "Invalid value: '{kind}'. Supported values are: 'function' and 'custom'."
_MISSING = "Missing required parameter: 'tools[…].{field}'."
STRANGE_TOOL = (
    "Invalid '{field}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
)
_ALONE = "Invalid value for '{name}': '{name}' is only allowed when '{what}' are specified."
_NEEDS = {
    "tool_choice": "tools",
    "parallel_tool_calls": "tools",
    "function_call": "functions",
}
"""Settings that are invalid without another field."""
_NO_STREAM = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
_NO_SUCH_TOOL = "Invalid value for 'tool_choice': no tool '{name}' is among the 'tools'."

_REASONS = re.compile(r"(?:^|[/.])(?:o[134](?![a-z\d])|gpt-5(?!-chat))")
_MAY_REASON = re.compile(r"(?:^|[/.])gpt-5\.\d")
"""Models that reason only if an effort is set. Otherwise they support the same settings as other models."""
_SPEAKS_AT_ONCE = re.compile(r"(?:^|[/.])(?:gpt-3|gpt-4|chatgpt-4o)")
_UNSUPPORTED = "Unsupported parameter: '{name}' is not supported with this model."
_OLD_LIMIT = _UNSUPPORTED[:-1] + ". Use 'max_completion_tokens' instead."
_ONLY_ONE = (
    "Unsupported value: '{name}' does not support {value} with this model. Only the default (1) value is supported."
)
_SAMPLING = ("temperature", "top_p")
_UNSAMPLED = ("presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "stop")


def model_refusals(settings: Raw, model: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each setting that a model rejects, and the error message; nothing for unknown models."""
    name = model.lower()
    if _SPEAKS_AT_ONCE.search(name):
        yield from ((key, _UNSUPPORTED.format(name=key)) for key in ("reasoning_effort",) if key in settings)
    if not _REASONS.search(name):
        return
    if settings.get("max_tokens") is not None:
        yield "max_tokens", _OLD_LIMIT.format(name="max_tokens")
    if _MAY_REASON.search(name) and settings.get("reasoning_effort") in (None, "none"):
        return
    for key in _SAMPLING:
        if settings.get(key) not in (None, 1):
            yield key, _ONLY_ONE.format(name=key, value=settings[key])
    for key in _UNSAMPLED:
        if settings.get(key):
            yield key, _UNSUPPORTED.format(name=key)


def fit_settings(settings: Raw, model: str) -> Request:
    """Return settings without those that a model rejects, with the token limit under its current name."""
    names = dict(model_refusals(settings, model))
    fit = {key: value for key, value in settings.items() if key not in names}
    return {"max_completion_tokens": settings["max_tokens"], **fit} if "max_tokens" in names else fit


def chat_tools(context: RequestContext, names: ToolNames, keeps_hosted: bool) -> Iterator[Raw]:
    """Yield tool definitions as functions, with valid names.

    Args:
        context: Context with the recorded tools.
        names: Names of the tools.
        keeps_hosted: True to keep tools that OpenAI runs itself.
    """
    keeps_hosted = keeps_hosted and context.dialect == OPENAI_CHAT_WIRE.name
    for tool in context.tools:
        match tool:
            case {"type": "custom", "custom": {"name": str(name)} as custom}:
                yield {**tool, "custom": {**custom, "name": names.of(name)}}
            case {"function": {"name": str(name)} as function}:
                yield {**tool, "type": "function", "function": {**function, "name": names.of(name)}}
            case {"name": str(name)} if is_own_tool(tool):
                parameters = {"parameters": argument_schema(tool)}
                yield {"type": "function", "function": name_and_description(tool, names.of(name)) | parameters}
            case {"type": str(kind)} if keeps_hosted and kind not in _KINDS:
                yield tool


def chat_settings(context: RequestContext, model: str, names: ToolNames, has_tools: bool) -> Request:
    """Return the recorded settings that are valid in a chat request.

    Args:
        context: Context with the recorded settings.
        model: Model of the request.
        names: Names of the tools.
        has_tools: True if the request defines tools.
    """
    rows = own_settings(context, OPENAI_CHAT_WIRE.name)
    rows.pop(RESPONSES, None)
    refused = {name for name, _ in _loose_settings(rows, names, has_tools)}
    settings = fit_settings({key: value for key, value in rows.items() if key not in refused}, model)
    for key in ("tool_choice", "function_call"):
        if key in settings:
            settings[key] = choice_with_names(settings[key], names)
    if isinstance(settings.get("functions"), list):
        settings["functions"] = [_with_name(function, names) for function in settings["functions"]]
    return settings


def context_refusals(context: RequestContext) -> Iterator[str]:
    """Yield error messages about tools and settings that were recorded in this wire format."""
    if context.dialect != OPENAI_CHAT_WIRE.name:
        return
    names = ToolNames(context)
    for tool in context.tools:
        yield from _tool_refusals(tool, names, RESPONSES in context.settings)
    functions = context.settings.get("functions")
    for function in functions if isinstance(functions, list) else ():
        if name_of_tool(function) and not names.is_fit(name_of_tool(function)):
            yield STRANGE_TOOL.format(field="functions[…].name")
    settings = own_settings(context, OPENAI_CHAT_WIRE.name)
    has_tools = any(chat_tools(context, names, False))
    yield from (words for _, words in _loose_settings(settings, names, has_tools))
    yield from (words for _, words in model_refusals(settings, context.model))


def _tool_refusals(tool: Raw, names: ToolNames, is_item: bool) -> Iterator[str]:
    """Yield error messages about a tool definition. `is_item` is True if it was recorded for the Responses API."""
    kind = tool.get("type")
    if kind is None:
        yield _MISSING.format(field="type")
    elif kind not in _KINDS:
        if not is_item:
            yield _STRANGE_KIND.format(kind=_kind_text(kind))
    elif not isinstance(tool.get(kind), Mapping):
        yield _MISSING.format(field=kind)
    elif not isinstance(tool[kind].get("name"), str):
        yield _MISSING.format(field=f"{kind}.name")
    elif not names.is_fit(tool[kind]["name"]):
        yield STRANGE_TOOL.format(field=f"tools[…].{kind}.name")


def _kind_text(kind: Any) -> str:
    """Return a type as it is recorded; of an object or array, which may be nested deeply, only that it is one."""
    return str(kind) if not isinstance(kind, Mapping | list) else "array" if isinstance(kind, list) else "object"


def _loose_settings(settings: Raw, names: ToolNames, has_tools: bool) -> Iterator[tuple[str, str]]:
    """Yield the name of each setting that requires a missing field, and the error message."""
    there = {"tools": has_tools, "functions": bool(settings.get("functions"))}
    for name, what in _NEEDS.items():
        if name in settings and not there[what]:
            yield name, _ALONE.format(name=name, what=what)
    choice = settings.get("tool_choice")
    if has_tools and isinstance(choice, Mapping):
        if choice.get("type") not in (*_KINDS, "allowed_tools"):
            yield "tool_choice", _STRANGE_KIND.format(kind=_kind_text(choice.get("type")))
        elif (name := name_of_tool(choice)) and not names.has(name):
            yield "tool_choice", _NO_SUCH_TOOL.format(name=name)
    if "stream_options" in settings and not settings.get("stream"):
        yield "stream_options", _NO_STREAM


def choice_with_names(choice: Any, names: ToolNames) -> Any:
    """Return a tool choice, in any of OpenAI's forms, with valid tool names."""
    match choice:
        case {"name": str()} | {"function": {"name": str()}} | {"custom": {"name": str()}}:
            return _with_name(choice, names)
        case {"allowed_tools": {"tools": [*tools]} as allowed}:
            return {**choice, "allowed_tools": {**allowed, "tools": [_with_name(tool, names) for tool in tools]}}
        case {"tools": [*tools]}:
            return {**choice, "tools": [_with_name(tool, names) for tool in tools]}
    return choice


def _with_name(tool: Any, names: ToolNames) -> Any:
    """Return a reference to a tool with its valid name."""
    match tool:
        case {"name": str(name)}:
            return {**tool, "name": names.of(name)}
        case {"function": {"name": str(name)} as inner}:
            return {**tool, "function": {**inner, "name": names.of(name)}}
        case {"custom": {"name": str(name)} as inner}:
            return {**tool, "custom": {**inner, "name": names.of(name)}}
    return tool
