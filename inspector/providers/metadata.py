"""What can be told of a message without keeping its text: the few facts that windows and strategies work with.

Reading them is most of the work of opening a large file: this module makes lists where a generator would be slower,
and touches no more text than a preview needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from inspector.conversation import (
    PREVIEW,
    CallHead,
    Document,
    Image,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    readable,
)

_ENOUGH = PREVIEW * 5 // 4
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
    spoken: bool
    """Whether there is anything but thinking in it."""


def metadata_of(parts: Sequence[Part]) -> MessageMetadata:
    calls: list[CallHead] = []
    result: ToolResult | None = None
    thoughts = chars = images = 0
    for part in parts:
        chars += count_characters(part)
        if isinstance(part, ToolCall):
            calls.append(CallHead(part.id, part.name))
        elif isinstance(part, Thinking):
            thoughts += 1
        elif not isinstance(part, Text):
            images += _count_images(part)
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
    )


def join_metadata(pieces: Sequence[MessageMetadata]) -> MessageMetadata:
    """The metadata of one message whose parts were read in several goes."""
    calls = tuple([call for metadata in pieces for call in metadata.calls])
    return reduce(_join_facts, pieces)._replace(calls=calls)


def _join_facts(first: MessageMetadata, second: MessageMetadata) -> MessageMetadata:
    """The metadata of a message that was read in two goes, without its calls."""
    if first.spoken == second.spoken:
        line = "  ".join(filter(None, (first.preview, second.preview)))[:PREVIEW].rstrip()
    else:
        line = first.preview if first.spoken else second.preview
    return MessageMetadata(
        calls=(),
        answers=first.answers if first.answers is not None else second.answers,
        is_error=first.is_error or second.is_error,
        thinks=first.thinks or second.thinks,
        preview=line,
        chars=first.chars + second.chars,
        images=first.images + second.images,
        spoken=first.spoken or second.spoken,
    )


def count_characters(part: Part) -> int:
    """Characters of a part that a model reads; pictures are counted apart."""
    if isinstance(part, (Text, Thinking)):
        return len(part.text)
    if isinstance(part, ToolCall):
        return len(part.name) + len(part.arguments)
    if isinstance(part, ToolResult):
        return sum([count_characters(inner) for inner in part.parts])
    return 0 if isinstance(part, (Image, Document)) else len(readable(part))


def _count_images(part: Part) -> int:
    if isinstance(part, ToolResult):
        return sum([_count_images(inner) for inner in part.parts])
    return int(isinstance(part, (Image, Document)))


def preview_of(parts: Sequence[Part]) -> str:
    """The first words that tell what a message is about, on one line; of thinking only where there is nothing else."""
    words = [part for part in parts if not isinstance(part, Thinking)] or parts
    line = ""
    for part in words:
        start = _first_words(part)
        line = f"{line}  {start}" if line and start else line or start
        if len(line) >= PREVIEW:
            break
    return line[:PREVIEW].rstrip()


def _first_words(part: Part) -> str:
    """The first words of a part, as long as a preview at most."""
    start = _readable_start(part)
    line = " ".join(start[:_ENOUGH].split())
    if len(line) < PREVIEW and len(start) > _ENOUGH:
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
    return readable(part)[: 4 * PREVIEW]
