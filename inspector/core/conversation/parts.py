"""What a message is made of: text, thinking, tool calls and results, images, documents, and what is not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
Dialect = str
"""The name of the form that a message is written in, such as "openai": see `inspector.llm.providers.WireFormat`."""
ProviderName = str
"""The name of an interface that takes requests, such as "openai-responses": see `inspector.llm.providers.Provider`."""
Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Text:
    """Words, from any side."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning that the model wrote for itself. `text` is empty when the provider hid it."""

    text: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request to run a tool. `arguments` is JSON text, exactly as it is counted and shown."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture. Width and height are pixels, 0 when the record does not tell. `source` is a URL or a data URL."""

    media_type: str = ""
    width: int = 0
    height: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """An attached file that is not a picture, such as a PDF. `source` is a URL or a data URL."""

    media_type: str = ""
    title: str = ""
    pages: int = 1
    source: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A block that this version does not understand, with its own JSON."""

    type: str
    json: str
    is_internal: bool = False
    """Whether it is for the provider that made it alone, as hidden reasoning is: it has no words for anybody else."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered to the call `call_id`."""

    call_id: str
    parts: tuple[Text | Image | Document | Unknown, ...]
    is_error: bool = False

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))


Part = Text | Thinking | ToolCall | ToolResult | Image | Document | Unknown


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call as the provider reported them.

    `input` is everything that was sent: fresh, read from the cache and written to it.
    """

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    """The part of `cache_write` that stays in the cache for an hour."""


PREVIEW = 160


def readable(part: Part) -> str:
    """A part as plain text. Raw: clean it before it reaches a terminal."""
    match part:
        case Text(text) | Thinking(text):
            return text
        case ToolCall(_, name, arguments):
            return f"{name}({arguments})"
        case ToolResult():
            return "\n".join(readable(inner) for inner in part.parts)
        case Image(media_type, width, height):
            size = f"{width}x{height}" if width and height else ""
            return f"[{' '.join(filter(None, ('image', media_type, size)))}]"
        case Document(media_type, title, pages):
            return f"[{' '.join(filter(None, ('document', title, media_type)))}, {pages} pages]"
        case Unknown(_, json, is_internal):
            return "" if is_internal else json
