"""Word matching of a search, and the passage of a text that matches best."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate

INDEXED = 8_000
"""Number of leading characters of a text to index. The subject of a long output is at its start."""
_MAX_WORDS = 12
"""Maximum number of words of a query to search: those in the fewest documents."""
_MAX_MATCHES = 4_000
"""Maximum number of documents for all words of a query together. The three rarest words are always searched."""
_WORD = re.compile(r"[^\W_]{3,}")


def beginning(text: str, longest: int) -> str:
    """Return the first `longest` characters of a text, without unpaired surrogates."""
    return text[:longest].encode("utf-8", "replace").decode()


def words_in(text: str) -> list[str]:
    """Return the words with at least three letters."""
    return _WORD.findall(text)


def rare_words(query: str, count: Callable[[str], int]) -> list[str]:
    """Return the most specific words of a query: those in few documents according to `count`."""
    listed = {folded(word): word for word in words_in(query[:INDEXED])}
    counts = [(count(word), word) for word in listed.values()]
    rare = sorted((number, word) for number, word in counts if number)[:_MAX_WORDS]
    total = list(accumulate(number for number, _ in rare))
    return [word for place, (_, word) in enumerate(rare) if place < 3 or total[place] <= _MAX_MATCHES]


def folded(word: str) -> str:
    """Return a word in lowercase as the index compares it. No letter is expanded to two."""
    if word.isascii():
        return word.lower()
    return "".join(small if len(small := letter.casefold()) == 1 else letter.lower() for letter in word)


def passage(text: str, words: str, longest: int) -> str:
    """Return the passage of a text that contains the most words of a query.

    Args:
        text: The text.
        words: The query.
        longest: Maximum length of the passage, in characters.
    """
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
