"""Messages of the log, made from raw messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inspector.conversation import Body, Dialect, InMemoryBody, Message, Raw, Role, Text, ToolResult
from inspector.providers.metadata import metadata_of, preview_of
from inspector.providers.registry import wire_of


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
    }
    return Message(id=id, body=body or InMemoryBody(raw), **(fields | facts))


def text_message(id: str, role: Role, text: str, dialect: Dialect, **facts: Any) -> Message:
    """A new message of plain words; `facts` are further fields of `Message`."""
    return message_from_raw(id, wire_of(dialect).encode(role, [Text(text)]), dialect, **facts)


@dataclass(frozen=True, slots=True)
class Placeholder:
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
        Placeholder(message.body, message.dialect, text),
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
    )
