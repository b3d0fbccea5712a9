"""Find the sentence of a message that states a fact, to show it as a quote."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message, Part, ToolCall
from inspector.core.text import dumps, lazy_pattern, one_line
from inspector.engine.facts.extraction import unescape
from inspector.engine.facts.terms import MONTH_NAMES
from inspector.engine.facts.text_match import arguments_in, texts_in

_REACH = 160
"""Maximum number of characters quoted on either side of a fact."""
_MAX_WORDS = 12
"""Number of leading words of a long fact that are searched."""
_MIN_NUMBER_LENGTH = 3
"""Minimum number of digits of a number that is searched by itself."""
_WIDEST_GAP = 8
"""Maximum number of punctuation and space characters between two words of a fact."""
_STOPS = ("\n", ". ", "! ", "? ", "; ")
_GUTTER = lazy_pattern(r"\A\d{1,7}(?:→|\t)\s{0,80}")
"""Line number as printed by tools that read files."""
_THOUSANDS = lazy_pattern(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER_OR_WORD = lazy_pattern(r"\d{1,3}(?:,\d{3})+(?!\d)|\d+|[^\W\d_]+")
_BESIDE_TIME = lazy_pattern(r"(?<=\d)[Tt](?=\d\d:)|(?<=:\d\d)[Zz]")
"""Letters of an ISO 8601 timestamp that are not words."""
_DATE_TIME = lazy_pattern(r"(\d{4})-(0[1-9]|1[0-2])-(\d\d)(?: (\d\d):(\d\d):(\d\d))?")
"""Normalised date, with or without a time."""


class _Wording:
    """The words of a text and their positions. Thousands separators within a number are ignored."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[tuple[int, int]] = []
        self.words: list[str] = []
        self.places: dict[str, list[int]] = {}
        """Indices of each word in `words`."""
        self.spoken = _BESIDE_TIME.sub(" ", text)
        for match in _NUMBER_OR_WORD.finditer(self.spoken):
            word = _folded(match.group())
            self.places.setdefault(word, []).append(len(self.words))
            self.words.append(word)
            self.spans.append(match.span())

    def find(self, words: list[str]) -> tuple[int, int] | None:
        """Return the start and end of the first occurrence of consecutive words in the text, or None."""
        rarest = min(range(len(words)), key=lambda number: len(self.places.get(words[number], ())))
        for place in self.places.get(words[rarest], ()):
            first, last = place - rarest, place - rarest + len(words)
            if first >= 0 and self.words[first:last] == words and self._is_together(first, last):
                start, end = self.spans[first][0], self.spans[last - 1][1]
                is_part = len(words) < _MAX_WORDS and self._is_in_word(end)
                if not is_part and not self._is_in_word(start):
                    return start, end
        return None

    def _is_in_word(self, place: int) -> bool:
        """Return True if the characters on both sides of a position are letters or digits."""
        return 0 < place < len(self.spoken) and self.spoken[place - 1 : place + 1].isalnum()

    def _is_together(self, first: int, last: int) -> bool:
        return all(
            start - end <= _WIDEST_GAP
            for (_, end), (start, _) in pairwise(self.spans[place] for place in range(first, last))
        )


_WORDINGS: MessageCache[tuple[_Wording, ...]] = MessageCache("wordings", 64)


def quote(message: Message, fact: str) -> str:
    """Return the sentence of a message that states a fact, on one line; "" if these words do not occur in it."""
    wordings = _WORDINGS.get(message, _wordings)
    for words in _searches(fact):
        for wording in wordings:
            if span := wording.find(words):
                return one_line(_sentence_around(wording.text, *span))
    return ""


def _wordings(message: Message) -> tuple[_Wording, ...]:
    if message.placeholder is not None:
        return (_Wording(message.placeholder),)
    return tuple(_Wording(text) for part in message.parts for text in _texts(part))


def _texts(part: Part) -> Iterator[str]:
    """Yield the texts of a part. A tool call yields its name and its argument values without JSON syntax."""
    if not isinstance(part, ToolCall):
        yield from (unescape(text) for text, _ in texts_in(part))
        return
    values = (_argument_text(key, value) for key, value in arguments_in(part))
    yield " ".join([part.name, "\n".join(values)])


def _argument_text(key: str, value: Any) -> str:
    """Return an argument of a call. Values that are not strings are prefixed with their key."""
    if isinstance(value, str):
        return value
    return f"{key}: {dumps(value)}" if key else dumps(value)


def _searches(fact: str) -> Iterator[list[str]]:
    """Yield word sequences to search for a fact: all its words first, then its longest number."""
    words = list(map(_folded, _NUMBER_OR_WORD.findall(_THOUSANDS.sub("", fact))))[:_MAX_WORDS]
    if words:
        yield words
    if match := _DATE_TIME.fullmatch(fact):
        yield from _moments(*match.groups())
    elif len(number := max((word for word in words if word.isdecimal()), key=len, default="")) >= _MIN_NUMBER_LENGTH:
        yield [number]


def _moments(year: str, month: str, day: str, hour: str | None, minute: str, second: str) -> Iterator[list[str]]:
    """Yield other spellings of a date and time, most complete first."""
    if hour:
        if second == "00":
            yield [year, month, day, hour, minute]
        yield [hour, minute, second]
        if second == "00":
            yield [hour, minute]
        yield [year, month, day]
    name = MONTH_NAMES[int(month) - 1].lower()
    for number in dict.fromkeys((day, day.lstrip("0"))):
        for written in (name, name[:3]):
            yield [number, written]
            yield [written, number]
        yield [number, month, year]


def _folded(word: str) -> str:
    return word.lower().replace(",", "")


def _sentence_around(text: str, start: int, end: int) -> str:
    """Return the sentence around a position, limited in length. Cuts are marked with "…"."""
    lowest, highest = max(0, start - _REACH), min(len(text), end + _REACH)
    cuts = [at + len(stop) for stop in _STOPS if (at := text.rfind(stop, lowest, start)) >= 0]
    ends = [at + len(stop.rstrip()) for stop in _STOPS if (at := text.find(stop, end, highest)) >= 0]
    first, last = max(cuts, default=lowest), min(ends, default=highest)
    head = "…" if not cuts and lowest else ""
    tail = "…" if not ends and highest < len(text) else ""
    return f"{head}{_GUTTER.sub('', text[first:last].strip())}{tail}"
