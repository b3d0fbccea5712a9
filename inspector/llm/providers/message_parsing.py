"""Conversion of raw messages to messages of the log, with the metadata that windows and strategies need.

Extracting metadata takes most of the time to open a large file. This module therefore uses list comprehensions where
generators would be slower, and reads no more text than a preview needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from inspector.core.conversation import (
    PREVIEW,
    Body,
    CallHead,
    Dialect,
    Document,
    Image,
    InMemoryBody,
    Message,
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
from inspector.llm.providers.registry import wire_of

_PREVIEW_SOURCE_LENGTH = PREVIEW * 5 // 4
"""Number of characters that usually yield a full preview after whitespace is collapsed."""


class MessageMetadata(NamedTuple):
    """Metadata derived from the parts of a message. Fields are named as in `Message`."""

    calls: tuple[CallHead, ...]
    answers: str | None
    is_error: bool
    thinks: bool
    preview: str
    chars: int
    images: int
    has_words: bool
    """True if there is content other than thinking."""
    has_flaw: bool = False
    """True if there is an empty or unrecognised part, or no part at all, which a provider can reject."""


def metadata_of(parts: Sequence[Part]) -> MessageMetadata:
    """Return the metadata of a message with the given parts."""
    calls: list[CallHead] = []
    result: ToolResult | None = None
    thoughts = chars = images = 0
    has_flaw = not parts
    for part in parts:
        if isinstance(part, Text):
            chars += len(part.text)
            has_flaw = has_flaw or _has_no_sign(part.text)
            continue
        chars += count_characters(part)
        if isinstance(part, ToolCall):
            calls.append(CallHead(part.id, part.name))
        elif isinstance(part, Thinking):
            thoughts += 1
        else:
            images += _count_images(part)
            has_flaw = has_flaw or _is_flawed(part)
            if isinstance(part, ToolResult):
                result = result or part
    return MessageMetadata(
        tuple(calls),
        result.call_id if result else None,
        result.is_error if result else False,
        thoughts > 0,
        preview_of(parts),
        chars,
        images,
        thoughts < len(parts),
        has_flaw,
    )


def _has_no_sign(text: str) -> bool:
    return not text or text.isspace()


def _is_flawed(part: Part) -> bool:
    """Return True if a part is, or contains, something that a provider can reject."""
    if isinstance(part, ToolResult):
        return not part.parts or any(map(_is_flawed, part.parts))
    return _has_no_sign(part.text) if isinstance(part, Text) else isinstance(part, Unknown)


def join_metadata(pieces: Sequence[MessageMetadata]) -> MessageMetadata:
    """Return the metadata of a message whose parts were parsed in several pieces."""
    calls = tuple([call for metadata in pieces for call in metadata.calls])
    return reduce(_join_facts, pieces)._replace(calls=calls)


def _join_facts(first: MessageMetadata, second: MessageMetadata) -> MessageMetadata:
    """Return the combined metadata of two pieces of a message, without the calls."""
    if first.has_words == second.has_words:
        line = "  ".join(filter(None, (first.preview, second.preview)))[:PREVIEW].rstrip()
    else:
        line = first.preview if first.has_words else second.preview
    return MessageMetadata(
        calls=(),
        answers=first.answers if first.answers is not None else second.answers,
        is_error=first.is_error or second.is_error,
        thinks=first.thinks or second.thinks,
        preview=line,
        chars=first.chars + second.chars,
        images=first.images + second.images,
        has_words=first.has_words or second.has_words,
        has_flaw=first.has_flaw or second.has_flaw,
    )


def count_characters(part: Part) -> int:
    """Return the number of characters of a part that the model reads, without images and documents."""
    if isinstance(part, (Text, Thinking)):
        return len(part.text)
    if isinstance(part, ToolCall):
        return len(part.name) + len(part.arguments)
    if isinstance(part, ToolResult):
        return sum([count_characters(inner) for inner in part.parts])
    return 0 if isinstance(part, (Image, Document)) else len(part.json)


def _count_images(part: Part) -> int:
    if isinstance(part, ToolResult):
        return sum([_count_images(inner) for inner in part.parts])
    return int(isinstance(part, (Image, Document)))


def preview_of(parts: Sequence[Part]) -> str:
    """Return the first words of a message on one line. Thinking is used only if there is nothing else."""
    words = [part for part in parts if not isinstance(part, Thinking) and not _is_internal(part)] or parts
    line = ""
    for part in words:
        start = _first_words(part)
        line = f"{line}  {start}" if line and start else line or start
        if len(line) >= PREVIEW:
            break
    return line[:PREVIEW].rstrip()


def _is_internal(part: Part) -> bool:
    return isinstance(part, Unknown) and part.is_internal


def _first_words(part: Part) -> str:
    """Return the first words of a part, at most as many as a preview has room for."""
    start = _readable_start(part)
    line = " ".join(start[:_PREVIEW_SOURCE_LENGTH].split())
    if len(line) < PREVIEW and len(start) > _PREVIEW_SOURCE_LENGTH:
        line = " ".join(start.split())
    return line[:PREVIEW]


def _readable_start(part: Part) -> str:
    """Return the beginning of a part, long enough for a preview, without building the whole text."""
    if isinstance(part, (Text, Thinking)):
        return part.text[: 4 * PREVIEW]
    if isinstance(part, ToolCall):
        return f"{part.name} {part.arguments[:PREVIEW]}"
    if isinstance(part, ToolResult):
        return "\n".join([_readable_start(inner) for inner in part.parts[:3]])
    if isinstance(part, Unknown) and part.is_internal:
        return f"[{part.label}]"
    return readable(part)[: 4 * PREVIEW]


def message_from_raw(id: str, raw: Raw, dialect: Dialect, *, body: Body | None = None, **facts: Any) -> Message:
    """Create a message from a raw message, with its metadata.

    Args:
        id: Id of the message.
        raw: The message in its wire format.
        dialect: Name of the wire format.
        body: Loads the raw message later. Default: it is kept in memory.
        facts: Other fields of `Message`, which take precedence.

    Raises:
        KeyError: The wire format is unknown.
    """
    wire = wire_of(dialect)
    metadata = metadata_of(wire.parse(raw))
    role = "tool" if metadata.answers is not None else wire.role(raw)
    fields: dict[str, Any] = {
        "role": role,
        "name": str(raw.get("name") or ""),
        "dialect": dialect,
        "calls": metadata.calls if role == "assistant" else (),
        "answers": metadata.answers,
        "is_error": metadata.is_error,
        "thinks": metadata.thinks,
        "preview": metadata.preview,
        "chars": metadata.chars,
        "images": metadata.images,
        "has_flaw": metadata.has_flaw or wire.is_odd(raw),
    }
    return Message(id=id, body=body or InMemoryBody(raw), **(fields | facts))


def text_message(id: str, role: Role, text: str, dialect: Dialect, **facts: Any) -> Message:
    """Create a message of plain text.

    Args:
        id: Id of the message.
        role: Role of the message.
        text: Content of the message.
        dialect: Name of the wire format.
        facts: Other fields of `Message`.

    Raises:
        KeyError: The wire format is unknown.
    """
    return message_from_raw(id, wire_of(dialect).encode(role, [Text(text)]), dialect, **facts)


@dataclass(frozen=True, slots=True)
class _PlaceholderBody:
    """Body of a tool result whose content is replaced. The original is loaded on demand."""

    original: Body
    dialect: Dialect
    text: str

    def load(self) -> tuple[Raw, Raw]:
        raw, record = self.original.load()
        return wire_of(self.dialect).with_result_text(raw, self.text), record


def with_placeholder(message: Message, text: str) -> Message:
    """Return a tool result with its content replaced by `text`, without reading the original."""
    return Message(
        message.id,
        message.role,
        _PlaceholderBody(message.body, message.dialect, text),
        message.dialect,
        message.kind,
        message.name,
        answers=message.answers,
        is_error=message.is_error,
        preview=preview_of((ToolResult(message.answers or "", (Text(text),)),)),
        chars=len(text),
        agent=message.agent,
        parent=message.parent,
        time=message.time,
        model=message.model,
        usage=message.usage,
        has_flaw=_has_no_sign(text),
        placeholder=text,
    )
