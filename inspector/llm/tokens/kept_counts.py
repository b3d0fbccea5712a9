"""Counts of texts that are not in a log, such as summaries and placeholders, kept between runs.

A rank table takes 30 to 60 MB and a third of a second to load. A command that only needs counts that are kept does not
load one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Protocol

_MAX_TEXTS = 4_096
"""Maximum number of texts whose counts one process keeps."""
_MAX_KEPT_CHARS = 1_000
"""Maximum length of a text that is kept with its count, in characters."""
_MAX_LOOKUPS = 2_500
"""Number of look-ups of a process after which loading a rank table takes less time."""
_RULES = b"text counts 1"
"""Part of every key. Change it if a count can change."""


class CountCache(Protocol):
    """Storage for counts. Methods are thread-safe and never raise."""

    def load(self, keys: Sequence[bytes]) -> Mapping[bytes, str]:
        """Return the saved counts by key. Unknown keys are missing."""

    def save(self, texts: Mapping[bytes, str]) -> None:
        """Save counts by key."""


class KeptCounts:
    """Counts of one process. It looks counts up until one is missing: the rank table is then loaded anyway."""

    def __init__(self, cache: CountCache) -> None:
        self._cache = cache
        self._fresh: dict[bytes, str] = {}
        self._loaded: set[str] = set()
        self._lookups = 0
        self._counts: dict[tuple[str, str], int] = {}

    def count(self, counter: str, text: str, make: Callable[[str], int]) -> int:
        """Return the tokens of a text.

        Args:
            counter: Name of the counter.
            text: The text.
            make: Counts the text.
        """
        if (counter, text) in self._counts:
            return self._counts[counter, text]
        tokens = self._count(counter, text, make)
        if len(text) <= _MAX_KEPT_CHARS and len(self._counts) < _MAX_TEXTS:
            self._counts[counter, text] = tokens
        return tokens

    def _count(self, counter: str, text: str, make: Callable[[str], int]) -> int:
        if len(self._fresh) >= _MAX_TEXTS:
            return make(text)
        data = f"{counter}\n{text}".encode("utf-8", "surrogatepass")
        key = blake2b(data, digest_size=16, person=_RULES).digest()
        kept = self._fresh.get(key)
        if kept is None and counter not in self._loaded and self._lookups < _MAX_LOOKUPS:
            self._lookups += 1
            kept = self._cache.load([key]).get(key)
        if kept is not None and kept.isdecimal():
            return int(kept)
        self._loaded.add(counter)
        tokens = make(text)
        self._fresh[key] = str(tokens)
        return tokens

    def save(self) -> None:
        """Save the new counts."""
        fresh, self._fresh = self._fresh, {}
        if fresh:
            self._cache.save(fresh)


_current: KeptCounts | None = None


def keep_counts(cache: CountCache | None) -> None:
    """Save the new counts, and keep counts in another cache from now on.

    Args:
        cache: Storage for counts; None to keep none.
    """
    global _current
    if _current is not None:
        _current.save()
    _current = None if cache is None else KeptCounts(cache)


def count_once(counter: str, text: str, make: Callable[[str], int]) -> int:
    """Return the tokens of a text, from an earlier run if its count was kept."""
    return make(text) if _current is None else _current.count(counter, text, make)
