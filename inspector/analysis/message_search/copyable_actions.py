"""What a message did, as text to be used elsewhere: the command that ran, the path or address that was touched."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from inspector.analysis.message_search.search import plain_arguments
from inspector.core.conversation import Message, Text, ToolCall

DeedKind = Literal["command", "path", "address", "query", "arguments", "text"]
_KEYS: Mapping[str, DeedKind] = {
    **dict.fromkeys(("command", "cmd", "script", "code"), "command"),
    **dict.fromkeys(("file_path", "filepath", "path", "notebook_path", "filename", "file", "absolute_path"), "path"),
    **dict.fromkeys(("url", "uri", "href"), "address"),
    **dict.fromkeys(("query", "pattern", "q"), "query"),
}
"""What the arguments of common tools are called, the most telling first."""


@dataclass(frozen=True, slots=True)
class CopyableAction:
    """What there is to take along of a message."""

    kind: DeedKind
    text: str
    """Raw, whole; of several calls one a line."""


def copyable_action_of(message: Message, messages: Sequence[Message]) -> CopyableAction:
    """What a message did: of a tool's result, the call that it answers, which stands among `messages`; else its text.

    Raises OSError or StoreError where a text cannot be read any more.
    """
    calls = _calls_of(message, messages)
    if not calls:
        return CopyableAction("text", message.text)
    deeds = [_deed_of_call(call) for call in calls]
    kinds = {deed.kind for deed in deeds}
    return CopyableAction(kinds.pop() if len(kinds) == 1 else "arguments", "\n".join(deed.text for deed in deeds))


def _calls_of(message: Message, messages: Sequence[Message]) -> list[ToolCall]:
    """The calls of a message that says nothing beside them, or the one that a tool's result answers."""
    if message.role == "tool":
        wanted = message.answers
        caller = next((one for one in reversed(messages) if any(call.id == wanted for call in one.calls)), None)
        return [part for part in caller.parts if isinstance(part, ToolCall) and part.id == wanted] if caller else []
    parts = message.parts
    has_words = any(isinstance(part, Text) and part.text.strip() for part in parts)
    return [] if has_words else [part for part in parts if isinstance(part, ToolCall)]


def _deed_of_call(call: ToolCall) -> CopyableAction:
    try:
        arguments = orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        return CopyableAction("arguments", call.arguments)
    if isinstance(arguments, dict):
        for key, kind in _KEYS.items():
            if text := _text_of(arguments.get(key)):
                return CopyableAction(kind, text)
    return CopyableAction("arguments", plain_arguments(call.arguments))


def _text_of(value: Any) -> str:
    """A value that is words, or a list of words as a shell takes it; else empty."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    return value if isinstance(value, str) else ""
