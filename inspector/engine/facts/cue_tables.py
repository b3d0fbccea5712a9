"""Tables of cue phrases, each with the pattern that decides whether a sentence belongs to a class."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from inspector.core.text import lazy_pattern

Marks = Mapping[str, re.Pattern[str]]
"""Lowercase cue phrases without which no sentence is of a class, each with the pattern that decides."""


class PatternTable(Mapping[str, re.Pattern[str]]):
    """Patterns by name. Each is compiled when it is first used: most texts need few of them."""

    def __init__(self, sources: Mapping[str, str], flags: int = 0) -> None:
        """Create a table from the sources of its patterns, which all have the same flags."""
        self.sources, self.flags = sources, flags
        self._patterns = {name: lazy_pattern(source, flags) for name, source in sources.items()}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        return self._patterns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.sources)

    def __len__(self) -> int:
        return len(self.sources)

    def only(self, names: Iterable[str]) -> PatternTable:
        """Return a table of some of the patterns."""
        return PatternTable({name: self.sources[name] for name in names}, self.flags)


def mark_table(*rows: tuple[str, str], flags: int = re.IGNORECASE) -> PatternTable:
    """Build a table from rows of `|`-separated cue phrases and a pattern.

    A phrase in several rows matches any of their patterns.
    """
    patterns: dict[str, list[str]] = {}
    for marks, pattern in rows:
        for mark in marks.split("|"):
            patterns.setdefault(mark, []).append(pattern)
    return PatternTable({mark: "|".join(several) for mark, several in patterns.items()}, flags)


def joined(one: PatternTable, other: PatternTable) -> PatternTable:
    """Merge two tables with the same flags. A phrase in both matches either pattern."""
    shared = {mark: f"{one.sources[mark]}|{other.sources[mark]}" for mark in one.sources if mark in other.sources}
    return PatternTable({**one.sources, **other.sources, **shared}, one.flags)
