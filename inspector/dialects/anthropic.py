"""Anthropic messages: `{"role", "content": text | [blocks]}`, with tool results inside user messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from inspector.conversation import (
    Document,
    Image,
    Part,
    Raw,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    readable,
)
from inspector.dialects.openai import dumps
from inspector.media import anthropic_source

ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


def role(raw: Raw) -> Role:
    return ROLES.get(str(raw.get("role")), "user")


def blocks_of(raw: Raw) -> list[Any]:
    """The content as a list of blocks, whatever form it was written in."""
    match raw.get("content"):
        case None:
            return []
        case str() as text:
            return [{"type": "text", "text": text}]
        case list() as blocks:
            return blocks
        case other:
            return [other]


def parts(raw: Raw) -> tuple[Part, ...]:
    return tuple(block_part(block) for block in blocks_of(raw))


def block_part(block: Any) -> Part:
    match block:
        case str():
            return Text(block)
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "thinking", "thinking": str(text)}:
            return Thinking(text, str(block.get("signature") or ""))
        case {"type": "redacted_thinking"}:
            return Thinking("", str(block.get("data") or ""))
        case {"type": "tool_use", "name": name}:
            return ToolCall(str(block.get("id") or ""), str(name), dumps(block.get("input")))
        case {"type": "tool_result"}:
            return result_part(block)
        case {"type": "image" | "document"}:
            return anthropic_source(block) or Unknown(block["type"], dumps(block))
        case {"type": str(kind)}:
            return Unknown(kind, dumps(block))
        case _:
            return Unknown("", dumps(block))


def result_part(block: dict[str, Any]) -> ToolResult:
    inner = (block_part(item) for item in blocks_of(block))
    kept = tuple(part for part in inner if isinstance(part, Text | Image | Document | Unknown))
    return ToolResult(str(block.get("tool_use_id") or ""), kept, bool(block.get("is_error")))


def split(raw: Raw) -> list[Raw]:
    """A user message with results as one message per result, and one with the words that came along."""
    blocks = blocks_of(raw)
    if not any(is_result(block) for block in blocks):
        return [raw]
    pieces: list[Raw] = [{**raw, "content": [block]} for block in blocks if is_result(block)]
    words = [block for block in blocks if not is_result(block)]
    return [*pieces, {**raw, "content": words}] if words else pieces


def is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def with_result_text(raw: Raw, text: str) -> Raw:
    return {**raw, "content": [{**block, "content": text} for block in blocks_of(raw)]}


def write(role: Role, parts: Sequence[Part], name: str = "") -> Raw:
    """Parts as an Anthropic message. Thinking without its signature would be refused, so it is left out."""
    content = list(written_blocks(parts))
    if role != "tool" and len(content) == 1 and content[0]["type"] == "text":
        return {"role": role, "content": content[0]["text"]}
    return {"role": "user" if role == "tool" else role, "content": content}


def written_blocks(parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    for part in parts:
        match part:
            case Thinking(_, ""):
                continue
            case Thinking("", data):
                yield {"type": "redacted_thinking", "data": data}
            case Thinking(text, signature):
                yield {"type": "thinking", "thinking": text, "signature": signature}
            case ToolCall(id, name, arguments):
                yield {"type": "tool_use", "id": id, "name": name, "input": as_object(arguments)}
            case ToolResult(call_id, inner, is_error):
                block = {"type": "tool_result", "tool_use_id": call_id, "content": list(written_blocks(inner))}
                yield block | ({"is_error": True} if is_error else {})
            case Image() | Document() if part.source:
                yield media_block(part)
            case _:
                if text := readable(part):
                    yield {"type": "text", "text": text}


def media_block(part: Image | Document) -> dict[str, Any]:
    kind = "image" if isinstance(part, Image) else "document"
    if part.source.startswith("data:"):
        data = part.source.partition(",")[2]
        return {"type": kind, "source": {"type": "base64", "media_type": part.media_type, "data": data}}
    return {"type": kind, "source": {"type": "url", "url": part.source}}


def as_object(arguments: str) -> dict[str, Any]:
    """Call arguments as the object that Anthropic asks for; broken JSON is kept whole under one key."""
    try:
        value = orjson.loads(arguments or "{}")
    except orjson.JSONDecodeError:
        return {"arguments": arguments}
    return value if isinstance(value, dict) else {"arguments": value}


def without_calls(raw: Raw, places: Sequence[int]) -> Raw | None:
    kept: list[Any] = []
    place = -1
    for block in blocks_of(raw):
        if isinstance(block_part(block), ToolCall):
            place += 1
            if place in places:
                continue
        kept.append(block)
    speaks = any(readable(part) for part in map(block_part, kept) if not isinstance(part, Thinking))
    return {**raw, "content": kept} if speaks else None
