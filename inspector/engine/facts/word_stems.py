"""Stems of words: what two forms of a word share."""

from __future__ import annotations

from functools import lru_cache

_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "er", "s", "e", "y")


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """Return a word in lower case, without a common suffix; for a path, its last part."""
    low = word.lower().rstrip(".")
    low = low.rsplit("/", 1)[-1] or low
    if not low.isalpha():
        return low
    for suffix in _SUFFIXES:
        if low.endswith(suffix) and len(low) - len(suffix) >= 3:
            low = low[: -len(suffix)]
            break
    return low[:-1] if len(low) > 3 and low[-1] == low[-2] else low


def stem_set(words: str) -> frozenset[str]:
    """Return the stems of words with spaces between them, for a table of words."""
    return frozenset(map(stem, words.split()))
