"""The sentence of a message that tells a fact, word for word, to be shown beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from inspector.caches import MessageCache
from inspector.conversation import Message
from inspector.facts.extraction import unescape
from inspector.facts.terms import sentence_words
from inspector.facts.wording import texts_of
from inspector.text import one_line

_REACH = 160
"""Characters on either side of a fact that may be quoted with it."""
_MOST_WORDS = 12
"""Words by which a fact is looked for: the first ones of a long sentence find its place."""
_WIDEST_GAP = 8
"""Characters of punctuation and space that may stand between two of them."""
_STOPS = ("\n", ". ", "! ", "? ", "; ")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER_OR_WORD = re.compile(r"\d{1,3}(?:,\d{3})+(?![^\W_])|[^\W_]+")


class _Wording:
    """The words of a text and their places; a number with commas between its thousands is one word without them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[tuple[int, int]] = []
        self.words: list[str] = []
        self.places: dict[str, list[int]] = {}
        """Where each word is among the words."""
        for match in _NUMBER_OR_WORD.finditer(text):
            word = match.group().lower().replace(",", "")
            self.places.setdefault(word, []).append(len(self.words))
            self.words.append(word)
            self.spans.append(match.span())

    def find(self, words: list[str]) -> tuple[int, int] | None:
        """From where to where words stand in the text, one close behind the other; None where they do not."""
        rarest = min(range(len(words)), key=lambda number: len(self.places.get(words[number], ())))
        for place in self.places.get(words[rarest], ()):
            first, last = place - rarest, place - rarest + len(words)
            if first >= 0 and self.words[first:last] == words and self._is_together(first, last):
                return self.spans[first][0], self.spans[last - 1][1]
        return None

    def _is_together(self, first: int, last: int) -> bool:
        return all(
            start - end <= _WIDEST_GAP
            for (_, end), (start, _) in pairwise(self.spans[place] for place in range(first, last))
        )


_WORDINGS: MessageCache[tuple[_Wording, ...]] = MessageCache("wordings", 64)


def quote(message: Message, fact: str) -> str:
    """The sentence in which a message tells a fact, on one line; "" where it does not stand there in these words."""
    wordings = _WORDINGS.get(message, _wordings)
    for words in _searches(fact):
        for wording in wordings:
            if span := wording.find(words):
                return one_line(_sentence_around(wording.text, *span))
    return ""


def _wordings(message: Message) -> tuple[_Wording, ...]:
    return tuple(_Wording(unescape(text)) for text, _ in texts_of(message))


def _searches(fact: str) -> Iterator[list[str]]:
    """The words by which a fact is looked for, all of them first, then its longest with a number in it."""
    words = list(sentence_words(_THOUSANDS.sub("", fact))[:_MOST_WORDS])
    if words:
        yield words
    if number := max((word for word in words if any(map(str.isdecimal, word))), key=len, default=""):
        yield [number]


def _sentence_around(text: str, start: int, end: int) -> str:
    """The sentence around a place, or as much of it as may be quoted, with "…" where it is cut."""
    lowest, highest = max(0, start - _REACH), min(len(text), end + _REACH)
    cuts = [at + len(stop) for stop in _STOPS if (at := text.rfind(stop, lowest, start)) >= 0]
    ends = [at + len(stop.rstrip()) for stop in _STOPS if (at := text.find(stop, end, highest)) >= 0]
    first, last = max(cuts, default=lowest), min(ends, default=highest)
    head = "…" if not cuts and lowest else ""
    tail = "…" if not ends and highest < len(text) else ""
    return f"{head}{text[first:last].strip()}{tail}"
