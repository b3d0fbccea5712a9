"""A window that was sent in a replay, in which values can be searched later."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property

from inspector.core.conversation import Message
from inspector.engine.facts.fact_index import FactIndex
from inspector.engine.facts.text_match import message_words


@dataclass(eq=False)
class SentWindow:
    """A window as it was sent."""

    turn: int
    messages: tuple[Message, ...]
    others: tuple[Message, ...]
    """The messages that are summaries or differ from the log."""
    _numbers: array[int] | None = None
    """Numbers of the messages, which take up much less memory than a set of them."""

    def holds(self, words: str, index: FactIndex) -> bool:
        """Return True if a `phrase` occurs in the window."""
        if not words.strip():
            return False
        if self._numbers is None:
            self._numbers = array("I", index.literals.numbers_of(self.messages))
        is_in_other = any(words in text for text in self._other_texts)
        return is_in_other or index.literals.is_held(words, frozenset(self._numbers))

    @cached_property
    def _other_texts(self) -> tuple[str, ...]:
        """Texts of the others, which windows share. Few phrases are searched in each, so no set of words is kept."""
        return tuple(map(message_words, self.others))
