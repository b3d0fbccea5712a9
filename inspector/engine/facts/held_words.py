"""The words of the messages in a window, which grow with it."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.core.conversation import Message
from inspector.engine.facts.fact_index import FactIndex


class HeldWords:
    """Searches phrases in those messages of a log that are in a window.

    Args:
        index: Facts of the log.
        messages: Messages of the window.
    """

    def __init__(self, index: FactIndex, messages: Iterable[Message] = ()) -> None:
        self._index = index
        self._unread = list(messages)
        self._numbers = set[int]()

    def add(self, message: Message) -> None:
        """Add a message of the window. It is read when a phrase is searched."""
        self._unread.append(message)

    def __contains__(self, words: str) -> bool:
        """Return True if a message of the log that is in the window, except a summary, contains a `phrase`.

        Raises:
            OSError: A message body cannot be read any more.
        """
        literals = self._index.literals
        if self._unread:
            self._numbers |= literals.numbers_of(self._unread)
            self._unread.clear()
        return literals.is_held(words, self._numbers)
