"""Choose the patterns that can match in a text by their hints, so that the others are not tried."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.analysis.redaction.secret_search import SecretPattern, lower_text

Patterns = tuple[SecretPattern, ...]
Hints = tuple[str, ...]
_START = 3
"""Characters at the start of a hint that are looked up in a text."""
_MAX_STARTS = 20_000
"""Characters of a text in which all hints are searched in one pass."""
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
        self._by_start: dict[str, list[str]] = {}
        """The other hints, by their first characters."""
        self._by_hints: dict[Hints, Patterns] = {}
        """Patterns of sets of hints that occurred together."""
        for hint in self._by_hint:
            if len(hint) >= _START:
                self._by_start.setdefault(hint[:_START], []).append(hint)

    def hints_in(self, text: str) -> Hints:
        """Return the hints in a text."""
        folded = lower_text(text)
        if len(folded) > _MAX_STARTS:
            return tuple([hint for hint in self._by_hint if hint in folded])
        starts = self._by_start.keys() & set(map("".join, zip(folded, folded[1:], folded[2:], strict=False)))
        hints = [hint for start in starts for hint in self._by_start[start]]
        return tuple([hint for hint in (*self._short, *hints) if hint in folded])

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
