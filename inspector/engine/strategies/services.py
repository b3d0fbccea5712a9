"""What a strategy is handed because it may not fetch it itself: a summariser and a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

from inspector.core.conversation import Message
from inspector.engine import summaries
from inspector.engine.retrieval import Index, Match, Texts, conversation_index

Summariser = Callable[[Sequence[Message], int, Callable[[str], int]], str]
"""(messages, target in tokens, how to count a text) -> the summary's text. Raises SummaryError."""

_Search = Callable[[Sequence[Message], str, int], Sequence[Match[Message]]]
"""(messages, words, how many) -> the messages that have most to do with the words, the best first."""


class MessageSearch:
    """Searches messages. Which words are rare is judged among those that are searched through. For any thread."""

    def __init__(self, index: Index[Message] | None = None) -> None:
        self._index: Index[Message] = conversation_index() if index is None else index
        self._messages: Sequence[Message] = ()
        self._lock = Lock()

    def search(self, messages: Sequence[Message], words: str, most: int) -> list[Match[Message]]:
        """At most so many of some messages that have to do with some words, the best first.

        A tuple that was searched last is known to be indexed: then this costs what it finds.
        """
        with self._lock:
            if messages is not self._messages:
                self._index.hold(Texts(messages, _text))
                self._messages = messages if isinstance(messages, tuple) else ()
            return self._index.search(words, most)


def _text(message: Message) -> str:
    """What a message says, and who says it: a name in a question is often that of the one who answered it."""
    return f"{message.name}: {message.text}" if message.name else message.text


def _summarise(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """The summariser that reads the summary out of the messages; loaded by the first summary."""
    return summaries.summarise(messages, target, count)


@dataclass(frozen=True, slots=True)
class Services:
    """Whoever plans again and again (a workbench, an engine) keeps its services: the search has an index of its own."""

    summarise: Summariser = _summarise
    search: _Search = field(default_factory=lambda: MessageSearch().search)
    fit: int | None = None
    """Tokens that a window may take with its summary, for strategies without a target of their own: a pipeline's."""
