"""Words as a search compares them, and the part of a text that they stand in."""

from __future__ import annotations

import re

INDEXED = 8_000
"""Characters of a text that are indexed: what a long output is about stands at its beginning."""
_WORD = re.compile(r"[^\W_]{3,}")


def words_in(text: str) -> list[str]:
    """The words of three letters and more."""
    return _WORD.findall(text)


def folded(word: str) -> str:
    """A word in small letters, as the index compares them: none of them becomes two."""
    if word.isascii():
        return word.lower()
    return "".join(small if len(small := letter.casefold()) == 1 else letter.lower() for letter in word)


def passage(text: str, words: str, longest: int) -> str:
    """The part of a text, at most `longest` characters, that holds most of the words of another."""
    if len(text) <= longest:
        return text
    sought = set(map(folded, _WORD.findall(words[:INDEXED])))
    places = [match.start() for match in _WORD.finditer(text) if folded(match[0]) in sought] if sought else []
    starts: list[tuple[int, int]] = []
    first = 0
    for count, place in enumerate(places, 1):
        while places[first] < place - longest * 3 // 4:
            first += 1
        starts.append((count - first, -places[first]))
    _, best = max(starts, default=(0, 0))
    start = max(0, min(-best - longest // 8, len(text) - longest + 4))
    room = longest - 4
    return ("… " if start else "") + text[start : start + room] + (" …" if start + room < len(text) else "")
