"""OpenAI's chat wire format: `{"role", "content", "tool_calls", "tool_call_id", …}`.

See https://platform.openai.com/docs/api-reference/chat/create. Extensions of common gateways are supported as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

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
    attachment,
    readable,
)
from inspector.core.text import dumps
from inspector.llm.providers.base import WireFormat
from inspector.llm.providers.tool_names import fit_name

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
RESPONSES = "openai-responses"
"""Setting that contains the original settings of a request to the Responses API."""
ITEM = "item"
"""Type of a block whose `item` is an item of the Responses API other than a message or call."""
_KINDS = ("text", "image_url", "input_audio", "refusal", "audio", "file")
"""Valid block types of content."""
_FIT_SPEAKER = re.compile(r"[^\s<|\\/>]{1,64}")
_TEXT_KEYS = frozenset(("role", "content"))
"""Keys of a message that is a text alone, as most are."""
_OWN_ROLES = ("system", "developer", "tool", "function")
"""Roles of messages that only this wire format has."""
_PDF = "data:application/pdf"


class _OpenAIChatWire(WireFormat):
    """Messages of OpenAI's chat API, including deprecated forms and those of gateways."""

    name = "openai"

    def parse(self, raw: Raw) -> tuple[Part, ...]:
        if raw.keys() == _TEXT_KEYS and type(raw["content"]) is str and self.role(raw) != "tool":
            return (Text(raw["content"]),)
        content = tuple(_content_parts(raw.get("content")))
        if self.role(raw) == "tool":
            parts = tuple(part for part in content if isinstance(part, Text | Image | Document | Unknown))
            return (ToolResult(_answer_id(raw), parts),)
        return (*_thinking_parts(raw), *content, *_refusal_part(raw), *_call_parts(raw))

    def role(self, raw: Raw) -> Role:
        return ROLES.get(str(raw.get("role")), "user")

    def encode(self, role: Role, parts: Sequence[Part], name: str = "") -> Raw:
        """Return parts as a chat message. Thinking is not supported and dropped. Unrecognised blocks become JSON."""
        if role == "tool":
            result = next((part for part in parts if isinstance(part, ToolResult)), ToolResult("", _words_of(parts)))
            raw: dict[str, Any] = {"role": "tool", "tool_call_id": result.call_id, "content": _result_text(result)}
            return raw | ({"name": name} if name else {})
        content = [part for part in parts if not isinstance(part, ToolCall | Thinking)]
        raw = {"role": role, "content": _encode_content(content, role)}
        tool_calls = [
            {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
            for part in parts
            if isinstance(part, ToolCall)
        ]
        return {**raw, "content": raw["content"] or None, "tool_calls": tool_calls} if tool_calls else raw

    def split(self, raw: Raw) -> list[Raw]:
        """Return the message itself, because no chat message contains two results."""
        return [raw]

    def join(self, pieces: Sequence[Raw]) -> list[Raw]:
        return list(pieces)

    def with_result_text(self, raw: Raw, text: str) -> Raw:
        return {**raw, "content": text}

    def with_call_id(self, raw: Raw, id: str) -> Raw:
        return {**raw, "tool_call_id": id}

    def result_as_words(self, raw: Raw) -> Raw:
        return {"role": "user", "content": raw.get("content") or ""}

    def without_calls(self, raw: Raw, places: Sequence[int]) -> Raw | None:
        entries = raw.get("tool_calls")
        whole = [entry for entry in entries if call_part(entry)] if isinstance(entries, list) else []
        calls = [call for place, call in enumerate(whole) if place not in places]
        if calls:
            return {**raw, "tool_calls": calls}
        rest = {key: value for key, value in raw.items() if key not in ("tool_calls", "function_call")}
        speaks = any(readable(part) for part in self.parse(rest) if not isinstance(part, Thinking))
        return rest if speaks else None

    def without_inputs(self, raw: Raw) -> Raw:
        calls = raw.get("tool_calls")
        return {**raw, "tool_calls": list(map(_without_input, calls))} if isinstance(calls, list) else raw

    def without_thinking(self, raw: Raw) -> Raw | None:
        rest = {key: value for key, value in raw.items() if key not in ("thinking_blocks", "reasoning_content")}
        return rest if self.parse(rest) else None

    def is_odd(self, raw: Raw) -> bool:
        content = raw.get("content")
        if content is None or content == []:
            return True
        blocks = content if isinstance(content, list) else ()
        return (
            str(raw.get("role")) not in ROLES or not is_fit_speaker(raw.get("name")) or not all(map(has_kind, blocks))
        )

    def confidence(self, raw: Raw) -> float:
        """Return 1 if a message has a role or calls that only this format has."""
        return 1.0 if raw.get("role") in _OWN_ROLES or raw.get("tool_calls") else 0.0


OPENAI_CHAT_WIRE = _OpenAIChatWire()


def is_fit_speaker(name: object) -> bool:
    """Return True if `name` is a valid name of a speaker, or None."""
    return name is None or (isinstance(name, str) and bool(_FIT_SPEAKER.fullmatch(name)))


def is_internal(block: Any) -> bool:
    """Return True if a block is an item of the Responses API, such as hidden reasoning.

    These blocks are recorded among the content of a message, and are sent to no other API.
    """
    match block:
        case {"type": "reasoning"} | {"type": "item", "item": {"type": str()}}:
            return True
    return False


def has_kind(block: Any) -> bool:
    """Return True if the type of a block is valid in a message."""
    return isinstance(block, dict) and (block.get("type") in _KINDS or is_internal(block))


def _answer_id(raw: Raw) -> str:
    """Return the id of the call that a tool message answers, or the name in a deprecated function message."""
    name = raw.get("name") if raw.get("role") == "function" else None
    return str(raw.get("tool_call_id") or (fit_name(str(name)) if name else ""))


def _content_parts(content: Any) -> Iterator[Part]:
    match content:
        case None:
            return
        case str():
            yield Text(content)
        case list():
            for block in content:
                yield block_part(block)
        case _:
            yield Unknown("content", dumps(content))


def block_part(block: Any) -> Part:
    """Return a block of content as a part."""
    match block:
        case str():
            return Text(block)
        case {"type": "text" | "input_text" | "output_text", "text": str(text)}:
            return Text(text)
        case {"type": "image_url" | "input_image", "image_url": {"url": str(url)} | str(url)}:
            return attachment(url)
        case {"type": "file", "file": {"file_data": str(data), **rest}}:
            media_type = "" if data.startswith("data:") else "application/pdf"
            return attachment(data, media_type, str(rest.get("filename") or ""))
        case {"type": "refusal", "refusal": str(text)}:
            return Text(text)
        case {"type": "image" | "document" as kind, "source": dict()}:  # passed through by gateways
            return anthropic_source(block) or Unknown(kind, dumps(block))
    return _unknown_part(block)


def _unknown_part(block: Any) -> Unknown:
    match block:
        case {"type": "item", "item": {"type": str(kind)} as item}:
            return Unknown(kind, dumps(item), is_internal=True)
        case {"type": str(kind)}:
            return Unknown(kind, dumps(block), is_internal(block))
    return Unknown("", dumps(block))


def _thinking_parts(raw: Raw) -> Iterator[Thinking]:
    """Yield reasoning as passed on by gateways: `thinking_blocks` with signatures, or `reasoning_content`."""
    blocks = raw.get("thinking_blocks")
    if isinstance(blocks, list) and blocks:
        for block in blocks:
            if isinstance(block, dict):
                yield Thinking(str(block.get("thinking") or ""), str(block.get("signature") or block.get("data") or ""))
    elif isinstance(raw.get("reasoning_content"), str) and raw["reasoning_content"]:
        yield Thinking(raw["reasoning_content"])


def _refusal_part(raw: Raw) -> Iterator[Text]:
    if isinstance(raw.get("refusal"), str) and raw["refusal"]:
        yield Text(raw["refusal"])


def _call_parts(raw: Raw) -> Iterator[ToolCall]:
    tool_calls = raw.get("tool_calls")
    for call in tool_calls if isinstance(tool_calls, list) else ():
        if part := call_part(call):
            yield part
    if not tool_calls:
        match raw.get("function_call"):
            case {"name": str(name), **rest}:  # deprecated form, linked to its result only by name
                yield ToolCall(fit_name(name) if name else "", name, as_text(rest.get("arguments")))


def call_part(call: Any) -> ToolCall | None:
    """Return an entry of `tool_calls`, in any known form, as a part; None if it is not a call."""
    match call:
        case {"function": {"name": name, **rest}}:
            return ToolCall(str(call.get("id") or ""), str(name), as_text(rest.get("arguments")))
        case {"custom": {"name": name, **rest}}:
            return ToolCall(str(call.get("id") or ""), str(name), as_text(rest.get("input")))
        case {"name": name}:  # flat form used by some benchmarks
            return ToolCall(str(call.get("id") or ""), str(name), as_text(call.get("arguments")))
    return None


def _words_of(parts: Sequence[Part]) -> tuple[Text, ...]:
    return tuple(Text(text) for text in map(readable, parts) if text)


def _encode_content(parts: Sequence[Part], role: Role = "user") -> str | list[dict[str, Any]]:
    """Return parts as a string if they are text only, or as blocks if a user message has attachments."""
    if role == "user" and any(map(is_attachable, parts)):
        return [encode_block(part) for part in parts if is_attachable(part) or readable(part)]
    return "\n\n".join(text for text in map(readable, parts) if text)


def is_attachable(part: Part) -> bool:
    """Return True if a part can be sent as an attachment: an image, or a PDF with its data."""
    if isinstance(part, Image):
        return bool(part.source)
    return isinstance(part, Document) and part.source.startswith(_PDF)


def encode_block(part: Part) -> dict[str, Any]:
    """Return a part as a block of content."""
    match part:
        case Image(source=source) if source:
            return {"type": "image_url", "image_url": {"url": source}}
        case Document(title=title, source=source) if is_attachable(part):
            return {"type": "file", "file": {"filename": title or "document.pdf", "file_data": source}}
        case _:
            return {"type": "text", "text": readable(part)}


def _result_text(result: ToolResult) -> str:
    text = "\n".join(readable(part) for part in result.parts)
    return f"Error: {text}" if result.is_error and not text.lower().startswith("error") else text


def as_text(value: Any) -> str:
    """Return a value as text: strings unchanged, None as an empty string, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else dumps(value)


def _without_input(call: Any) -> Any:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return call
    return {**call, "function": {**call["function"], "arguments": "{}"}}
