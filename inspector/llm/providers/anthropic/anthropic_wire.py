"""Anthropic's wire format: `{"role", "content": text | [blocks]}`, with tool results inside user messages.

See https://docs.anthropic.com/en/api/messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from inspector.core.conversation import (
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
    anthropic_source,
    readable,
)
from inspector.core.text import dumps
from inspector.llm.providers.base import WireFormat

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}

_FIELDS = frozenset({"role", "content"})
"""All valid fields of a message in a request."""
_OWN_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"})
"""Block types that only this wire format has."""

_Block = dict[str, Any]


class _AnthropicWire(WireFormat):
    """Messages of Anthropic's Messages API."""

    name = "anthropic"

    def parse(self, raw: Raw) -> tuple[Part, ...]:
        content = raw.get("content")
        if type(content) is str:
            return (Text(content),)
        return tuple([block_part(block) for block in blocks_of(raw)])

    def role(self, raw: Raw) -> Role:
        """Return the role of a message. Tool results are in user messages."""
        return _ROLES.get(str(raw.get("role")), "user")

    def encode(self, role: Role, parts: Sequence[Part], name: str = "") -> Raw:
        """Return parts as an Anthropic message. Thinking without a signature is dropped, because it is rejected."""
        content = list(encode_blocks(parts))
        if role != "tool" and len(content) == 1 and content[0]["type"] == "text":
            return {"role": role, "content": content[0]["text"]}
        return {"role": "user" if role == "tool" else role, "content": content}

    def split(self, raw: Raw) -> list[Raw]:
        """Split a user message with results into one message per result, and one for any other blocks."""
        blocks = blocks_of(raw)
        if len(blocks) == 1 or not any(map(is_result, blocks)):
            return [raw]
        pieces: list[Raw] = [{**raw, "content": [block]} for block in blocks if is_result(block)]
        words = [block for block in blocks if not is_result(block)]
        return [*pieces, {**raw, "content": words}] if words else pieces

    def join(self, pieces: Sequence[Raw]) -> list[Raw]:
        if len(pieces) < 2:
            return list(pieces)
        return [{**pieces[0], "content": [block for piece in pieces for block in blocks_of(piece)]}]

    def with_result_text(self, raw: Raw, text: str) -> Raw:
        return _with_results(raw, {"content": text})

    def with_call_id(self, raw: Raw, id: str) -> Raw:
        return _with_results(raw, {"tool_use_id": id})

    def result_as_words(self, raw: Raw) -> Raw:
        content: list[Any] = []
        for block in blocks_of(raw):
            content += blocks_of(block) if is_result(block) else [block]
        return {"role": "user", "content": content or ""}

    def without_calls(self, raw: Raw, places: Sequence[int]) -> Raw | None:
        content: list[Any] = []
        place = -1
        for block in blocks_of(raw):
            if isinstance(block_part(block), ToolCall):
                place += 1
                if place in places:
                    continue
            content.append(block)
        speaks = any(readable(part) for part in map(block_part, content) if not isinstance(part, Thinking))
        return {**raw, "content": content} if speaks else None

    def without_inputs(self, raw: Raw) -> Raw:
        blocks = blocks_of(raw)
        emptied = [{**block, "input": {}} if isinstance(block_part(block), ToolCall) else block for block in blocks]
        return {**raw, "content": emptied}

    def without_thinking(self, raw: Raw) -> Raw | None:
        content = [block for block in blocks_of(raw) if not isinstance(block_part(block), Thinking)]
        return {**raw, "content": content} if content else None

    def is_odd(self, raw: Raw) -> bool:
        """Return True also if a message has invalid fields or cache breakpoints."""
        return not (_FIELDS.issuperset(raw) and is_fit_role(raw)) or any(map(_is_marked, blocks_of(raw)))

    def confidence(self, raw: Raw) -> float:
        """Return a high confidence if there are blocks that only this format has."""
        content = raw.get("content")
        blocks = content if isinstance(content, list | tuple) else ()
        return 0.9 if any(map(_is_own, blocks)) else 0.0


ANTHROPIC_WIRE = _AnthropicWire()


def is_fit_role(raw: Raw) -> bool:
    """Return True if the role of a message is valid."""
    return str(raw.get("role")) in _ROLES


def extra_fields(raw: Raw) -> list[str]:
    """Return the fields of a message that are invalid in a request."""
    return [str(name) for name in raw if name not in _FIELDS]


def _is_marked(block: Any) -> bool:
    """Return True if a block, or a block inside a result, has a cache breakpoint."""
    if type(block) is not dict:
        return False
    inner = block.get("content")
    return "cache_control" in block or (
        type(inner) is list and any(type(entry) is dict and "cache_control" in entry for entry in inner)
    )


def _with_results(raw: Raw, fields: _Block) -> Raw:
    """Return a raw message with some fields of its tool results replaced."""
    return {**raw, "content": [{**block, **fields} if is_result(block) else block for block in blocks_of(raw)]}


def _is_own(block: Any) -> bool:
    """Return True if the type of a block exists only in Anthropic's format."""
    if not isinstance(block, Mapping):
        return False
    kind = block.get("type")
    return (isinstance(kind, str) and kind in _OWN_BLOCKS) or (kind == "image" and "source" in block)


def blocks_of(raw: Raw) -> list[Any]:
    """Return the content as a list of blocks, regardless of its form."""
    match raw.get("content"):
        case None:
            return []
        case str() as text:
            return [{"type": "text", "text": text}]
        case list() as blocks:
            return blocks
        case other:
            return [other]


def is_compaction(raw: Raw) -> bool:
    """Return True if a message consists of a compaction that took effect, which replaces all messages before it."""
    content = raw.get("content")
    return type(content) is list and len(content) == 1 and _is_effective(content[0])


def at_compactions(raw: Raw) -> list[Raw]:
    """Split a reply before and after each compaction in it. A compaction without content failed and has no effect."""
    content = raw.get("content")
    if raw.get("role") != "assistant" or type(content) is not list or not any(map(_is_effective, content)):
        return [raw]
    pieces: list[list[Any]] = [[]]
    for block in content:
        pieces += [[block], []] if _is_effective(block) else []
        if not _is_effective(block):
            pieces[-1].append(block)
    return [{**raw, "content": piece} for piece in pieces if piece]


def _is_effective(block: Any) -> bool:
    """Return True if a block is a compaction with a summary, in plain text or encrypted."""
    if type(block) is not dict or block.get("type") != "compaction":
        return False
    return bool(block.get("content") or block.get("encrypted_content"))


def block_part(block: Any) -> Part:
    """Return a block as a part."""
    if type(block) is dict:
        kind = block.get("type")
        read = _READERS.get(kind) if type(kind) is str else None
        part = read(block) if read else None
        return part or Unknown(kind if type(kind) is str else "", dumps(block))
    return Text(block) if isinstance(block, str) else Unknown("", dumps(block))


def _text_part(block: _Block) -> Part | None:
    text = block.get("text")
    return Text(text) if type(text) is str else None


def _compaction_part(block: _Block) -> Part | None:
    text = block.get("content")
    return Text(text) if type(text) is str and text else None


def _thinking_part(block: _Block) -> Part | None:
    text = block.get("thinking")
    return Thinking(text, str(block.get("signature") or "")) if type(text) is str else None


def _redacted_part(block: _Block) -> Part:
    return Thinking("", str(block.get("data") or ""))


def _call_part(block: _Block) -> Part | None:
    if "name" not in block:
        return None
    return ToolCall(str(block.get("id") or ""), str(block["name"]), dumps(block.get("input")))


def _result_part(block: _Block) -> Part:
    content = block.get("content")
    blocks = [content] if type(content) is str else blocks_of(block)
    inner = tuple([_inner_part(item) for item in blocks])
    return ToolResult(str(block.get("tool_use_id") or ""), inner, bool(block.get("is_error")))


def _inner_part(block: Any) -> Text | Image | Document | Unknown:
    """Return a block inside a tool result as a part. Thinking, calls and nested results become `Unknown`."""
    if type(block) is str:
        return Text(block)
    if is_result(block):
        return Unknown("tool_result", dumps(block))
    part = block_part(block)
    if isinstance(part, Text | Image | Document | Unknown):
        return part
    return Unknown(str(block.get("type")), dumps(block))


def _document_part(block: _Block) -> Part | None:
    match block.get("source"):
        case {"type": "text", "data": str(text)}:
            return Text(text)
    return anthropic_source(block)


_READERS: dict[str, Callable[[_Block], Part | None]] = {
    "text": _text_part,
    "tool_use": _call_part,
    "tool_result": _result_part,
    "thinking": _thinking_part,
    "redacted_thinking": _redacted_part,
    "compaction": _compaction_part,
    "image": anthropic_source,
    "document": _document_part,
}


def is_result(block: Any) -> bool:
    """Return True if a block is a tool result."""
    return isinstance(block, dict) and block.get("type") == "tool_result"


def encode_blocks(parts: Sequence[Part]) -> Iterator[_Block]:
    """Yield parts as blocks. Thinking without a signature, and empty text, are dropped."""
    for part in parts:
        match part:
            case Thinking(_, ""):
                continue
            case Thinking("", data):
                yield {"type": "redacted_thinking", "data": data}
            case Thinking(text, signature):
                yield {"type": "thinking", "thinking": text, "signature": signature}
            case ToolCall(id, name, arguments):
                yield {"type": "tool_use", "id": id, "name": name, "input": call_input(arguments)}
            case ToolResult(call_id, inner, is_error):
                block = {"type": "tool_result", "tool_use_id": call_id, "content": list(encode_blocks(inner))}
                yield block | ({"is_error": True} if is_error else {})
            case Image() | Document() if part.source:
                yield _media_block(part)
            case _:
                if text := readable(part):
                    yield {"type": "text", "text": text}


def _media_block(part: Image | Document) -> _Block:
    """Return an image or document as a block with its data or URL."""
    block: _Block = {"type": "image" if isinstance(part, Image) else "document"}
    if part.source.startswith("data:"):
        data = part.source.partition(",")[2]
        block["source"] = {"type": "base64", "media_type": part.media_type, "data": data}
    else:
        block["source"] = {"type": "url", "url": part.source}
    return block | ({"title": part.title} if isinstance(part, Document) and part.title else {})


def call_input(arguments: str) -> _Block:
    """Return the arguments of a call as an object. Invalid JSON and other values are wrapped in one."""
    try:
        value = orjson.loads(arguments or "{}")
    except orjson.JSONDecodeError:
        return {"arguments": arguments}
    return value if isinstance(value, dict) else {"arguments": value}
