"""Messages as Anthropic's form has them. What was recorded in this form stays as it was, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.conversation import Message, Text, ToolResult, readable
from inspector.providers.anthropic.wire import as_object, block_part, blocks_of, is_result, written_blocks
from inspector.providers.registry import written
from inspector.providers.tool_pairing import BEGINNING, EMPTY, NO_RESULT, Turn, arranged, fit_name, plain
from inspector.text import dumps

_Item = dict[str, Any]

_PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def claude_messages(messages: Iterable[Message], thinks: bool) -> tuple[str | list[_Item], list[_Item]]:
    """The `system` and the `messages` of a request that the provider takes.

    `thinks` tells whether the request asks for thinking; where it does not, the last message may hold none.
    """
    turns = arranged(messages, plain)
    system = [turn for turn in turns if turn.message.role == "system"]
    items = [item for turn in turns if turn.message.role != "system" for item in _written_turn(turn)]
    items = _merged([item for item in _merged(items) if _settled(item)])
    _end(items, thinks)
    if not items or items[0]["role"] != "user":
        items.insert(0, {"role": "user", "content": BEGINNING})
    return _system_of(system), items


def _system_of(turns: Sequence[Turn]) -> str | list[_Item]:
    """All system messages, each text as it was."""
    found: list[_Item] = []
    for turn in turns:
        if turn.message.dialect == "anthropic":
            content = turn.raw.get("content")
            if len(turns) == 1 and isinstance(content, str):
                return content if content.strip() else ""
            found += [block for block in _cleaned(blocks_of(turn.raw), "system") if block.get("type") == "text"]
        else:
            texts = [part.text for part in turn.parts if isinstance(part, Text) and part.text.strip()]
            if len(turns) == 1 and len(texts) == 1:
                return texts[0]
            found += [{"type": "text", "text": text} for text in texts]
    return found


def _written_turn(turn: Turn) -> Iterator[_Item]:
    """A message, and the results of its calls as one message behind it."""
    role = turn.message.role
    raw = dict(turn.raw) if turn.message.dialect == "anthropic" else dict(written(role, turn.parts, "anthropic"))
    content = raw.get("content")
    if not isinstance(content, str) or not content.strip():
        blocks = _cleaned(blocks_of(raw), role, turn)
        content = blocks if blocks or role == "assistant" else EMPTY
    if content:
        yield {**raw, "role": role, "content": content}
    if turn.calls:
        results = [_result_block(result, own) for result, own in zip(turn.results, turn.ids, strict=True)]
        yield {"role": "user", "content": results}


def _cleaned(blocks: Iterable[Any], role: str, turn: Turn | None = None) -> list[_Item]:
    """Blocks without those that the provider would refuse, and with the ids that calls are to have."""
    ids = iter(turn.ids if turn else ())
    kept = []
    for block in blocks:
        match block:
            case {"type": "tool_use", "name": name} if role == "assistant":
                kept.append({**block, "id": next(ids), "name": fit_name(str(name), 128), "input": _input_of(block)})
            case {"type": "tool_use" | "tool_result"}:
                kept += _texts_of(block)
            case {"type": "text", "text": str(text)}:
                kept += [block] if text.strip() else []
            case {"type": "thinking", "thinking": str(), "signature": str(sign)} if sign and role == "assistant":
                kept.append(block)
            case {"type": "redacted_thinking", "data": str(data)} if data and role == "assistant":
                kept.append(block)
            case {"type": "thinking" | "redacted_thinking"}:
                continue
            case {"type": "image" | "document", "source": dict(source)} if role == "user" and _media_fits(
                block, source
            ):
                kept.append(block)
            case {"type": str(kind)} if kind not in ("image", "document", "text"):
                kept.append(block)
            case _:
                kept += _texts_of(block)
    return kept


def _input_of(block: _Item) -> Any:
    given = block.get("input")
    return given if isinstance(given, dict) else as_object(dumps(given) if given is not None else "")


def _texts_of(block: Any) -> list[_Item]:
    """A block that has no place where it stands, in words."""
    text = readable(block_part(block))
    return [{"type": "text", "text": text}] if text.strip() else []


def _media_fits(block: _Item, source: _Item) -> bool:
    """Whether a picture or document is of a kind that the provider takes."""
    if source.get("type") != "base64":
        return isinstance(source.get("type"), str)
    if not isinstance(source.get("data"), str) or not source["data"]:
        return False
    kind = source.get("media_type")
    return kind in _PICTURES if block["type"] == "image" else kind == "application/pdf"


def _result_block(result: Turn | None, id: str) -> _Item:
    if result is None:
        return {"type": "tool_result", "tool_use_id": id, "content": NO_RESULT}
    recorded = [block for block in blocks_of(result.raw) if is_result(block)]
    if result.message.dialect == "anthropic" and recorded:
        block = {**recorded[0], "tool_use_id": id}
        content = block.get("content")
    else:
        found = result.result
        block = {"type": "tool_result", "tool_use_id": id} | ({"is_error": True} if found.is_error else {})
        content = _written_content(found)
    if not isinstance(content, str):
        content = _cleaned(blocks_of({"content": content}), "user")
    if block.get("is_error") and not (content.strip() if isinstance(content, str) else content):
        content = EMPTY
    return {**block, "content": content}


def _written_content(result: ToolResult) -> str | list[_Item]:
    """What a tool answered: plain text where it is one text."""
    match result.parts:
        case (Text(text),):
            return text
        case parts:
            return list(written_blocks(parts))


def _merged(items: Iterable[_Item]) -> list[_Item]:
    """Messages whose roles alternate: neighbours of the same side in one."""
    found: list[_Item] = []
    for item in items:
        if found and found[-1]["role"] == item["role"]:
            content = [*blocks_of(found[-1]), *blocks_of(item)]
            found[-1] = {**found[-1], **item, "content": content}
        else:
            found.append(item)
    return found


def _settled(item: _Item) -> bool:
    """Put a reply's thinking first, where it must stand; a reply that is nothing but thinking cannot stay."""
    if item["role"] != "assistant" or isinstance(item["content"], str):
        return True
    blocks = item["content"]
    thoughts = [block for block in blocks if block["type"] in THOUGHTS]
    if thoughts and blocks[0]["type"] not in THOUGHTS:
        item["content"] = [*thoughts, *(block for block in blocks if block["type"] not in THOUGHTS)]
    return len(thoughts) < len(blocks) and item["content"][-1]["type"] not in THOUGHTS


def _end(items: list[_Item], thinks: bool) -> None:
    """See to the rules for a last message of the assistant's: no space at its end, thinking only where asked for."""
    while items and items[-1]["role"] == "assistant":
        blocks = blocks_of(items[-1])
        if not thinks:
            blocks = [block for block in blocks if block["type"] not in THOUGHTS]
        if blocks and blocks[-1]["type"] == "text":
            text = blocks[-1]["text"].rstrip()
            blocks = [*blocks[:-1], *([{**blocks[-1], "text": text}] if text else [])]
        if blocks and blocks[-1]["type"] not in THOUGHTS:
            content = blocks[0]["text"] if isinstance(items[-1]["content"], str) else blocks
            items[-1] = {**items[-1], "content": content}
            return
        items.pop()
