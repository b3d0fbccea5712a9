"""Tool results with another text in place of their own, made without reading the one that they had."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.conversation import Body, Dialect, Message, Raw, Text, ToolResult
from inspector.providers.metadata import preview
from inspector.providers.registry import with_result_text


@dataclass(frozen=True, slots=True)
class Retold:
    """The body of such a result: the original is loaded, and its text replaced, only when somebody asks."""

    original: Body
    dialect: Dialect
    text: str

    def load(self) -> tuple[Raw, Raw]:
        raw, record = self.original.load()
        return with_result_text(raw, self.dialect, self.text), record


def retold(message: Message, text: str) -> Message:
    """A tool result that says `text` instead: same id, same call, same failure."""
    return Message(
        message.id,
        message.role,
        Retold(message.body, message.dialect, text),
        message.dialect,
        message.kind,
        message.name,
        answers=message.answers,
        is_error=message.is_error,
        preview=preview((ToolResult(message.answers or "", (Text(text),)),)),
        chars=len(text),
        agent=message.agent,
        parent=message.parent,
        time=message.time,
        model=message.model,
        usage=message.usage,
    )
