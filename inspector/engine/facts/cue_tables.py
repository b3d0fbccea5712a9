"""Tables of cue phrases, each with the pattern that decides whether a sentence belongs to a class."""

from __future__ import annotations

import re
from collections.abc import Mapping

Marks = Mapping[str, re.Pattern[str]]
"""Lowercase cue phrases without which no sentence is of a class, each with the pattern that decides."""


def mark_table(*rows: tuple[str, str], flags: int = re.IGNORECASE) -> Marks:
    """Build a table from rows of `|`-separated cue phrases and a pattern.

    A phrase in several rows matches any of their patterns.
    """
    patterns: dict[str, list[str]] = {}
    for marks, pattern in rows:
        for mark in marks.split("|"):
            patterns.setdefault(mark, []).append(pattern)
    return {mark: re.compile("|".join(several), flags) for mark, several in patterns.items()}


def joined(one: Marks, other: Marks) -> Marks:
    """Merge two tables with the same flags. A phrase in both matches either pattern."""
    shared = {
        mark: re.compile(f"{one[mark].pattern}|{other[mark].pattern}", one[mark].flags)
        for mark in one.keys() & other.keys()
    }
    return {**one, **other, **shared}
