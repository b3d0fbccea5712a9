"""Extract a message's action as text to copy: the command it ran, or the path or address it touched."""

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
"""Kind of text in the arguments of common tools, the most specific first."""


@dataclass(frozen=True, slots=True)
class CopyableAction:
    """Text of a message that is worth copying."""

    kind: DeedKind
    text: str
    """Complete text, one line per call. Control characters are not removed."""


def copyable_action_of(message: Message, messages: Sequence[Message]) -> CopyableAction:
    """Return the action of a message.

    This is the call that a tool result answers, which must be among `messages`, the calls of a reply without text, or
    the text of any other message.

    Raises:
        OSError: If the recording can no longer be read.
        StoreError: If the text is in a store that can no longer be read.
    """
    calls = _calls_of(message, messages)
    if not calls:
        return CopyableAction("text", message.text)
    deeds = [_deed_of_call(call) for call in calls]
    kinds = {deed.kind for deed in deeds}
    return CopyableAction(kinds.pop() if len(kinds) == 1 else "arguments", "\n".join(deed.text for deed in deeds))


def _calls_of(message: Message, messages: Sequence[Message]) -> list[ToolCall]:
    """Return the calls of a message without text, or the call that a tool result answers."""
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
    """Return a string unchanged and a list of strings as a shell command; "" for other values."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    return value if isinstance(value, str) else ""
