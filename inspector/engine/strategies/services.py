"""Services passed to a strategy, which must not access files or the network itself: a summariser and a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

from inspector.core.conversation import Message
from inspector.engine import summaries
from inspector.engine.retrieval import Index, Match, Texts, conversation_index

Summariser = Callable[[Sequence[Message], int, Callable[[str], int]], str]
"""Returns the text of a summary, given messages, a target in tokens and a token counter. Raises SummaryError."""

_Search = Callable[[Sequence[Message], str, int], Sequence[Match[Message]]]
"""Returns the messages most relevant to a query, best first, given messages, query and maximum number."""


class MessageSearch:
    """Thread-safe search in messages. Word frequencies are taken from the messages that are searched."""

    def __init__(self, index: Index[Message] | None = None) -> None:
        self._index: Index[Message] = conversation_index() if index is None else index
        self._messages: Sequence[Message] = ()
        self._lock = Lock()

    def search(self, messages: Sequence[Message], words: str, most: int) -> list[Match[Message]]:
        """Return the messages most relevant to a query, best first.

        Searching the same tuple again skips indexing.

        Args:
            messages: Messages to search.
            words: The query.
            most: Maximum number of results.
        """
        with self._lock:
            if messages is not self._messages:
                self._index.hold(Texts(messages, _text))
                self._messages = messages if isinstance(messages, tuple) else ()
            return self._index.search(words, most)


def _text(message: Message) -> str:
    """Return a message's text with its author, because questions often name the one who answered."""
    return f"{message.name}: {message.text}" if message.name else message.text


def _summarise(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """Summarise extractively. Loads the summariser on first use."""
    return summaries.summarise(messages, target, count)


@dataclass(frozen=True, slots=True)
class Services:
    """Services of a strategy. Reuse one instance across plans, because its search keeps an index."""

    summarise: Summariser = _summarise
    search: _Search = field(default_factory=lambda: MessageSearch().search)
    fit: int | None = None
    """Maximum tokens of a window including its summary, for strategies without their own target; set by pipelines."""
