"""Parts of a message: text, thinking, tool calls and results, images, documents, and unrecognised blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

_ENCRYPTED = re.compile(r'"encrypted_content": ?"[^"]')
"""A field with ciphertext: `"encrypted_content":"gAAA`."""

Role = Literal["system", "user", "assistant", "tool"]
Dialect = str
"""Name of the wire format of a message, such as "openai". See `inspector.llm.providers.WireFormat`."""
ProviderName = str
"""Name of a provider's API, such as "openai-responses". See `inspector.llm.providers.Provider`."""
Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Text:
    """Text of any speaker."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning of the model. `text` is empty if the provider hides it."""

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
    """An image. Width and height are in pixels, 0 if unknown. `source` is a URL or a data URL."""

    media_type: str = ""
    width: int = 0
    height: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """An attached file other than an image, such as a PDF. `source` is a URL or a data URL."""

    media_type: str = ""
    title: str = ""
    pages: int = 1
    source: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A block that is not recognised, as JSON text."""

    type: str
    json: str
    is_internal: bool = False
    """True if the block only makes sense to the provider that created it, like hidden reasoning."""

    @property
    def label(self) -> str:
        """Return the kind of the block. A compaction also states whether it is encrypted."""
        if "compaction" not in self.type:
            return self.type or "unknown block"
        return "compaction, encrypted" if _ENCRYPTED.search(self.json) else "compaction"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of the tool call `call_id`."""

    call_id: str
    parts: tuple[Text | Image | Document | Unknown, ...]
    is_error: bool = False

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))


Part = Text | Thinking | ToolCall | ToolResult | Image | Document | Unknown


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, as reported by the provider.

    `input` is the total that was sent: uncached, read from the cache, and written to the cache.
    """

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    """Part of `cache_write` that is cached for one hour."""


PREVIEW = 160


def readable(part: Part) -> str:
    """Return a part as plain text. The text is not sanitised for a terminal."""
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
