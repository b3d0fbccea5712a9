"""Messages as OpenAI's chat form has them. What was recorded in this form stays as it was, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.conversation import Message, Raw, ToolCall, ToolResult
from inspector.dialects import parts_of, written
from inspector.dialects.openai import as_text, call_part, shown, written_block, written_content
from inspector.formats.pairing import BEGINNING, NO_RESULT, Turn, arranged, fit_name, short

Item = dict[str, Any]

NEVER_NULL = ("name", "tool_calls", "function_call", "tool_call_id")
"""Fields that may be left out, but not be null."""


def chat_messages(messages: Iterable[Message]) -> list[Item]:
    """The `messages` of a chat request that the provider takes."""
    items = [item for turn in arranged(messages, short) for item in written_turn(turn)]
    return list(merged(items)) or [{"role": "user", "content": BEGINNING}]


def written_turn(turn: Turn) -> Iterator[Item]:
    """A message, the results of its calls, and the pictures that those brought."""
    message = turn.message
    if not turn.calls:
        yield sound(turn)
        return
    legacy = message.dialect == "openai" and not turn.raw.get("tool_calls")
    yield sound(turn) if legacy else calling(turn)
    pictures: list[Item] = []
    for call, result, own in zip(turn.calls, turn.results, turn.ids, strict=True):
        yield function_result(call, result) if legacy else tool_result(result, own)
        seen = [written_block(part) for part in result.result.parts if shown(part)] if result else []
        if seen:
            pictures += [{"type": "text", "text": f"[from {call.name}]"}, *seen]
    if pictures:
        yield {"role": "user", "content": pictures}


def sound(turn: Turn) -> Item:
    """A message without what the provider would refuse; otherwise as it was recorded."""
    message = turn.message
    if message.dialect != "openai":
        parts = [part for part in turn.parts if not isinstance(part, ToolResult)]
        return dict(written(message.role, parts, "openai"))
    raw = {key: value for key, value in turn.raw.items() if value is not None or key not in NEVER_NULL}
    if not turn.calls:
        raw.pop("tool_calls", None)
    known = ("system", "developer", "user", "assistant")
    role = raw["role"] if raw.get("role") in known else message.role
    content = raw.get("content")
    if not acceptable(content, role):
        content = written_content(parts_of({"role": role, "content": content}, "openai"), message.role)
        content = content or (None if turn.calls else "")
    elif content is None and not turn.calls:
        content = ""
    return {**raw, "role": role, "content": content}


def acceptable(content: Any, role: str) -> bool:
    """Whether content is text, or a list of blocks that may stand in a message of this role."""
    if content is None or isinstance(content, str):
        return True
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in content)
        and not any(block["type"] in ("image", "document", "tool_result", "tool_use") for block in content)
        and (role == "user" or not any(block["type"] in ("image_url", "file") for block in content))
    )


def calling(turn: Turn) -> Item:
    """A message with calls, under the ids that they are to have."""
    item = sound(turn)
    entries = [entry for entry in item["tool_calls"] if call_part(entry)]
    item["tool_calls"] = [
        call_entry(entry, call, own) for entry, call, own in zip(entries, turn.calls, turn.ids, strict=True)
    ]
    return item


def call_entry(entry: Item, call: ToolCall, id: str) -> Item:
    """An entry of `tool_calls`, as it was where it is whole."""
    if isinstance(entry.get("custom"), dict):
        return {**entry, "id": id}
    name = fit_name(call.name)
    function = entry.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str) or function.get("name") != name:
        kept = function if isinstance(function, dict) else {}
        return {"id": id, "type": "function", "function": {**kept, "name": name, "arguments": call.arguments}}
    return {**entry, "id": id, "type": "function"}


def tool_result(result: Turn | None, id: str) -> Item:
    if result is None:
        return {"role": "tool", "tool_call_id": id, "content": NO_RESULT}
    found = result.result
    if result.message.dialect != "openai" or result.raw.get("role") != "tool":
        return dict(written("tool", [ToolResult(id, found.parts, found.is_error)], "openai"))
    raw = {key: value for key, value in result.raw.items() if value is not None or key not in NEVER_NULL}
    return {**raw, "tool_call_id": id, "content": result_content(result)}


def result_content(result: Turn) -> str | list[Any]:
    """What a tool answered: text, as it was; of a picture only that there was one."""
    content = result.raw.get("content")
    if isinstance(content, str) or (isinstance(content, list) and acceptable(content, "tool")):
        return content
    return written_content(result.result.parts, "tool")


def function_result(call: ToolCall, result: Turn | None) -> Item:
    """The answer to a call in the form before parallel calls."""
    raw: Raw = result.raw if result and result.raw.get("role") == "function" else {}
    content = as_text(result.raw.get("content")) if result else NO_RESULT
    return {**raw, "role": "function", "name": call.name, "content": content}


def merged(items: Sequence[Item]) -> Iterator[Item]:
    """Neighbours of the same side as one message, where nothing is lost by it."""
    last: Item | None = None
    for item in items:
        if last and mergeable(last, item):
            last = {**item, "content": together(last["content"], item["content"])}
            continue
        if last:
            yield last
        last = item
    if last:
        yield last


def mergeable(first: Item, second: Item) -> bool:
    if first["role"] not in ("user", "assistant") or "tool_calls" in first or "function_call" in first:
        return False
    told = ("content", "tool_calls")
    rest = [{key: value for key, value in item.items() if key not in told} for item in (first, second)]
    return rest[0] == rest[1]


def together(first: Any, second: Any) -> Any:
    """Two contents as one: texts a blank line apart, blocks behind each other."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*as_blocks(first), *as_blocks(second)]


def as_blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
