"""Requests to OpenAI's chat interface. What was recorded in its own form stays as it was, field by field."""

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
"""Asked for where no model was recorded."""

_ROLES = ("system", "developer", "user", "assistant")
_NEVER_NULL = ("name", "tool_calls", "function_call", "tool_call_id")
"""Fields that may be left out, but not be null."""


def chat_request(context: RequestContext, messages: Sequence[Message], *, keeps_items: bool = False) -> Request:
    """A chat request with `messages`, and with the model, tools and settings of `context`.

    `keeps_items` leaves items in the messages that only the Responses interface has a place for.
    """
    names = ToolNames(context)
    items = _chat_messages(messages, names, keeps_items)
    request: Request = {**request_model(context, MAKERS, _WIRE.name, _MODEL), "messages": items}
    if tools := list(chat_tools(context, names, keeps_items)):
        request["tools"] = tools
    return request | chat_settings(context, request.get("model", ""), names, bool(tools))


def _chat_messages(messages: Iterable[Message], names: ToolNames, keeps_items: bool) -> list[_Item]:
    """The `messages` of a chat request that the provider takes."""
    items = [item for turn in pair_turns(messages, short_id) for item in _turn_items(turn, names)]
    if not keeps_items:
        items = [plain for item in items if (plain := _without_items(item))]
    return list(_merge(items)) or [{"role": "user", "content": FIRST_WORDS}]


def _turn_items(turn: Turn, names: ToolNames) -> Iterator[_Item]:
    """A message, the results of its calls, and the pictures that those brought."""
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
    """A message without the fields that may not be null, under a name that it may have."""
    item = {key: value for key, value in raw.items() if value is not None or key not in _NEVER_NULL}
    return item if is_fit_speaker(item.get("name")) else item | {"name": fit_name(str(item["name"]))}


def _in_place(part: Part, role: str) -> Part:
    """A part that may stand in a message of this role: the part itself, or its words."""
    calls = isinstance(part, ToolCall) and role != "assistant"
    return Text(readable(part)) if calls or isinstance(part, ToolResult) else part


def mended_message(message: Message) -> Raw | None:
    """A message without what is refused inside it, as a request has it; None where nothing is left of it."""
    raw = message.raw
    if message.role != "tool" and not (message.text.strip() or message.images or message.calls):
        return None
    if message.dialect != _WIRE.name:
        return raw
    role = raw["role"] if str(raw.get("role")) in ROLES else message.role
    content = _sound_content(raw.get("content"), role)
    return {**_without_nulls(raw), "role": role, "content": content or (None if message.calls else "")}


def _without_items(item: _Item) -> _Item | None:
    """A message without items of the Responses interface; None where it holds nothing else."""
    content = item.get("content")
    if not isinstance(content, list) or not any(map(is_internal, content)):
        return item
    blocks = [block for block in content if not is_internal(block)]
    return {**item, "content": blocks or None} if blocks or "tool_calls" in item or "function_call" in item else None


def _sound_content(content: Any, role: str) -> Any:
    """Content as it was, but for blocks that the provider would refuse from this role: those are put into words."""
    if content is None or isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    return [block if _fits(block, role) else _as_words(block, role) for block in blocks]


def _fits(block: Any, role: str) -> bool:
    """Whether a block may stand in a message of this role."""
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
    """A block in a form that fits: a picture where pictures may stand, and words everywhere else."""
    part = block_part(block)
    return encode_block(part) if role == "user" else {"type": "text", "text": readable(part)}


def _older_call_message(turn: Turn, names: ToolNames) -> _Item:
    """A message with a call in the form before parallel calls, under the name that it is to have."""
    item = _sound_message(turn)
    return {**item, "function_call": {**item["function_call"], "name": names.of(turn.calls[0].name)}}


def _call_message(turn: Turn, names: ToolNames) -> _Item:
    """A message with calls, under the ids that they are to have."""
    item = _sound_message(turn)
    entries = [entry for entry in item["tool_calls"] if call_part(entry)]
    item["tool_calls"] = [
        _call_entry(entry, call, own, names.of(call.name))
        for entry, call, own in zip(entries, turn.calls, turn.ids, strict=True)
    ]
    return item


def _call_entry(entry: _Item, call: ToolCall, own: str, name: str) -> _Item:
    """An entry of `tool_calls` under its id and the name of its tool, otherwise as it was where it is whole."""
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
    """What a tool answered, as it was; of a picture only that there was one."""
    return _sound_content(result.raw.get("content"), "tool") or ""


def _function_result(name: str, result: Turn | None) -> _Item:
    """The answer to a call in the form before parallel calls, which is of the function `name`."""
    raw: Raw = result.raw if result and result.raw.get("role") == "function" else {}
    content = as_text(result.raw.get("content")) if result else NO_RESULT
    return {**raw, "role": "function", "name": name, "content": content}


def _merge(items: Sequence[_Item]) -> Iterator[_Item]:
    """Neighbours of the same side as one message, where nothing is lost by it."""
    run: list[_Item] = []
    for item in items:
        if run and not _mergeable(run[-1], item):
            yield _as_one(run)
            run = []
        run.append(item)
    if run:
        yield _as_one(run)


def _as_one(run: Sequence[_Item]) -> _Item:
    """Neighbours as one message: texts a blank line apart, blocks behind each other."""
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
