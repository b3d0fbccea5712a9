"""Conversion of blocks in the notations of many libraries: thinking, tool calls, results and texts.

A block says what it is in a field, or by the name of the one field that holds it. Known are those of Anthropic, Gemini
(https://ai.google.dev/api/caching#Part), Bedrock (https://docs.aws.amazon.com/bedrock/latest/APIReference), the AI SDK
(https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message), Pydantic AI (https://ai.pydantic.dev/api/messages), Semantic
Kernel, AutoGen, LlamaIndex, Goose, Amp, and the parts of OpenTelemetry's GenAI conventions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.core.conversation import Part, Text, Thinking, attachment
from inspector.core.text import dumps, word_set
from inspector.formats.building.blocks import blocks_of, call_of, result_of, thoughts_of
from inspector.llm.providers import as_text

_Fields = Mapping[str, Any]

_KINDS = ("type", "part_kind", "content_type", "block_type")
_CALLS = word_set("tooluse toolcall toolrequest functioncall servertooluse servertoolcall mcptooluse builtintoolcall")
_ANSWERS = word_set(
    "toolresult toolreturn toolresponse functionresponse functionresult functioncalloutput toolcallresponse "
    "servertoolcallresponse mcptoolresult builtintoolreturn retryprompt"
)
_INVOCATIONS = word_set("toolinvocation dynamictool")
"""A call with its result in one block."""
_THOUGHTS = word_set("thinking reasoning reasoningcontent thought")
_PROMPTS = word_set("systemprompt userprompt")
_MEDIA = word_set("image file")
_SILENT = word_set("stepstart stepfinish finish")
_ALL = _CALLS | _ANSWERS | _INVOCATIONS | _THOUGHTS | _PROMPTS | _MEDIA | _SILENT
_NATIVE = word_set("tool_use tool_result server_tool_use mcp_tool_use mcp_tool_result image file thinking")
"""Block types of the providers' own APIs."""
_MARKS = re.compile(r"[^a-z]")

_IDS = ("tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "toolUseID", "call_id", "callId", "id")
_NAMES = ("toolName", "tool_name", "function_name", "name")
_ARGUMENTS = ("input", "arguments", "args", "parameters")
_RESULTS = ("output", "result", "response", "content", "value", "errorText", "error")
_INNER = ("toolInvocation", "toolCall", "toolResult", "run", "data")
"""Fields that may contain the text of a block."""
_FAILURES = ("error", "failed", "output-error", "retry-prompt")


def block_parts(block: Any) -> Iterator[Part]:
    """Yield the parts of a block. Unknown blocks keep their JSON."""
    kind, fields = _kind_and_fields(block)
    if kind in _PARTS:
        yield from _PARTS[kind](fields)
    elif kind not in _SILENT:
        yield from _other_parts(block)


def is_call(block: Any) -> bool:
    """Return True if a block is a tool call."""
    return _kind_and_fields(block)[0] in _CALLS


def is_foreign_block(block: Any) -> bool:
    """Return True if a block is a call or a result in a notation that is neither OpenAI's nor Anthropic's."""
    kind, fields = _kind_and_fields(block)
    if kind not in _CALLS | _ANSWERS | _INVOCATIONS:
        return False
    is_native = as_text(block.get("type")) in _NATIVE
    return not is_native or (kind in _ANSWERS and "tool_use_id" not in fields)


def is_system_prompt(block: Any) -> bool:
    """Return True if a block of a user message is the system prompt."""
    return _kind_and_fields(block)[0] == "systemprompt"


def _kind_and_fields(block: Any) -> tuple[str, _Fields]:
    """Return the type of a block in lower-case letters, and its value; "" for an unknown type."""
    if not isinstance(block, dict):
        return "", {}
    own = next((as_text(block[name]) for name in _KINDS if isinstance(block.get(name), str)), "")
    kind = "dynamictool" if own.startswith("tool-") and "state" in block else _MARKS.sub("", own.lower())
    if kind in _ALL:
        name = {} if "toolName" in block or kind != "dynamictool" else {"name": own.removeprefix("tool-")}
        return kind, {**name, **block, **_inner_fields(block)}
    for key, value in block.items():
        if isinstance(value, dict) and (kind := _MARKS.sub("", key.lower())) in _ALL:
            return kind, value
    return _kind_by_fields(block), block


def _inner_fields(block: _Fields) -> _Fields:
    """Return the fields of a nested call or result, which may be a value that can fail."""
    inner = next((block[key] for key in _INNER if key in block), None)
    if not isinstance(inner, dict):
        return {}
    value = inner.get("value")
    return {**inner, **value} if isinstance(value, dict) and "name" in value else inner


def _kind_by_fields(block: _Fields) -> str:
    """Return the type of a block that does not state it."""
    if isinstance(block.get("name"), str) and isinstance(block.get("arguments"), str):
        return "toolcall"
    if "toolCallId" in block and "toolName" in block:
        return "toolresult" if "output" in block or "result" in block else "toolcall"
    return "toolresult" if "call_id" in block and "content" in block else ""


def _first(fields: _Fields, names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _call_parts(fields: _Fields) -> Iterator[Part]:
    yield call_of(_first(fields, _IDS) or "", _first(fields, _NAMES), _first(fields, _ARGUMENTS))


def _result_parts(fields: _Fields) -> Iterator[Part]:
    value = _first(fields, _RESULTS)
    kind = as_text(value.get("type")) if isinstance(value, dict) and "value" in value else ""
    states = {as_text(fields.get(name)).lower() for name in ("status", "state", "part_kind")}
    has_failed = any(fields.get(name) is True for name in ("is_error", "isError"))
    has_failed = has_failed or not states.isdisjoint(_FAILURES) or kind.startswith("error")
    yield result_of(_first(fields, _IDS) or "", _result_content(value), is_error=has_failed)


def _invocation_parts(fields: _Fields) -> Iterator[Part]:
    yield from _call_parts(fields)
    if _first(fields, _RESULTS) is not None:
        yield from _result_parts(fields)


def _result_content(value: Any) -> Any:
    """Return the result of a tool as text, or as blocks if it consists of blocks."""
    match value:
        case None:
            return ""
        case {"type": str(), "value": inner}:
            return _result_content(inner)
        case {"text": str()} | {"type": "image" | "text"}:
            return [value]
        case list() if all(isinstance(entry, str) or _is_block(entry) for entry in value):
            return value
        case dict() if len(value) == 1 and isinstance(text := next(iter(value.values())), str):
            return text
    return value if isinstance(value, str) else dumps(value)


def _is_block(value: Any) -> bool:
    """Return True if a JSON value looks like a block of content."""
    return isinstance(value, dict) and (isinstance(value.get("type"), str) or isinstance(value.get("text"), str))


def _thinking_parts(fields: _Fields) -> Iterator[Part]:
    inner = fields.get("reasoningText")
    fields = {**fields, **inner} if isinstance(inner, dict) else fields
    text = next((fields[name] for name in ("thinking", "reasoning", "content", "text") if fields.get(name)), "")
    signature = as_text(fields.get("signature"))
    yield from [Thinking(text, signature)] if signature and isinstance(text, str) else thoughts_of(text)


def _prompt_parts(fields: _Fields) -> Iterator[Part]:
    content = fields.get("content")
    for entry in content if isinstance(content, list) else [content]:
        yield from block_parts(entry)


def _media_parts(fields: _Fields) -> Iterator[Part]:
    """Convert an image or a document with its URL or data in one field, as in the AI SDK."""
    kind = as_text(fields.get("mediaType") or fields.get("mimeType"))
    place = next((fields[name] for name in ("url", "image", "data") if isinstance(fields.get(name), str)), "")
    if kind and place:
        is_address = place.startswith("data:") or "://" in place[:12]
        yield attachment(place if is_address else f"data:{kind};base64,{place}", kind)
    else:
        yield from blocks_of(fields)


def _other_parts(block: Any) -> Iterator[Part]:
    """Convert text and media of the GenAI conventions, including thoughts of Gemini."""
    match block:
        case {"text": str(text), "thought": True}:
            yield from thoughts_of(text)
        case {"type": "blob", "content": str(data)}:
            kind = as_text(block.get("mime_type"))
            yield attachment(f"data:{kind};base64,{data}")
        case {"type": "uri", "uri": str(address)}:
            yield attachment(address, as_text(block.get("mime_type")))
        case {"type": "text", "data": {"text": str(text)}}:
            yield Text(text)
        case _:
            yield from blocks_of(block)


_PARTS: Mapping[str, Callable[[_Fields], Iterator[Part]]] = {
    **dict.fromkeys(_CALLS, _call_parts),
    **dict.fromkeys(_ANSWERS, _result_parts),
    **dict.fromkeys(_INVOCATIONS, _invocation_parts),
    **dict.fromkeys(_THOUGHTS, _thinking_parts),
    **dict.fromkeys(_PROMPTS, _prompt_parts),
    **dict.fromkeys(_MEDIA, _media_parts),
}
"""Converters of blocks by type."""
