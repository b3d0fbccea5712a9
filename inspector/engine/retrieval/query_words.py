"""Words as a search compares them, and the part of a text that they stand in."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate

INDEXED = 8_000
"""Characters of a text that are indexed: what a long output is about stands at its beginning."""
_MAX_WORDS = 12
"""Words of a query that are looked for: those that the fewest documents hold."""
_MAX_MATCHES = 4_000
"""Documents that the words of a query may be found in, all together; the rarest three are always looked for."""
_WORD = re.compile(r"[^\W_]{3,}")


def beginning(text: str, longest: int) -> str:
    """The first characters of a text, at most `longest`, without halves of surrogate pairs."""
    return text[:longest].encode("utf-8", "replace").decode()


def words_in(text: str) -> list[str]:
    """The words of three letters and more."""
    return _WORD.findall(text)


def rare_words(query: str, count: Callable[[str], int]) -> list[str]:
    """The words of a query that tell most about what it is about: those that few documents hold, as `count` says."""
    listed = {folded(word): word for word in words_in(query[:INDEXED])}
    counts = [(count(word), word) for word in listed.values()]
    rare = sorted((number, word) for number, word in counts if number)[:_MAX_WORDS]
    total = list(accumulate(number for number, _ in rare))
    return [word for place, (_, word) in enumerate(rare) if place < 3 or total[place] <= _MAX_MATCHES]


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
