"""OpenAI chat messages: `{"role", "content", "tool_calls", "tool_call_id", …}`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

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
    anthropic_source,
    attachment,
    readable,
)
from inspector.text import dumps

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_PDF = "data:application/pdf"


def role(raw: Raw) -> Role:
    """The role of a raw message; one that nobody knows counts as the user's."""
    return _ROLES.get(str(raw.get("role")), "user")


def parts(raw: Raw) -> tuple[Part, ...]:
    content = tuple(_content_parts(raw.get("content")))
    if role(raw) == "tool":
        kept = tuple(part for part in content if isinstance(part, Text | Image | Document | Unknown))
        return (ToolResult(answered(raw), kept),)
    return (*thinking(raw), *content, *refusal(raw), *calls(raw))


def answered(raw: Raw) -> str:
    """The id of the call that a tool's message answers. The old function messages name the function instead."""
    named = raw.get("name") if raw.get("role") == "function" else None
    return str(raw.get("tool_call_id") or named or "")


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
        case {"type": "image" | "document" as kind, "source": dict()}:  # gateways pass these through
            return anthropic_source(block) or Unknown(kind, dumps(block))
        case {"type": str(kind)}:
            return Unknown(kind, dumps(block))
        case _:
            return Unknown("", dumps(block))


def thinking(raw: Raw) -> Iterator[Thinking]:
    """Reasoning as gateways pass it on: `thinking_blocks` with signatures, or bare `reasoning_content`."""
    blocks = raw.get("thinking_blocks")
    if isinstance(blocks, list) and blocks:
        for block in blocks:
            if isinstance(block, dict):
                yield Thinking(str(block.get("thinking") or ""), str(block.get("signature") or block.get("data") or ""))
    elif isinstance(raw.get("reasoning_content"), str) and raw["reasoning_content"]:
        yield Thinking(raw["reasoning_content"])


def refusal(raw: Raw) -> Iterator[Text]:
    if isinstance(raw.get("refusal"), str) and raw["refusal"]:
        yield Text(raw["refusal"])


def calls(raw: Raw) -> Iterator[ToolCall]:
    tool_calls = raw.get("tool_calls")
    for call in tool_calls if isinstance(tool_calls, list) else ():
        if part := call_part(call):
            yield part
    if not tool_calls:
        match raw.get("function_call"):
            case {"name": str(name), **rest}:  # the form before parallel calls: the name is all that links the answer
                yield ToolCall(name, name, as_text(rest.get("arguments")))


def call_part(call: Any) -> ToolCall | None:
    """An entry of `tool_calls`, in any of the forms that are about; None for what is no call."""
    match call:
        case {"function": {"name": name, **rest}}:
            return ToolCall(str(call.get("id") or ""), str(name), as_text(rest.get("arguments")))
        case {"custom": {"name": name, **rest}}:
            return ToolCall(str(call.get("id") or ""), str(name), as_text(rest.get("input")))
        case {"name": name}:  # the flat form of some benchmarks
            return ToolCall(str(call.get("id") or ""), str(name), as_text(call.get("arguments")))
    return None


def split(raw: Raw) -> list[Raw]:
    """Chat messages never hold two results: the message itself."""
    return [raw]


def with_result_text(raw: Raw, text: str) -> Raw:
    return {**raw, "content": text}


def write(role: Role, parts: Sequence[Part], name: str = "") -> Raw:
    """Parts as a chat message. Thinking has no place in this form and is left out; unknown blocks become their JSON."""
    if role == "tool":
        result = next(part for part in parts if isinstance(part, ToolResult))
        raw: dict[str, Any] = {"role": "tool", "tool_call_id": result.call_id, "content": _result_text(result)}
        return raw | ({"name": name} if name else {})
    content = [part for part in parts if not isinstance(part, ToolCall | Thinking)]
    raw = {"role": role, "content": _written_content(content, role)}
    tool_calls = [
        {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
        for part in parts
        if isinstance(part, ToolCall)
    ]
    if tool_calls:
        raw = {**raw, "content": raw["content"] or None, "tool_calls": tool_calls}
    return raw


def _written_content(parts: Sequence[Part], role: Role = "user") -> str | list[dict[str, Any]]:
    """Plain text where it is only text; blocks where the user shows more."""
    if role == "user" and any(map(shown, parts)):
        return [written_block(part) for part in parts if shown(part) or readable(part)]
    return "\n\n".join(text for text in map(readable, parts) if text)


def shown(part: Part) -> bool:
    """Whether a chat message can carry a part as something else than text: pictures, and PDFs with their data."""
    if isinstance(part, Image):
        return bool(part.source)
    return isinstance(part, Document) and part.source.startswith(_PDF)


def written_block(part: Part) -> dict[str, Any]:
    match part:
        case Image(source=source) if source:
            return {"type": "image_url", "image_url": {"url": source}}
        case Document(title=title, source=source) if shown(part):
            return {"type": "file", "file": {"filename": title or "document.pdf", "file_data": source}}
        case _:
            return {"type": "text", "text": readable(part)}


def _result_text(result: ToolResult) -> str:
    text = "\n".join(readable(part) for part in result.parts)
    return f"Error: {text}" if result.is_error and not text.lower().startswith("error") else text


def as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else dumps(value)


def without_calls(raw: Raw, places: Sequence[int]) -> Raw | None:
    entries = raw.get("tool_calls")
    whole = [entry for entry in entries if call_part(entry)] if isinstance(entries, list) else []
    kept = [call for place, call in enumerate(whole) if place not in places]
    if kept:
        return {**raw, "tool_calls": kept}
    rest = {key: value for key, value in raw.items() if key not in ("tool_calls", "function_call")}
    return rest if any(readable(part) for part in parts(rest) if not isinstance(part, Thinking)) else None


def without_thinking(raw: Raw) -> Raw | None:
    rest = {key: value for key, value in raw.items() if key not in ("thinking_blocks", "reasoning_content")}
    return rest if parts(rest) else None


def without_inputs(raw: Raw) -> Raw:
    calls = raw.get("tool_calls")
    return {**raw, "tool_calls": list(map(_without_input, calls))} if isinstance(calls, list) else raw


def _without_input(call: Any) -> Any:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return call
    return {**call, "function": {**call["function"], "arguments": "{}"}}
