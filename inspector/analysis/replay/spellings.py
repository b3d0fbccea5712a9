"""Search the contexts of replies for names in any spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.analysis.message_search import readable_text
from inspector.analysis.tool_activity import fact_end
from inspector.core.conversation import Session

_MAX_LETTERS = 16_000_000
"""Maximum number of characters that are kept of messages."""
_NO_LETTERS = re.compile(r"[\W_]+")


class Spellings:
    """Searches the contexts of replies for names in any spelling. Each message is read once, and each name sought once.

    Methods raise OSError if the recording can no longer be read.
    """

    def __init__(self, session: Session) -> None:
        self._messages = session.messages
        self._letters: dict[int, str] = {}
        """Letters of messages by position, within `_MAX_LETTERS`."""
        self._size = 0
        self._results: dict[tuple[str, ...], tuple[int, bool]] = {}
        """Position of the reply for which names were last sought, and whether its context contained one of them."""

    def before(self, position: int, fact: str) -> bool:
        """Return True if the context of the reply at a position contains a fact or its short name in any spelling."""
        names = tuple(name for name in (_letters(fact), _letters(fact_end(fact))) if name)
        known, result = self._results.get(names, (-1, False))
        is_present = False
        for place in self._context(position):
            text = self._text(place)
            is_present = any(name in text for name in names) or (place == known and result)
            if is_present or place == known:
                break
        self._results[names] = (position, is_present)
        return is_present

    def _context(self, position: int) -> Iterator[int]:
        """Yield the positions of the messages before a reply, the nearest first."""
        place = self._messages[position].parent
        while 0 <= place < position:
            yield place
            position, place = place, self._messages[place].parent

    def _text(self, place: int) -> str:
        if (text := self._letters.get(place)) is None:
            text = _letters(readable_text(self._messages[place]))
            if self._size + len(text) > _MAX_LETTERS:
                self._letters, self._size = {}, 0
            self._letters[place] = text
            self._size += len(text)
        return text


def _letters(text: str) -> str:
    """Return the letters and digits of a text in lower case, by which names in different spellings are equal."""
    return _NO_LETTERS.sub("", text.casefold())
