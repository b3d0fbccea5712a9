"""Conversion of content in common notations to the parts of a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from math import inf
from typing import Any

from inspector.core.conversation import Document, Image, Text, Thinking, ToolCall, ToolResult, Unknown
from inspector.core.text import dumps
from inspector.formats.building.ids import digest
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.llm.providers import as_text

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_ADDRESSES = ("image_url", "url", "data", "image", "path")
"""Fields with the URL or the data of an image, the most likely first."""
_MAX_WRAPPERS = 3
"""Maximum number of objects around the URL of an image."""
_MAX_DOLLARS = 1_000_000
"""Maximum cost that is believed."""
Block = Text | Image | Document | Unknown
UNRECORDED_SUMMARY = "[A summary, not recorded]"
"""Text of a summary that the model received and that the recording does not contain."""


def blocks_of(content: Any) -> list[Block]:
    """Return the texts, images and documents of content, in order. Unknown blocks keep their JSON."""
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
    """Return an image with its data or URL."""
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
    """Return the id of a call with only the characters that all providers accept."""
    text = as_text(id)
    return text if not text or _ID.fullmatch(text) else digest(text)


def call_of(id: Any, name: Any, arguments: Any) -> ToolCall:
    """Return a tool call.

    Args:
        id: Recorded id. An id with characters that a provider rejects is replaced by its digest.
        name: Name of the tool; "tool" if it is empty.
        arguments: JSON text, or a value to convert to it.
    """
    text = arguments if isinstance(arguments, str) else dumps(arguments or {})
    return ToolCall(_fit_id(id), as_text(name) or "tool", text)


def result_of(call_id: Any, content: Any, *, is_error: bool = False) -> ToolResult:
    """Return the result of a tool.

    Args:
        call_id: Recorded id of the call. See `call_of`.
        content: Text or blocks in any notation.
        is_error: True if the tool failed.
    """
    return ToolResult(_fit_id(call_id), tuple(blocks_of(content)) or (Text(""),), is_error)


def thoughts_of(*texts: Any) -> list[Thinking]:
    """Return reasoning as parts, or none if its text is empty."""
    return [Thinking(text) for text in texts if isinstance(text, str) and text]


def time_of(value: Any) -> str:
    """Convert a time to ISO text. Numbers are seconds, milliseconds or nanoseconds since 1970."""
    if isinstance(value, str) and not value.isdecimal():
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return ""
    if not 0 < number < inf or isinstance(value, bool):
        return ""
    while number > 1e11:
        number /= 1000
    return datetime.fromtimestamp(number, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def fields_of(value: Any) -> dict[str, Any]:
    """Return a JSON object, which may be encoded as a string, or {} for other values."""
    value = decode_json(value)
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a JSON list, which may be encoded as a string."""
    value = decode_json(value)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def decode_json(value: Any) -> Any:
    """Parse a string that contains a JSON object or list. Return other values as they are."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return parse(value.encode("utf-8", "replace"))[0]
        except BrokenJSONError:
            return value
    return value


def dollars_at(record: Any, path: str) -> float | None:
    """Return the plausible amount at a path such as `usage.cost.total` in a record, or None."""
    for name in path.split("."):
        record = fields_of(record).get(name)
    is_amount = isinstance(record, int | float) and type(record) is not bool and 0 <= record <= _MAX_DOLLARS
    return float(record) if is_amount else None
