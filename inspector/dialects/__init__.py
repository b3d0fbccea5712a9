"""How messages are written: the OpenAI chat form and the Anthropic form.

A dialect knows how to read a raw message into parts and how to write parts as a raw message. Formats (files on disk)
are built on top: a format finds the messages, a dialect understands them.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from inspector.conversation import (
    PREVIEW,
    Body,
    CallHead,
    Dialect,
    Document,
    Held,
    Image,
    Message,
    Part,
    Raw,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    readable,
)
from inspector.dialects import anthropic, openai

DIALECTS: dict[Dialect, ModuleType] = {"openai": openai, "anthropic": anthropic}

__all__ = ["DIALECTS", "make_message", "parts_of", "said", "split", "with_result_text", "without_calls", "written"]


def parts_of(raw: Raw, dialect: Dialect) -> tuple[Part, ...]:
    """The parts of a raw message. Never raises: what it does not understand comes back as `Unknown`."""
    parts: tuple[Part, ...] = DIALECTS[dialect].parts(raw)
    return parts


def split(raw: Raw, dialect: Dialect) -> list[Raw]:
    """One raw message as messages that hold either one tool result or none."""
    pieces: list[Raw] = DIALECTS[dialect].split(raw)
    return pieces


def written(role: Role, parts: Sequence[Part], dialect: Dialect, name: str = "") -> Raw:
    """Parts as a raw message of `dialect`: how a message crosses from one provider's form to the other's."""
    raw: Raw = DIALECTS[dialect].write(role, parts, name)
    return raw


def with_result_text(raw: Raw, dialect: Dialect, text: str) -> Raw:
    """A tool result's raw message with its content replaced by `text`, and all else as it was."""
    changed: Raw = DIALECTS[dialect].with_result_text(raw, text)
    return changed


def make_message(id: str, raw: Raw, dialect: Dialect, *, body: Body | None = None, **facts: Any) -> Message:
    """A `Message` with its head (role, calls, size, preview …) read from `raw`.

    `body` tells where the text lives when it should not be held in memory; `facts` are further fields of `Message`.
    """
    parts = parts_of(raw, dialect)
    result = next((part for part in parts if isinstance(part, ToolResult)), None)
    head: dict[str, Any] = {
        "role": "tool" if result else DIALECTS[dialect].role(raw),
        "name": str(raw.get("name") or ""),
        "calls": tuple(CallHead(part.id, part.name) for part in parts if isinstance(part, ToolCall)),
        "answers": result.call_id if result else None,
        "is_error": bool(result and result.is_error),
        "thinks": any(isinstance(part, Thinking) for part in parts),
        "preview": preview(parts),
        "chars": sum(map(characters, parts)),
        "images": sum(map(pictures, parts)),
    }
    return Message(id=id, body=body or Held(raw), dialect=dialect, **(head | facts))


def said(id: str, role: Role, text: str, dialect: Dialect, **facts: Any) -> Message:
    """A new message of plain words."""
    return make_message(id, written(role, [Text(text)], dialect), dialect, **facts)


def characters(part: Part) -> int:
    """Characters of a part that a model reads; pictures are counted apart."""
    match part:
        case ToolResult():
            return sum(map(characters, part.parts))
        case ToolCall(_, name, arguments):
            return len(name) + len(arguments)
        case Image() | Document():
            return 0
        case _:
            return len(readable(part))


def pictures(part: Part) -> int:
    if isinstance(part, ToolResult):
        return sum(map(pictures, part.parts))
    return int(isinstance(part, Image | Document))


def preview(parts: Sequence[Part]) -> str:
    """The first words that tell what a message is about, on one line: speech first, thinking only when all else fails."""
    words = [part for part in parts if not isinstance(part, Thinking)] or parts
    line = ""
    for part in words:
        line = f"{line}  {beginning(part)}" if line else beginning(part)
        if len(line) >= PREVIEW:
            break
    return line[:PREVIEW]


def beginning(part: Part) -> str:
    return " ".join(readable_start(part).split())[:PREVIEW]


def readable_start(part: Part) -> str:
    """Enough of a part for a preview, without building the whole of a long one."""
    match part:
        case Text(text) | Thinking(text):
            return text[: 4 * PREVIEW]
        case ToolCall(_, name, arguments):
            return f"{name} {arguments[:PREVIEW]}"
        case ToolResult():
            return "\n".join(readable_start(inner) for inner in part.parts[:3])
        case _:
            return readable(part)[: 4 * PREVIEW]


def without_calls(raw: Raw, dialect: Dialect, places: Sequence[int]) -> Raw | None:
    """A raw message without some of its tool calls, by place; None when it then says nothing to anybody."""
    rest: Raw | None = DIALECTS[dialect].without_calls(raw, places)
    return rest
