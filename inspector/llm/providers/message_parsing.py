"""Messages of the log, made from raw messages: their parts, and the metadata that windows and strategies work with.

Reading metadata is most of the work of opening a large file: this module makes lists where a generator would be slower,
and touches no more text than a preview needs.
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
"""Characters that mostly give a whole preview, once the space between words is taken out."""


class MessageMetadata(NamedTuple):
    """The facts of a message that its parts tell. Named as in `Message`."""

    calls: tuple[CallHead, ...]
    answers: str | None
    is_error: bool
    thinks: bool
    preview: str
    chars: int
    images: int
    has_words: bool
    """Whether there is anything but thinking in it."""
    has_flaw: bool = False
    """Whether there is an empty or unknown part, or none at all: a provider may refuse that."""


def metadata_of(parts: Sequence[Part]) -> MessageMetadata:
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
    """Whether a part beside text is, or holds, what a provider may refuse."""
    if isinstance(part, ToolResult):
        return not part.parts or any(map(_is_flawed, part.parts))
    return _has_no_sign(part.text) if isinstance(part, Text) else isinstance(part, Unknown)


def join_metadata(pieces: Sequence[MessageMetadata]) -> MessageMetadata:
    """The metadata of one message whose parts were read in several goes."""
    calls = tuple([call for metadata in pieces for call in metadata.calls])
    return reduce(_join_facts, pieces)._replace(calls=calls)


def _join_facts(first: MessageMetadata, second: MessageMetadata) -> MessageMetadata:
    """The metadata of a message that was read in two goes, without its calls."""
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
    """Characters of a part that a model reads; pictures are counted apart."""
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
    """The first words that tell what a message is about, on one line; of thinking only where there is nothing else."""
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
    """The first words of a part, as long as a preview at most."""
    start = _readable_start(part)
    line = " ".join(start[:_PREVIEW_SOURCE_LENGTH].split())
    if len(line) < PREVIEW and len(start) > _PREVIEW_SOURCE_LENGTH:
        line = " ".join(start.split())
    return line[:PREVIEW]


def _readable_start(part: Part) -> str:
    """Enough of a part for a preview, without building the whole of a long one."""
    if isinstance(part, (Text, Thinking)):
        return part.text[: 4 * PREVIEW]
    if isinstance(part, ToolCall):
        return f"{part.name} {part.arguments[:PREVIEW]}"
    if isinstance(part, ToolResult):
        return "\n".join([_readable_start(inner) for inner in part.parts[:3]])
    if isinstance(part, Unknown) and part.is_internal:
        return f"[{part.type}]"
    return readable(part)[: 4 * PREVIEW]


def message_from_raw(id: str, raw: Raw, dialect: Dialect, *, body: Body | None = None, **facts: Any) -> Message:
    """A `Message` with its role, calls, size, preview and so on read from `raw`.

    `body` is where the text lives when it should not be held in memory; `facts` are further fields of `Message`.
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
    """A new message of plain words; `facts` are further fields of `Message`."""
    return message_from_raw(id, wire_of(dialect).encode(role, [Text(text)]), dialect, **facts)


@dataclass(frozen=True, slots=True)
class _PlaceholderBody:
    """The body of a tool result that says something else: the original is loaded only when somebody asks."""

    original: Body
    dialect: Dialect
    text: str

    def load(self) -> tuple[Raw, Raw]:
        raw, record = self.original.load()
        return wire_of(self.dialect).with_result_text(raw, self.text), record


def with_placeholder(message: Message, text: str) -> Message:
    """A tool result that says `text` instead: same id, same call, same failure. Its own text is not read."""
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
