"""What a strategy is handed because it may not fetch it itself: a summariser and a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from inspector import summaries
from inspector.conversation import Message
from inspector.retrieval import SearchIndex
from inspector.window import Window

Summariser = Callable[[Sequence[Message], int, Callable[[str], int]], str]
"""(messages, target in tokens, how to count a text) -> the summary's text. Raises SummaryError."""

_Search = Callable[[Window, str, Sequence[int], int], Sequence[tuple[int, float]]]
"""(window, words, places in it that may be found, how many) -> places with their scores, the most relevant first."""


def _summarise(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """The summariser that reads the summary out of the messages; loaded by the first summary."""
    return summaries.summarise(messages, target, count)


@dataclass(frozen=True, slots=True)
class Services:
    """Whoever plans again and again (a workbench, an engine) keeps its services: the search has an index of its own."""

    summarise: Summariser = _summarise
    search: _Search = field(default_factory=lambda: SearchIndex().search)
    fit: int | None = None
    """Tokens that a window may take with its summary, for strategies without a target of their own: a pipeline's."""
