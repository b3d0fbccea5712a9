"""Find the positions of words in a text, for highlighting and for excerpts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

from inspector.analysis.message_search.query import fold_text

Place = tuple[int, int]
"""Start and end of a match in a text."""
EXCERPT = 240
"""Maximum characters of an excerpt."""
_CLOSE, _TRIED = 60, 50
"""Characters within which words count as close together, and maximum occurrences of each word to examine."""
_BEFORE = 12
"""Characters of an excerpt before the matched word."""


def word_places(text: str, words: Sequence[str]) -> list[Place]:
    """Return the positions of all words in a text, in order and without overlaps.

    Args:
        text: Text to search.
        words: Folded words.
    """
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
    """Convert positions in a folded text to positions in the original, which can have fewer characters."""
    origins: list[int] = []
    for place, char in enumerate(text):
        origins += [place] * len(char.casefold())
    return [(origins[start], origins[end - 1] + 1) for start, end in places]


def line_places(lines: Sequence[str], words: Sequence[str]) -> dict[int, list[Place]]:
    """Return the positions of words by line. A phrase can extend over several lines."""
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
    """Return how many words follow a position closely, and the negative number of characters they span."""
    ends = [place + len(word) for word in words if (place := folded.find(word, at, at + _CLOSE)) >= 0]
    return len(ends), at - max(ends, default=at)


def excerpt_of(text: str, words: Sequence[str]) -> str:
    """Return the part of a text around the first place where most of the words are close together.

    If the text contains none of the words, return its beginning. Control characters are not removed.
    """
    folded = fold_text(text)
    starts = sorted(place for word in words for place, _ in islice(_places_of(folded, word), _TRIED))
    start = max(starts, key=lambda at: (*_nearness(folded, at, words), -at), default=0)
    if len(folded) != len(text):
        start = next((origin for origin, _ in _in_original(text, [(start, start + 1)])), 0) if folded else 0
    start = max(0, start - _BEFORE)
    return ("…" if start else "") + text[start : start + EXCERPT]
