"""Where words stand in a text: for what is highlighted, and for the line around a match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

from inspector.analysis.message_search.query import fold_text

Place = tuple[int, int]
"""(start, end) in a text."""
EXCERPT = 240
"""Characters of an excerpt, at most."""
_CLOSE, _TRIED = 60, 50
"""Characters in which words stand close together, and places of each word that are looked at for that."""
_BEFORE = 12
"""Characters of it that stand before the word."""


def word_places(text: str, words: Sequence[str]) -> list[Place]:
    """Where any of the words stand in a text, in order, none over another. `words` are folded."""
    if not words:
        return []
    folded = fold_text(text)
    rows = sorted(place for word in words if word for place in _places_of(folded, word))
    places: list[Place] = []
    for start, end in rows:
        if places and start < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    return places if len(folded) == len(text) else _in_original(text, places)


def _places_of(folded: str, word: str) -> Iterator[Place]:
    start = folded.find(word)
    while start >= 0:
        yield start, start + len(word)
        start = folded.find(word, start + len(word))


def _in_original(text: str, places: Sequence[Place]) -> list[Place]:
    """Places of a folded text in the text itself, where some letters are longer when they are folded."""
    origins: list[int] = []
    for place, char in enumerate(text):
        origins += [place] * len(char.casefold())
    return [(origins[start], origins[end - 1] + 1) for start, end in places]


def line_places(lines: Sequence[str], words: Sequence[str]) -> dict[int, list[Place]]:
    """Where words stand in the lines of one text, by line. A phrase may begin on one line and end on another."""
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    rows: dict[int, list[Place]] = {}
    number = 0
    for start, end in word_places("\n".join(lines), words):
        while starts[number + 1] <= start:
            number += 1
        line = number
        while line < len(lines) and starts[line] < end:
            first, last = max(start - starts[line], 0), min(end - starts[line], len(lines[line]))
            if first < last:
                rows.setdefault(line, []).append((first, last))
            line += 1
    return rows


def _nearness(folded: str, at: int, words: Sequence[str]) -> tuple[int, int]:
    """How many of the words stand close behind a place, and how few characters they take (as a negative number)."""
    ends = [place + len(word) for word in words if (place := folded.find(word, at, at + _CLOSE)) >= 0]
    return len(ends), at - max(ends, default=at)


def excerpt_of(text: str, words: Sequence[str]) -> str:
    """A piece of a text with the first place where most of the words stand close together; raw.

    Its beginning where none does.
    """
    folded = fold_text(text)
    starts = sorted(place for word in words for place, _ in islice(_places_of(folded, word), _TRIED))
    start = max(starts, key=lambda at: (*_nearness(folded, at, words), -at), default=0)
    if len(folded) != len(text):
        start = next((origin for origin, _ in _in_original(text, [(start, start + 1)])), 0) if folded else 0
    start = max(0, start - _BEFORE)
    return ("…" if start else "") + text[start : start + EXCERPT]
