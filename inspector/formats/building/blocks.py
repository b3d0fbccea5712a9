"""Content as many programs write it, as the parts of a message: words, pictures, calls, results, anything else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from inspector.core.conversation import Document, Image, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.core.text import dumps
from inspector.formats.building.ids import digest
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.llm.providers import as_text

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_ADDRESSES = ("image_url", "url", "data", "image", "path")
"""Where a picture keeps its address or its data, the likeliest first."""
_MAX_WRAPPERS = 3
"""Objects in one another that may stand around the address of a picture."""
Block = Text | Image | Document | Unknown


def blocks_of(content: Any) -> list[Block]:
    """The words, pictures and documents of some content, in order. What is not understood keeps its JSON."""
    if isinstance(content, list):
        return [block for entry in content for block in blocks_of(entry)]
    return list(_blocks_in(content))


def _blocks_in(content: Any) -> Iterator[Block]:
    if isinstance(content, dict):
        yield from _block_of(content)
    elif content is not None and content != "":
        yield Text(content if isinstance(content, str) else dumps(content))


def _block_of(block: dict[str, Any]) -> Iterator[Block]:
    match block:
        case {"type": "image" | "input_image" | "image_url"}:
            yield _image(block)
        case {"inlineData": dict(data)} | {"inline_data": dict(data)}:
            kind = str(data.get("mimeType") or data.get("mime_type") or "")
            yield Image(kind, source=f"data:{kind};base64,{as_text(data.get('data'))}")
        case {"text": str(text)} | {"output_text": str(text)} | {"input_text": str(text)} | {"content": str(text)}:
            if text:
                yield Text(text)
        case _:
            yield Unknown(str(block.get("type") or ""), dumps(block))


def _image(fields: dict[str, Any]) -> Image:
    """A picture, with its data or its place."""
    source = fields.get("source")
    inner = source if isinstance(source, dict) else fields
    kind = str(inner.get("media_type") or inner.get("mimeType") or "")
    data = inner.get("data")
    if isinstance(data, str) and not data.startswith("data:"):
        return Image(kind, source=f"data:{kind};base64,{data}")
    url = next((inner[name] for name in _ADDRESSES if inner.get(name)), "")
    for _ in range(_MAX_WRAPPERS):
        url = url.get("url") or url.get("image") if isinstance(url, dict) else url
    return Image(kind, source=as_text(url))


def _fit_id(id: Any) -> str:
    """The id of a call, as every provider takes it: a program may have given it one that none does."""
    text = as_text(id)
    return text if not text or _ID.fullmatch(text) else digest(text)


def call_of(id: Any, name: Any, arguments: Any) -> ToolCall:
    """A tool call; its arguments as JSON text."""
    text = arguments if isinstance(arguments, str) else dumps(arguments or {})
    return ToolCall(_fit_id(id), as_text(name) or "tool", text)


def result_of(call_id: Any, content: Any, *, is_error: bool = False) -> ToolResult:
    """What a tool answered."""
    return ToolResult(_fit_id(call_id), tuple(blocks_of(content)) or (Text(""),), is_error)


def thoughts_of(*texts: Any) -> list[Thinking]:
    """Reasoning, where there are words of it."""
    return [Thinking(text) for text in texts if isinstance(text, str) and text]


def time_of(value: Any) -> str:
    """A time as ISO text: seconds, milliseconds or nanoseconds since 1970, or what is text already; "" for none."""
    if isinstance(value, str) and not value.isdecimal():
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return ""
    while number > 1e11:
        number /= 1000
    if not number > 0 or isinstance(value, bool):
        return ""
    return datetime.fromtimestamp(number, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def fields_of(value: Any) -> dict[str, Any]:
    """A JSON object, also where it is written as a string; empty for anything else."""
    value = decode_json(value)
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON list, also where it is written as a string."""
    value = decode_json(value)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def decode_json(value: Any) -> Any:
    """The value of a string that holds a JSON object or list; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return parse(value.encode("utf-8", "replace"))[0]
        except BrokenJSONError:
            return value
    return value
