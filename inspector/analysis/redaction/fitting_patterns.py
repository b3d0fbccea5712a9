"""Choose the patterns that can match in a text by their hints, so that the others are not tried."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from inspector.analysis.redaction.secret_search import SecretPattern, lower_text

Patterns = tuple[SecretPattern, ...]
Hints = tuple[str, ...]
_START = 3
"""Characters at the start of a hint that are looked up in a text."""
_PART = 65_536
"""Characters of a text whose combinations of three are held in memory at the same time."""
_MAX_HINT = 64
"""Maximum characters of a hint."""
_MAX_SETS = 20_000
"""Maximum number of sets of hints whose patterns are remembered."""


class FittingPatterns:
    """Patterns, and a number for each hint whose bits are those of its patterns."""

    def __init__(self, patterns: Iterable[SecretPattern]) -> None:
        self._bits = [(1 << number, pattern) for number, pattern in enumerate(patterns)]
        self._by_hint: dict[str, int] = {}
        for bit, pattern in self._bits:
            for hint in pattern.hints:
                self._by_hint[hint] = self._by_hint.get(hint, 0) | bit
        self._short = [hint for hint in self._by_hint if len(hint) < _START]
        self._by_start: dict[tuple[str, ...], list[tuple[str, frozenset[tuple[str, ...]]]]] = {}
        """The other hints with their combinations of three characters, by the first of them."""
        self._by_hints: dict[Hints, Patterns] = {}
        """Patterns of sets of hints that occurred together."""
        for hint in self._by_hint:
            if len(hint) >= _START:
                self._by_start.setdefault(tuple(hint[:_START]), []).append((hint, _threes_of_hint(hint)))

    def hints_in(self, text: str) -> Hints:
        """Return the hints in a text."""
        folded = lower_text(text)
        hints = {hint: None for hint in self._short if hint in folded}
        for place in range(0, len(folded), _PART):
            part = folded[place : place + _PART + _MAX_HINT]
            threes = _threes(part)
            for start in self._by_start.keys() & threes:
                for hint, needed in self._by_start[start]:
                    if hint not in hints and needed <= threes and hint in part:
                        hints[hint] = None
        return tuple(hints)

    def hints_in_code(self, text: str) -> Hints:
        """Return the hints in the decoded text of an encoded run: without that of blobs, which is ""."""
        return tuple([hint for hint in self.hints_in(text) if hint])

    def with_hints(self, hints: Hints) -> Patterns:
        """Return the patterns that have one of some hints."""
        if (patterns := self._by_hints.get(hints)) is None:
            fitting = 0
            for hint in hints:
                fitting |= self._by_hint[hint]
            patterns = tuple([pattern for bit, pattern in self._bits if fitting & bit])
            if len(self._by_hints) < _MAX_SETS:
                self._by_hints[hints] = patterns
        return patterns

    def fitting(self, text: str, hints: Hints) -> Patterns:
        """Return the patterns that have one of some hints and can match in a text."""
        folded = lower_text(text)
        return self.with_hints(tuple([hint for hint in hints if hint in folded]))


@lru_cache(maxsize=1 << 11)
def _threes_of_hint(hint: str) -> frozenset[tuple[str, ...]]:
    return _threes(hint)


def _threes(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(zip(text, text[1:], text[2:], strict=False))
