"""Writers: forms of a conversation other than a provider's request."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Protocol
from uuid import NAMESPACE_URL, UUID, uuid5

from inspector.core.conversation import Message, RequestContext, SizeFacts, Thinking
from inspector.core.text import dumps, loads, plural
from inspector.llm.providers import Turn, hidden_kinds, pair_turns, plain_id

_NO_SIZES = SizeFacts()


@dataclass(frozen=True)
class Conversation:
    """The messages of one context, with what was recorded around them."""

    title: str
    id: str
    """That of the session that the messages are from."""
    format: str
    """The name of the format that the session was read from."""
    messages: Sequence[Message]
    context: RequestContext = field(default_factory=RequestContext)
    is_whole: bool = True
    """True if these are the messages that the recorded replies saw: then what was reported of their sizes holds."""
    tokens_before: int = 0
    """Tokens of the recorded context, before anything was taken out."""
    sizes: SizeFacts = _NO_SIZES
    """Sizes that are known and were not recorded with the messages."""

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Return the messages with each result at its call, without notices and results without a call."""
        return tuple(pair_turns(self.messages, plain_id))


class FileForm(Protocol):
    """One form. Its objects have no state."""

    name: str
    title: str
    """Display name of the form."""
    suffix: str
    """Suffix of its file names."""

    @abstractmethod
    def write(self, conversation: Conversation) -> str:
        """Return the text of a file, the same for the same conversation. Never raises."""

    def notes(self, conversation: Conversation) -> Iterator[str]:
        """Yield a sentence for everything that the form cannot express or that was repaired."""
        yield from ()

    def file_name(self, conversation: Conversation) -> str:
        """Return the required name of the file; empty if it may have any name."""
        return ""


def stray_notes(conversation: Conversation) -> Iterator[str]:
    """Yield a note on results without a call."""
    results = sum(message.role == "tool" for message in conversation.messages)
    results -= sum(result is not None for turn in conversation.turns for result in turn.results)
    if results:
        yield f"{plural(results, 'result')} without a call {'was' if results == 1 else 'were'} left out."


def signature_notes(conversation: Conversation, title: str) -> Iterator[str]:
    """Yield a note on signatures of thinking, for forms that keep only the words."""
    parts = (part for message in conversation.messages if message.thinks for part in message.parts)
    if any(isinstance(part, Thinking) and part.signature for part in parts):
        yield f"{title} has no field for signatures of thinking: the text is kept."


def hidden_notes(conversation: Conversation, title: str) -> Iterator[str]:
    """Yield a note on items that only their original interface can read."""
    kinds = Counter(hidden_kinds(conversation.messages))
    if kinds:
        items = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
        yield f"{title} has no equivalent of these items of OpenAI's Responses API, which were left out: {items}."


def new_session_id(conversation: Conversation, prefix: str = "inspector") -> UUID:
    """Return an id for a new session, made from its content.

    Args:
        conversation: The conversation.
        prefix: Name of the kind of session; sessions of two kinds have different ids.
    """
    facts = [conversation.id, [[message.role, message.text] for message in conversation.messages]]
    return uuid5(NAMESPACE_URL, f"{prefix}:{dumps(facts)}")


def utc_times(times: Iterable[str]) -> Iterator[str]:
    """Yield times as `2025-01-31T09:30:00.000Z`, never earlier than before. Unreadable ones repeat the time before."""
    newest = "1970-01-01T00:00:00.000Z"
    for text in times:
        newest = max(newest, iso_time(text) or newest)
        yield newest


def iso_time(text: str) -> str:
    """Return a time in that form; empty if it cannot be read."""
    try:
        time = datetime.fromisoformat(text)
        time = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return ""
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}Z" if time.year >= 1000 else ""


def object_in(text: str) -> dict[str, Any] | None:
    """Return the object in a JSON text; None for anything else."""
    try:
        value = loads(text)
    except (ValueError, TypeError):
        return None
    return value if isinstance(value, dict) else None


def arguments_object(text: str) -> dict[str, Any]:
    """Return the arguments of a call as an object, which other programs require; empty for an empty text."""
    value = object_in(text) if text.strip() else {}
    return {"input": text} if value is None else value
