"""Requests to OpenAI's chat interface. What was recorded in its own form stays as it was, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.conversation import Message, Part, Raw, RequestContext, Text, ToolCall, ToolResult, readable
from inspector.providers.base import Request
from inspector.providers.openai_chat.wire import (
    OPENAI_CHAT_WIRE,
    as_text,
    block_part,
    call_part,
    encode_block,
    is_attachable,
)
from inspector.providers.tool_pairing import (
    FIRST_WORDS,
    NO_RESULT,
    Turn,
    argument_schema,
    fit_name,
    is_own_tool,
    name_and_description,
    own_settings,
    pair_turns,
    short_id,
)

_Item = dict[str, Any]
_WIRE = OPENAI_CHAT_WIRE
_MODEL = "gpt-4o"
"""Asked for where no model was recorded."""

_ROLES = ("system", "developer", "user", "assistant")
_NEVER_NULL = ("name", "tool_calls", "function_call", "tool_call_id")
"""Fields that may be left out, but not be null."""
_FOREIGN = frozenset({"image_url", "input_image", "file", "image", "document", "tool_use", "tool_result", "thinking"})
"""Kinds of blocks that only other providers take, or that must be whole."""


def chat_request(context: RequestContext, messages: Sequence[Message]) -> Request:
    """A chat request with `messages`, and with the model, tools and settings of `context`."""
    request: Request = {"model": context.model or _MODEL, "messages": _chat_messages(messages)}
    if tools := list(_tools(context)):
        request["tools"] = tools
    return request | own_settings(context, _WIRE.name, bool(tools))


def _tools(context: RequestContext) -> Iterator[Raw]:
    """Tools as functions. What only another provider can run is left out."""
    for tool in context.tools:
        match tool:
            case {"function": {"name": str(name)} as function}:
                yield tool if fit_name(name) == name else {**tool, "function": {**function, "name": fit_name(name)}}
            case {"name": str()} if is_own_tool(tool):
                yield {
                    "type": "function",
                    "function": name_and_description(tool, 64) | {"parameters": argument_schema(tool)},
                }
            case _ if context.dialect == _WIRE.name:
                yield tool


def _chat_messages(messages: Iterable[Message]) -> list[_Item]:
    """The `messages` of a chat request that the provider takes."""
    items = [item for turn in pair_turns(messages, short_id) for item in _turn_items(turn)]
    return list(_merge(items)) or [{"role": "user", "content": FIRST_WORDS}]


def _turn_items(turn: Turn) -> Iterator[_Item]:
    """A message, the results of its calls, and the pictures that those brought."""
    message = turn.message
    if not turn.calls:
        yield _sound_message(turn)
        return
    legacy = message.dialect == _WIRE.name and not turn.raw.get("tool_calls")
    yield _sound_message(turn) if legacy else _call_message(turn)
    pictures: list[_Item] = []
    for call, result, own in zip(turn.calls, turn.results, turn.ids, strict=True):
        yield _function_result(call, result) if legacy else _tool_result(result, own)
        attachments = [encode_block(part) for part in result.result.parts if is_attachable(part)] if result else []
        if attachments:
            pictures += [{"type": "text", "text": f"[from {call.name}]"}, *attachments]
    if pictures:
        yield {"role": "user", "content": pictures}


def _sound_message(turn: Turn) -> _Item:
    """A message without what the provider would refuse; otherwise as it was recorded."""
    message = turn.message
    if message.dialect != _WIRE.name:
        return dict(_WIRE.encode(message.role, [_in_place(part, message.role) for part in turn.parts]))
    raw = _without_nulls(turn.raw)
    if not turn.calls or not raw.get("tool_calls"):
        raw.pop("tool_calls", None)
    role = raw["role"] if raw.get("role") in _ROLES else message.role
    if turn.calls and "content" not in raw:
        return {**raw, "role": role}
    content = _sound_content(raw.get("content"), role)
    if not content and content != "":
        content = None if turn.calls else ""
    return {**raw, "role": role, "content": content}


def _without_nulls(raw: Raw) -> _Item:
    return {key: value for key, value in raw.items() if value is not None or key not in _NEVER_NULL}


def _in_place(part: Part, role: str) -> Part:
    """A part that may stand in a message of this role: the part itself, or its words."""
    calls = isinstance(part, ToolCall) and role != "assistant"
    return Text(readable(part)) if calls or isinstance(part, ToolResult) else part


def _sound_content(content: Any, role: str) -> Any:
    """Content as it was, but for blocks that the provider would refuse from this role: those are put into words."""
    if content is None or isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    return [block if _fits(block, role) else _as_words(block, role) for block in blocks]


def _fits(block: Any, role: str) -> bool:
    """Whether a block may stand in a message of this role. Kinds that we do not know are given the benefit of doubt."""
    match block:
        case {"type": "text"}:
            return isinstance(block.get("text"), str)
        case {"type": "image_url", "image_url": {"url": str()}} | {"type": "file", "file": dict()}:
            return role == "user"
        case {"type": str(kind)}:
            return kind not in _FOREIGN
    return False


def _as_words(block: Any, role: str) -> _Item:
    """A block in a form that fits: a picture where pictures may stand, and words everywhere else."""
    part = block_part(block)
    return encode_block(part) if role == "user" else {"type": "text", "text": readable(part)}


def _call_message(turn: Turn) -> _Item:
    """A message with calls, under the ids that they are to have."""
    item = _sound_message(turn)
    entries = [entry for entry in item["tool_calls"] if call_part(entry)]
    item["tool_calls"] = [
        _call_entry(entry, call, own) for entry, call, own in zip(entries, turn.calls, turn.ids, strict=True)
    ]
    return item


def _call_entry(entry: _Item, call: ToolCall, own: str) -> _Item:
    """An entry of `tool_calls`, as it was where it is whole."""
    match entry:
        case {"function": {"name": str(name), "arguments": str()}} if fit_name(name) == name:
            return {**entry, "id": own, "type": "function"}
        case {"custom": {"name": str(name), "input": str()}} if "function" not in entry:
            return {**entry, "id": own, "type": "custom"}
    function = entry.get("function")
    fields = function if isinstance(function, dict) else {}
    renamed = {**fields, "name": fit_name(call.name), "arguments": call.arguments}
    return {"id": own, "type": "function", "function": renamed}


def _tool_result(result: Turn | None, id: str) -> _Item:
    if result is None:
        return {"role": "tool", "tool_call_id": id, "content": NO_RESULT}
    answer = result.result
    if result.message.dialect != _WIRE.name or result.raw.get("role") != "tool":
        return dict(_WIRE.encode("tool", [ToolResult(id, answer.parts, answer.is_error)]))
    raw = _without_nulls(result.raw)
    return {**raw, "tool_call_id": id, "content": _result_content(result)}


def _result_content(result: Turn) -> Any:
    """What a tool answered, as it was; of a picture only that there was one."""
    return _sound_content(result.raw.get("content"), "tool") or ""


def _function_result(call: ToolCall, result: Turn | None) -> _Item:
    """The answer to a call in the form before parallel calls."""
    raw: Raw = result.raw if result and result.raw.get("role") == "function" else {}
    content = as_text(result.raw.get("content")) if result else NO_RESULT
    return {**raw, "role": "function", "name": call.name, "content": content}


def _merge(items: Sequence[_Item]) -> Iterator[_Item]:
    """Neighbours of the same side as one message, where nothing is lost by it."""
    last: _Item | None = None
    for item in items:
        if last and _mergeable(last, item):
            last = {**item, "content": _together(last["content"], item.get("content"))}
            continue
        if last:
            yield last
        last = item
    if last:
        yield last


def _mergeable(first: _Item, second: _Item) -> bool:
    if first["role"] not in ("user", "assistant") or "tool_calls" in first or "function_call" in first:
        return False
    texts = ("content", "tool_calls")
    rest = [{key: value for key, value in item.items() if key not in texts} for item in (first, second)]
    return rest[0] == rest[1]


def _together(first: Any, second: Any) -> Any:
    """Two contents as one: texts a blank line apart, blocks behind each other."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_blocks(first), *_as_blocks(second)]


def _as_blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
