"""Tables of the words that mark sentences, each with the pattern that decides."""

from __future__ import annotations

import re
from collections.abc import Mapping

Marks = Mapping[str, re.Pattern[str]]
"""Words in small letters without which no sentence is of a class, each with the pattern that decides."""


def mark_table(*rows: tuple[str, str], flags: int = re.IGNORECASE) -> Marks:
    """A table from rows of marks, with `|` between them, and their pattern; a mark of several rows has all."""
    patterns: dict[str, list[str]] = {}
    for marks, pattern in rows:
        for mark in marks.split("|"):
            patterns.setdefault(mark, []).append(pattern)
    return {mark: re.compile("|".join(several), flags) for mark, several in patterns.items()}


def joined(one: Marks, other: Marks) -> Marks:
    """Two tables as one; a mark that stands in both has either pattern. Both are made with the same flags."""
    shared = {
        mark: re.compile(f"{one[mark].pattern}|{other[mark].pattern}", one[mark].flags)
        for mark in one.keys() & other.keys()
    }
    return {**one, **other, **shared}
