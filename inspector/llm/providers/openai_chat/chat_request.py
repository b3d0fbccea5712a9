"""Requests to OpenAI's chat API. Messages in its own wire format are kept as recorded, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.core.conversation import Message, Part, Raw, RequestContext, Text, ToolCall, ToolResult, readable
from inspector.llm.providers.base import Request
from inspector.llm.providers.model_names import request_model
from inspector.llm.providers.openai_chat.chat_settings import chat_settings, chat_tools
from inspector.llm.providers.openai_chat.chat_wire import (
    OPENAI_CHAT_WIRE,
    ROLES,
    as_text,
    block_part,
    call_part,
    encode_block,
    is_attachable,
    is_fit_speaker,
    is_internal,
)
from inspector.llm.providers.tool_names import ToolNames, fit_name
from inspector.llm.providers.tool_pairing import FIRST_WORDS, NO_RESULT, Turn, pair_turns, short_id

_Item = dict[str, Any]
_WIRE = OPENAI_CHAT_WIRE
MAKERS = frozenset({"openai", "azure"})
_MODEL = "gpt-4o"
"""Default if no model was recorded."""

_ROLES = ("system", "developer", "user", "assistant")
_NEVER_NULL = ("name", "tool_calls", "function_call", "tool_call_id")
"""Fields that can be omitted, but must not be null."""


def chat_request(context: RequestContext, messages: Sequence[Message], *, keeps_items: bool = False) -> Request:
    """Return a chat request.

    Args:
        context: Model, tools and settings of the request.
        messages: Messages of the request.
        keeps_items: True to keep items that only the Responses API supports.
    """
    names = ToolNames(context)
    items = _chat_messages(messages, names, keeps_items)
    request: Request = {**request_model(context, MAKERS, _WIRE.name, _MODEL), "messages": items}
    if tools := list(chat_tools(context, names, keeps_items)):
        request["tools"] = tools
    return request | chat_settings(context, request.get("model", ""), names, bool(tools))


def _chat_messages(messages: Iterable[Message], names: ToolNames, keeps_items: bool) -> list[_Item]:
    """Return the valid `messages` field of a chat request."""
    items = [item for turn in pair_turns(messages, short_id) for item in _turn_items(turn, names)]
    if not keeps_items:
        items = [plain for item in items if (plain := _without_items(item))]
    return list(_merge(items)) or [{"role": "user", "content": FIRST_WORDS}]


def _turn_items(turn: Turn, names: ToolNames) -> Iterator[_Item]:
    """Yield a message, the results of its calls, and a user message with the images in those results."""
    message = turn.message
    if not turn.calls:
        yield _sound_message(turn)
        return
    legacy = message.dialect == _WIRE.name and not turn.raw.get("tool_calls")
    yield _older_call_message(turn, names) if legacy else _call_message(turn, names)
    pictures: list[_Item] = []
    for call, result, own in zip(turn.calls, turn.results, turn.ids, strict=True):
        yield _function_result(names.of(call.name), result) if legacy else _tool_result(result, own)
        attachments = [encode_block(part) for part in result.result.parts if is_attachable(part)] if result else []
        if attachments:
            pictures += [{"type": "text", "text": f"[from {call.name}]"}, *attachments]
    if pictures:
        yield {"role": "user", "content": pictures}


def _sound_message(turn: Turn) -> _Item:
    """Return a message without content that is rejected, otherwise as recorded."""
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
    """Return a message without invalid nulls, and with a valid name."""
    item = {key: value for key, value in raw.items() if value is not None or key not in _NEVER_NULL}
    return item if is_fit_speaker(item.get("name")) else item | {"name": fit_name(str(item["name"]))}


def _in_place(part: Part, role: str) -> Part:
    """Return a part, or its text if the part is invalid in a message of this role."""
    calls = isinstance(part, ToolCall) and role != "assistant"
    return Text(readable(part)) if calls or isinstance(part, ToolResult) else part


def repaired_message(message: Message) -> Raw | None:
    """Return a raw message without content that is rejected, or None if nothing remains."""
    raw = message.raw
    if message.role != "tool" and not (message.text.strip() or message.images or message.calls):
        return None
    if message.dialect != _WIRE.name:
        return raw
    role = raw["role"] if str(raw.get("role")) in ROLES else message.role
    content = _sound_content(raw.get("content"), role)
    return {**_without_nulls(raw), "role": role, "content": content or (None if message.calls else "")}


def _without_items(item: _Item) -> _Item | None:
    """Return a message without items of the Responses API, or None if nothing remains."""
    content = item.get("content")
    if not isinstance(content, list) or not any(map(is_internal, content)):
        return item
    blocks = [block for block in content if not is_internal(block)]
    return {**item, "content": blocks or None} if blocks or "tool_calls" in item or "function_call" in item else None


def _sound_content(content: Any, role: str) -> Any:
    """Return content as recorded, with blocks that are invalid for this role replaced by text."""
    if content is None or isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    return [block if _fits(block, role) else _as_words(block, role) for block in blocks]


def _fits(block: Any, role: str) -> bool:
    """Return True if a block is valid in a message of this role."""
    match block:
        case {"type": "text"}:
            return isinstance(block.get("text"), str)
        case {"type": "image_url", "image_url": {"url": str()}} | {"type": "file", "file": dict()}:
            return role == "user"
        case {"type": "input_audio", "input_audio": dict()}:
            return role == "user"
        case {"type": "refusal", "refusal": str()}:
            return role == "assistant"
        case _:
            return role != "tool" and is_internal(block)


def _as_words(block: Any, role: str) -> _Item:
    """Return a block as an image in a user message, or as text in any other message."""
    part = block_part(block)
    return encode_block(part) if role == "user" else {"type": "text", "text": readable(part)}


def _older_call_message(turn: Turn, names: ToolNames) -> _Item:
    """Return a message with a `function_call` (the deprecated form of calls), under the final name of the tool."""
    item = _sound_message(turn)
    return {**item, "function_call": {**item["function_call"], "name": names.of(turn.calls[0].name)}}


def _call_message(turn: Turn, names: ToolNames) -> _Item:
    """Return a message with calls, with their final ids and names."""
    item = _sound_message(turn)
    entries = [entry for entry in item["tool_calls"] if call_part(entry)]
    item["tool_calls"] = [
        _call_entry(entry, call, own, names.of(call.name))
        for entry, call, own in zip(entries, turn.calls, turn.ids, strict=True)
    ]
    return item


def _call_entry(entry: _Item, call: ToolCall, own: str, name: str) -> _Item:
    """Return an entry of `tool_calls` with its final id and name, otherwise as recorded if it is complete."""
    match entry:
        case {"function": {"name": str(), "arguments": str()} as function}:
            return {**entry, "id": own, "type": "function", "function": {**function, "name": name}}
        case {"custom": {"name": str(), "input": str()} as custom} if "function" not in entry:
            return {**entry, "id": own, "type": "custom", "custom": {**custom, "name": name}}
    function = entry.get("function")
    fields = function if isinstance(function, dict) else {}
    renamed = {**fields, "name": name, "arguments": call.arguments}
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
    """Return the content of a tool result, with a placeholder for each image."""
    return _sound_content(result.raw.get("content"), "tool") or ""


def _function_result(name: str, result: Turn | None) -> _Item:
    """Return the result of a `function_call`, with the name of the function."""
    raw: Raw = result.raw if result and result.raw.get("role") == "function" else {}
    content = as_text(result.raw.get("content")) if result else NO_RESULT
    return {**raw, "role": "function", "name": name, "content": content}


def _merge(items: Sequence[_Item]) -> Iterator[_Item]:
    """Merge consecutive messages of the same role if this loses nothing."""
    run: list[_Item] = []
    for item in items:
        if run and not _mergeable(run[-1], item):
            yield _as_one(run)
            run = []
        run.append(item)
    if run:
        yield _as_one(run)


def _as_one(run: Sequence[_Item]) -> _Item:
    """Return consecutive messages as one: strings separated by a blank line, or all blocks in order."""
    contents = [item["content"] for item in run if item.get("content")]
    if len(run) == 1 or not contents:
        return run[-1]
    if len(contents) == 1:
        return {**run[-1], "content": contents[0]}
    if all(isinstance(content, str) for content in contents):
        return {**run[-1], "content": "\n\n".join(contents)}
    return {**run[-1], "content": [block for content in contents for block in _as_blocks(content)]}


def _mergeable(first: _Item, second: _Item) -> bool:
    if first["role"] not in ("user", "assistant") or "tool_calls" in first or "function_call" in first:
        return False
    texts = ("content", "tool_calls")
    rest = [{key: value for key, value in item.items() if key not in texts} for item in (first, second)]
    return rest[0] == rest[1]


def _as_blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
