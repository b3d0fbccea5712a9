"""A message of a shared conversation as an entry of a prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.core.conversation import Message
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens import CharsCounter
from inspector.memory.shared.logs.base import check_message

CONVERSATION_TITLE = "=== SHARED CONVERSATION MEMORY ==="
PERSISTENT_TITLE = "=== SHARED PERSISTENT MEMORY ==="
UNKNOWN = "unknown"
"""Who wrote a message that does not say it."""
_BREAKS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_FORGED = re.compile(rf"(?<=[{_BREAKS}])(?=[=\[])")
"""Beginning of a line that could be read as a title or as another agent's words."""
_TITLE = re.compile(rf"(?:^|(?<=[{_BREAKS}]))(?==)")
count_tokens = CharsCounter(4.0).count


@dataclass(frozen=True, slots=True)
class SharedEntry:
    """One agent's words, or a summary of several agents' words."""

    ids: tuple[str, ...]
    """Ids of the messages that it represents."""
    writers: tuple[str, ...]
    """Who wrote them."""
    text: str
    score: float | None = None
    """Relevance to the request, larger is more. None without a search."""
    is_summary: bool = False

    @property
    def line(self) -> str:
        """Text for a prompt: `[agent]: text`."""
        return f"[{', '.join(self.writers)}]: {quote(self.text)}"

    @property
    def tokens(self) -> int:
        return count_tokens(f"{self.line}\n")


def quote(text: str) -> str:
    """Return a text in which no line after the first looks like a title or the beginning of an entry."""
    return _FORGED.sub("  ", text)


def without_titles(text: str) -> str:
    """Return a text in which no line looks like a title."""
    return _TITLE.sub("  ", text)


def entry_of(message: Mapping[str, Any]) -> SharedEntry:
    writer = message.get("agent_id")
    return SharedEntry((str(message["id"]),), (writer_name(writer),), message_text(message))


def writer_name(value: Any) -> str:
    """Return an agent's id on one line, without the brackets that would end it."""
    name = " ".join(str(value).translate({91: "(", 93: ")"}).split()) if value not in (None, "") else ""
    return name or UNKNOWN


def message_text(message: Mapping[str, Any]) -> str:
    """Return the text of a message, whatever the form of its content."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return as_message("", {"role": "user", "content": content}).text


def as_message(name: str, raw: Mapping[str, Any]) -> Message:
    return message_from_raw(name, dict(raw), "openai")


def last_request(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the newest request of the user."""
    return next((message_text(message) for message in reversed(messages) if message.get("role") == "user"), "")


def check_messages(messages: object) -> None:
    """Raise TypeError unless the value is a list of messages as dictionaries."""
    if isinstance(messages, Sequence) and not isinstance(messages, str | bytes):
        for message in messages:
            check_message(message)
        return
    raise TypeError(f"Messages are a list of dictionaries, not {type(messages).__name__}.")
