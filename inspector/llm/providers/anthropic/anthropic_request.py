"""Requests to Anthropic's Messages API. Messages in its own wire format are kept as recorded, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.core.conversation import Message, Raw, RequestContext, Text, ToolResult, readable
from inspector.core.text import dumps
from inspector.llm.providers.anthropic.anthropic_rules import is_known, is_refused_prefill, refuses_prefill
from inspector.llm.providers.anthropic.anthropic_settings import (
    MAX_NAME_LENGTH,
    asks_for_thinking,
    claude_tools,
    fit_limit,
    fit_settings,
    recorded_settings,
    with_newest_marks,
)
from inspector.llm.providers.anthropic.anthropic_wire import (
    ANTHROPIC_WIRE,
    at_compactions,
    block_part,
    blocks_of,
    call_input,
    encode_blocks,
    is_compaction,
    is_result,
)
from inspector.llm.providers.base import Request
from inspector.llm.providers.model_names import request_model
from inspector.llm.providers.tool_names import ToolNames
from inspector.llm.providers.tool_pairing import (
    EMPTY,
    FIRST_WORDS,
    NEXT_WORDS,
    NO_RESULT,
    Turn,
    pair_turns,
    plain_id,
    reply_limit,
)

_Item = dict[str, Any]
_WIRE = ANTHROPIC_WIRE
MAKERS = frozenset({"anthropic"})
_MODEL = "claude-sonnet-4-20250514"
"""Default if no model was recorded."""
_NEWEST = "claude-opus-4-6"
"""Model whose rules apply if a request names no model, since the user can fill in any."""
_NO_DEFINITION = "The definition of this tool was not recorded."

_NAMES = ToolNames(longest=MAX_NAME_LENGTH)
"""Names for blocks outside a request, each made valid on its own."""
_PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_STRICT = frozenset({"text", "image", "document", "tool_use", "tool_result"})
"""Block types that must be complete and in a valid position."""
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def messages_request(context: RequestContext, messages: Sequence[Message]) -> Request:
    """Return a Messages request.

    Thinking is enabled only if the messages contain the thinking blocks that such a request requires. A final reply
    that was sent as a prefill is removed if the model does not support prefills. If the model cannot continue any other
    final reply, a placeholder for the next user message is appended.

    Args:
        context: Model, tools and settings of the request.
        messages: Messages of the request.
    """
    if is_refused_prefill(context, messages):
        messages = messages[:-1]
    request: Request = {**request_model(context, MAKERS, _WIRE.name, _MODEL)}
    model, names = request.get("model", ""), ToolNames(context, MAX_NAME_LENGTH)
    settings = recorded_settings(context, model)
    thinks = asks_for_thinking(settings)
    system, items = _claude_messages(messages, thinks, names)
    if thinks and not _shows_thinking(items, settings["thinking"]):
        settings.pop("thinking")
        thinks = False
        system, items = _claude_messages(messages, False, names)
    request["max_tokens"] = fit_limit(reply_limit(context), settings, model)
    if items[-1]["role"] == "assistant" and (thinks or refuses_prefill(model or _NEWEST)):
        items.append({"role": "user", "content": NEXT_WORDS})
    if system:
        request["system"] = system
    tools = list(claude_tools(context, names))
    if definitions := tools or list(_names_of_calls(items)):
        request["tools"] = definitions
    request["messages"] = items
    settings = fit_settings(settings, names, bool(tools))
    return with_newest_marks(request | {key: value for key, value in settings.items() if key not in request})


def _shows_thinking(items: list[_Item], thinking: _Item) -> bool:
    """Return True if the replies contain the thinking blocks that a request with thinking enabled requires.

    In a tool loop, the last reply must contain thinking. With a thinking budget, thinking must also be at the start of
    each reply that contains any. See
    https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking#preserving-thinking-blocks.
    """
    replies = [item for item in items if item["role"] == "assistant"]
    by_budget = thinking["type"] == "enabled"
    if by_budget and not all(map(_begins_with_own_thinking, replies)):
        return False
    if not replies:
        return True
    content = replies[-1]["content"]
    if isinstance(content, list) and any(block["type"] in _THOUGHTS for block in content[: 1 if by_budget else None]):
        return True
    last = items[-1]["content"]
    results = isinstance(last, list) and last[0]["type"] == "tool_result"
    return items[-1]["role"] == "user" and not results


def _begins_with_own_thinking(reply: _Item) -> bool:
    """Return True if a reply begins with thinking or contains none."""
    kinds = [block["type"] for block in blocks_of(reply)]
    return kinds[0] in _THOUGHTS or _THOUGHTS.isdisjoint(kinds)


def _names_of_calls(items: list[_Item]) -> Iterator[Raw]:
    """Yield definitions of called tools if none were recorded, since a request with calls must define tools."""
    blocks = (block for item in items if isinstance(item["content"], list) for block in item["content"])
    names = dict.fromkeys(block["name"] for block in blocks if block.get("type") == "tool_use")
    for name in names:
        yield {"name": name, "description": _NO_DEFINITION, "input_schema": {"type": "object"}}


def _claude_messages(
    messages: Iterable[Message], thinks: bool, names: ToolNames
) -> tuple[str | list[_Item], list[_Item]]:
    """Return the `system` and `messages` fields of a valid request.

    If `thinks` is False, thinking is not enabled and is removed from a final reply.
    """
    turns = pair_turns(messages, plain_id)
    system = [turn for turn in turns if turn.message.role == "system"]
    items = [item for turn in turns if turn.message.role != "system" for item in turn_items(turn, names)]
    items = _merge([item for item in _merge(items) if _says_more_than_thinking(item)])
    _end(items, thinks)
    if not items or not (items[0]["role"] == "user" or is_compaction(at_compactions(items[0])[0])):
        items.insert(0, {"role": "user", "content": FIRST_WORDS})
    return _system_of(system), items


def _system_of(turns: Sequence[Turn]) -> str | list[_Item]:
    """Return all system messages as a string or as text blocks."""
    texts: list[_Item] = []
    for turn in turns:
        if turn.message.dialect == _WIRE.name:
            content = turn.raw.get("content")
            if len(turns) == 1 and isinstance(content, str):
                return content if content.strip() else ""
            texts += [
                block for block in _valid_blocks(blocks_of(turn.raw), "system", _NAMES) if block.get("type") == "text"
            ]
        else:
            words = [part.text for part in turn.parts if isinstance(part, Text) and part.text.strip()]
            if len(turns) == 1 and len(words) == 1:
                return words[0]
            texts += [{"type": "text", "text": text} for text in words]
    return texts


def turn_items(turn: Turn, names: ToolNames) -> Iterator[_Item]:
    """Yield a message in a valid form, followed by the results of its calls in one message."""
    role = turn.message.role
    raw = dict(turn.raw) if turn.message.dialect == _WIRE.name else dict(_WIRE.encode(role, turn.parts))
    content = raw.get("content")
    if not isinstance(content, str) or not content.strip():
        blocks = _valid_blocks(blocks_of(raw), role, names, turn.ids)
        content = blocks if blocks or role == "assistant" else EMPTY
    if content:
        yield {"role": role, "content": content}
    if turn.calls:
        results = [_result_block(result, own) for result, own in zip(turn.results, turn.ids, strict=True)]
        yield {"role": "user", "content": results}


def repaired_message(message: Message) -> Raw | None:
    """Return a raw message without content that is rejected, or None if nothing remains."""
    raw = message.raw
    if message.dialect != _WIRE.name:
        return raw if message.text.strip() or message.images or message.calls or message.answers is not None else None
    if message.answers is not None:
        return {"role": "user", "content": [_sound_result(block) for block in blocks_of(raw)]}
    content = raw.get("content")
    if not isinstance(content, str):
        content = _valid_blocks(blocks_of(raw), message.role, _NAMES)
    elif not content.strip():
        return None
    return {"role": message.role, "content": content} if content else None


def _valid_blocks(blocks: Iterable[Any], role: str, names: ToolNames, ids: Sequence[str] = ()) -> list[_Item]:
    """Return blocks in a valid form, with the final ids and tool names of calls."""
    rest = iter(ids)
    return [item for block in blocks for item in _valid_forms(block, role, names, rest)]


def _valid_forms(block: Any, role: str, names: ToolNames, ids: Iterator[str]) -> list[_Item]:
    """Return a block in a valid form, as a list of at most one item. A call uses the next of `ids`."""
    match block:
        case {"type": "tool_use", "name": name} if role == "assistant":
            name = names.of(str(name))
            return [{**block, "id": next(ids, block.get("id")), "name": name, "input": _input_of(block)}]
        case {"type": "text", "text": str(text)}:
            return [block] if text.strip() else []
        case {"type": "thinking" | "redacted_thinking"}:
            return [block] if role == "assistant" and _is_signed(block) else []
        case {"type": "image" | "document", "source": dict(source)} if role == "user":
            return [block] if _media_fits(block, source) else _texts_of(block)
        case {"type": str(kind)} if kind not in _STRICT and is_known(kind):
            return [block]
    return _texts_of(block)


def _is_signed(block: _Item) -> bool:
    """Return True if a thinking block has the signature that Anthropic verifies."""
    if block["type"] == "redacted_thinking":
        return isinstance(block.get("data"), str) and bool(block["data"])
    sign = block.get("signature")
    return isinstance(block.get("thinking"), str) and isinstance(sign, str) and bool(sign)


def _input_of(block: _Item) -> Any:
    value = block.get("input")
    return value if isinstance(value, dict) else call_input(dumps(value) if value is not None else "")


def _texts_of(block: Any) -> list[_Item]:
    """Return a block that is invalid in its position as text."""
    text = readable(block_part(block))
    return [{"type": "text", "text": text}] if text.strip() else []


def _media_fits(block: _Item, source: _Item) -> bool:
    """Return True if the type of an image or document is supported."""
    if source.get("type") != "base64":
        return isinstance(source.get("type"), str)
    if not isinstance(source.get("data"), str) or not source["data"]:
        return False
    kind = str(source.get("media_type"))
    return kind in _PICTURES if block["type"] == "image" else kind == "application/pdf"


def _result_block(result: Turn | None, id: str) -> _Item:
    if result is None:
        return {"type": "tool_result", "tool_use_id": id, "content": NO_RESULT}
    recorded = [block for block in blocks_of(result.raw) if is_result(block)]
    if result.message.dialect == _WIRE.name and recorded:
        return _sound_result({**recorded[0], "tool_use_id": id})
    answer = result.result
    block = {"type": "tool_result", "tool_use_id": id} | ({"is_error": True} if answer.is_error else {})
    return _sound_result({**block, "content": _content_of(answer)})


def _sound_result(block: _Item) -> _Item:
    """Return a result block with valid content, or any other block unchanged."""
    if not is_result(block):
        return block
    content = block.get("content")
    if not isinstance(content, str):
        content = _valid_blocks(blocks_of({"content": content}), "user", _NAMES)
    if block.get("is_error") and not (content.strip() if isinstance(content, str) else content):
        content = EMPTY
    return {**block, "content": content}


def _content_of(result: ToolResult) -> str | list[_Item]:
    """Return the content of a tool result, as a string if it is a single text."""
    match result.parts:
        case (Text(text),):
            return text
        case parts:
            return list(encode_blocks(parts))


def _merge(items: Iterable[_Item]) -> list[_Item]:
    """Merge consecutive messages of the same role, so that roles alternate."""
    rows: list[_Item] = []
    for item in items:
        if rows and rows[-1]["role"] == item["role"]:
            content = [*blocks_of(rows[-1]), *blocks_of(item)]
            rows[-1] = {**rows[-1], **item, "content": content}
        else:
            rows.append(item)
    return rows


def _says_more_than_thinking(item: _Item) -> bool:
    """Remove thinking from the end of a reply, where it is invalid, and return False if nothing remains."""
    if item["role"] != "assistant" or isinstance(item["content"], str):
        return True
    blocks = list(item["content"])
    while blocks and blocks[-1]["type"] in _THOUGHTS:
        blocks.pop()
    item["content"] = blocks
    return bool(blocks)


def _end(items: list[_Item], thinks: bool) -> None:
    """Remove trailing whitespace, and thinking unless it is enabled, from a final reply. Drop it if it is empty."""
    while items and items[-1]["role"] == "assistant":
        blocks = blocks_of(items[-1])
        if not thinks:
            blocks = [block for block in blocks if block["type"] not in _THOUGHTS]
        if blocks and blocks[-1]["type"] == "text":
            text = blocks[-1]["text"].rstrip()
            blocks = [*blocks[:-1], *([{**blocks[-1], "text": text}] if text else [])]
        if blocks and blocks[-1]["type"] not in _THOUGHTS:
            content = blocks[0]["text"] if isinstance(items[-1]["content"], str) else blocks
            items[-1] = {**items[-1], "content": content}
            return
        items.pop()
