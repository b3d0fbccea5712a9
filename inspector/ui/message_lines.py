"""Render a message as lines of text: parts under headings, wrapped to a width, without control characters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from inspector.analysis.message_search import plain_arguments
from inspector.core.conversation import (
    Document,
    Image,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    readable,
)
from inspector.core.text import fold, visible

_LineKind = Literal["text", "heading", "dim", "error", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line on the screen, no wider than the width it was wrapped to."""

    text: str
    kind: _LineKind = "text"


def reading(message: Message, width: int, stop: Callable[[], bool] = lambda: False) -> list[Line]:
    """Return all lines of a message.

    Args:
        message: Message to render.
        width: Cells to wrap to.
        stop: Checked every 2,000 lines. When it returns True, the lines so far are returned.
    """
    lines: list[Line] = []
    for part in message.parts:
        for line in _part_lines(part, width):
            lines.append(line)
            if len(lines) % 2000 == 0 and stop():
                return lines
        lines.append(Line(""))
    return lines[:-1] or [Line("(empty)", "dim")]


def _part_lines(part: Part, width: int) -> Iterator[Line]:
    match part:
        case Text(text):
            yield from wrap(text, width)
        case Thinking(text):
            yield Line("thinking", "heading")
            yield from wrap(text or "(hidden by the provider)", width, "dim")
        case ToolCall(_, name, arguments):
            yield Line(f"calls {visible(name)}", "heading")
            yield from wrap(plain_arguments(arguments), width)
        case ToolResult():
            if part.is_error:
                yield Line("error", "error")
            for inner in part.parts:
                yield from _part_lines(inner, width)
        case Image() | Document():
            yield from wrap(readable(part), width, "heading")
        case Unknown():
            yield from _unknown_lines(part, width)


def _unknown_lines(part: Unknown, width: int) -> Iterator[Line]:
    """Yield the lines of a block that only its provider understands, or that is not recognised."""
    is_compaction = part.is_internal and "compaction" in part.type
    heading = part.label if part.is_internal else f"unknown block type: {part.type or 'none'}"
    yield Line(visible(heading), "heading")
    yield from wrap("(only the provider can read it)" if is_compaction else part.json, width, "dim")


def wrap(text: str, width: int, kind: _LineKind = "text") -> Iterator[Line]:
    """Wrap text at spaces where possible, without dropping any of it.

    Args:
        text: Text of any length; control characters are shown as visible symbols.
        width: Maximum cells of a line, at least 4.
        kind: Kind of all resulting lines.
    """
    for line in visible(text).split("\n"):
        if line.isascii() and len(line) <= width:
            yield Line(line, kind)
        else:
            for piece in fold(line, max(width, 4)):
                yield Line(piece, kind)
