"""Search for the secrets that a pattern describes, near its hints."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from inspector.analysis.redaction.secret_names import is_about_secret

_MAX_BEFORE = 200
"""Maximum characters before a match that are searched."""
_AGAIN = 40
"""Maximum number of times that each character of a text is searched."""


class Secret(NamedTuple):
    """A part of a text that has to be redacted."""

    kind: str
    value: str
    start: int


@dataclass(frozen=True, slots=True, eq=False)
class SecretPattern:
    """Pattern for one kind of secret. The secret is the last group that matched, or else the whole match."""

    kind: str
    hints: Collection[str]
    """Lower-case strings of which every matching text contains at least one."""
    pattern: re.Pattern[str]
    is_likely: Callable[[str], bool] = bool
    """Returns True if a matching value is really a secret."""
    starts_in: Callable[[str], Sequence[int]] | None = None
    """Returns the places of a text where a match can start, in order; None to search the whole text."""
    before: re.Pattern[str] | None = None
    """Pattern for the text before a match, up to its start."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        """Yield the secrets of a text in order.

        A value that is not a secret can contain the name of one (`secret: aws_secret_access_key = …`), so it is
        searched again. All repeated searches together cover at most `_AGAIN` times the text; after that, every match is
        redacted unchecked.
        """
        place, budget = 0, _AGAIN * len(text)
        starts = self.starts_in(text) if self.starts_in else None
        while match := self.pattern.search(text, place) if starts is None else self._next_match(text, place, starts):
            group = match.lastindex or 0
            value, start = match[group], match.start(group)
            place = match.end()
            is_hidden = not value or "[redacted:" in value or _is_described(match)
            budget -= len(value)
            if not is_hidden and (budget < 0 or self.is_likely(value)):
                yield Secret(self.kind, value, start)
            elif start > match.start() and budget >= 0:
                place = start

    def _next_match(self, text: str, place: int, starts: Sequence[int]) -> re.Match[str] | None:
        for index in range(bisect_left(starts, place), len(starts)):
            start = starts[index]
            match = self.pattern.match(text, start)
            if match and (self.before is None or self.before.search(text, max(0, start - _MAX_BEFORE), start)):
                return match
        return None


def near_hints(reaches: Mapping[str, int], beyond: int = 0) -> Callable[[str], Sequence[int]]:
    """Return a function that returns the places near hints in a text.

    Args:
        reaches: Lower-case strings, each with the maximum number of characters of a match before it.
        beyond: Maximum number of characters from the start of a hint to that of a match.
    """

    def starts_in(text: str) -> Sequence[int]:
        folded = lower_text(text)
        starts: set[int] = set()
        for hint, reach in reaches.items():
            place = folded.find(hint)
            while place >= 0:
                starts.update(range(max(0, place - reach), place + beyond + 1))
                place = folded.find(hint, place + 1)
        return sorted(starts)

    return starts_in


def name_starts(names: re.Pattern[str], reaches: Mapping[str, int]) -> Callable[[str], Sequence[int]]:
    """Return a function that returns the places of a text where a name starts.

    Args:
        names: Pattern for the names.
        reaches: Lower-case strings of which each name contains one, with the maximum number of characters before it.
    """
    nearby = near_hints(reaches)
    return lru_cache(2)(lambda text: [start for start in nearby(text) if names.match(text, start)])


def lower_text(text: str) -> str:
    """Return a text in lower case, with every character in its place."""
    return text.replace("\u0130", "i").lower()


def _is_described(match: re.Match[str]) -> bool:
    """Return True if the rest of the name before a value says that the value only describes a secret."""
    return "tail" in match.re.groupindex and is_about_secret(match["tail"] or "")
