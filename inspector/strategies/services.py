"""What a strategy is handed because it may not fetch it itself: a summariser and a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from inspector import summaries
from inspector.conversation import Message
from inspector.retrieval import FullTextIndex, Index, Texts
from inspector.window import Window

Summariser = Callable[[Sequence[Message], int, Callable[[str], int]], str]
"""(messages, target in tokens, how to count a text) -> the summary's text. Raises SummaryError."""

_Search = Callable[[Window, str, Sequence[int], int], Sequence[tuple[int, float]]]
"""(window, words, places in it that may be found, how many) -> places with their scores, the most relevant first."""


class WindowSearch:
    """Searches the messages of windows. Which words are rare is judged among those that are searched through."""

    def __init__(self, index: Index[Message] | None = None) -> None:
        self._index = index or FullTextIndex()

    def search(self, window: Window, words: str, places: Sequence[int], most: int) -> list[tuple[int, float]]:
        """The places of a window, out of `places`, whose messages have most to do with `words`; the best first."""
        if not places or most <= 0:
            return []
        by_message = {window.messages[place]: place for place in places}
        self._index.hold(Texts(list(by_message), _text))
        return [(by_message[match.key], match.score) for match in self._index.search(words, most)]


def _text(message: Message) -> str:
    return message.text


def _summarise(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """The summariser that reads the summary out of the messages; loaded by the first summary."""
    return summaries.summarise(messages, target, count)


@dataclass(frozen=True, slots=True)
class Services:
    """Whoever plans again and again (a workbench, an engine) keeps its services: the search has an index of its own."""

    summarise: Summariser = _summarise
    search: _Search = field(default_factory=lambda: WindowSearch().search)
    fit: int | None = None
    """Tokens that a window may take with its summary, for strategies without a target of their own: a pipeline's."""
