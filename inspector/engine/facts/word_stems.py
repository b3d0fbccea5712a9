"""Words of a line, and their stems: what two forms of a word share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from sys import intern

from inspector.core.text import lazy_pattern

_TOKEN = lazy_pattern(r"(\w[\w./+#@-]*\w|\w)|[.;!?](?=\s|$)|(?<!\S)[-*•](?=\s)")
"""A word, the end of a sentence, or a bullet: "never", "src/load.py", "."."""
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


@lru_cache(maxsize=4_096)
def tokens_of_line(line: str) -> Sequence[str]:
    """Return the words of a line, with "" at the end of a sentence and at a bullet.

    Cached: the summaries of a session repeat most lines.
    """
    return tuple(map(intern, _TOKEN.findall(line)))
