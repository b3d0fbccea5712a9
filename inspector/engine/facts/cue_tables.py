"""Tables of cue phrases, each with the pattern that decides whether a sentence belongs to a class, and their search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import chain

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


def any_case(*rows: tuple[str, str]) -> PatternTable:
    """Build a table to be joined with one whose patterns tell capital letters. These patterns do not."""
    return mark_table(*((marks, f"(?i:{pattern})") for marks, pattern in rows), flags=0)


def joined(one: PatternTable, other: PatternTable) -> PatternTable:
    """Merge two tables with the same flags. A phrase in both matches either pattern."""
    shared = {mark: f"{one.sources[mark]}|{other.sources[mark]}" for mark in one.sources if mark in other.sources}
    return PatternTable({**one.sources, **other.sources, **shared}, one.flags)


class StemSearch:
    """Finds the stems that texts contain. Runs of letters recur, so the stems of each are cached. Thread-safe."""

    def __init__(self, stems: Iterable[str]) -> None:
        """Prepare the search of stems, which are at least three letters from a to z each."""
        self.searched = frozenset(stems)
        self._known: dict[str, tuple[str, ...]] = {}

    def found_in(self, low: str) -> set[str]:
        """Return the stems in a lowercase text."""
        runs, known = set(_RUN.findall(low)), self._known
        if new := runs.difference(known):
            if len(known) >= _MAX_RUNS:  # replaced, not cleared, because other threads may read it
                known, new = {}, runs
                self._known = known
            known.update(self._by_run(new))
        return set(chain.from_iterable(map(known.__getitem__, runs)))

    def _by_run(self, runs: Set[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the stems of each run. All runs are searched at once."""
        contained: dict[str, tuple[str, ...]] = dict.fromkeys(runs, ())
        text = " ".join(runs)
        for stem in [stem for stem in self.searched if stem in text]:
            contained.update({run: (*contained[run], stem) for run in runs if stem in run})
        return contained


_RUN = lazy_pattern("[a-z]{3,}")
"""A run of letters. Stems lie within one run and are at least as long."""
_MAX_RUNS = 1 << 16
"""Maximum number of cached runs. Above it, the cache is cleared."""
