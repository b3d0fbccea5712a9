"""The data by which a format is chosen before its reader is imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import cast

from inspector.core.text import word_set
from inspector.formats.reading.content import Sample, Shape
from inspector.formats.session_places import SessionPlace

JSON_SHAPES: frozenset[Shape] = frozenset({"object", "list", "lines"})
_VALUES = ("type", "kind", "role")
"""Fields whose values can be part of a hint."""


@dataclass(frozen=True)
class FormatEntry:
    """Title and recognition hints of a format."""

    title: str
    """Display name of such files."""
    shapes: frozenset[Shape] = JSON_SHAPES
    """Shapes of file that the format is tried on."""
    hints: Mapping[float, str] = field(default_factory=lambda: {1.0: ""})
    """Highest confidence that `Format.recognize` can return for a file with certain names.

    The names of a file are the fields of a record, the tables and columns of a database, or the members of an archive.
    `type=user` is a field with this value; `type`, `kind` and `role` can be used this way. A final `*` matches
    any ending. Alternatives are separated by `|`, and one record must have all names of an alternative:
    `{1.0: "type uuid | type=summary"}`. An empty alternative matches every file.
    """
    fields: frozenset[str] = frozenset()
    """Fields that name this format as the nearest one to a file that is not supported."""
    files: tuple[str, ...] = ()
    """Patterns for the end of a path (see `Path.match`) of files that are read together with others."""
    suffixes: frozenset[str] = frozenset()
    """Lower-case suffixes of such files that most other files also have: in a folder, these are opened and looked at.

    Files with a suffix of JSON, databases or archives are found without being opened.
    """

    places: tuple[SessionPlace, ...] = ()
    """Folders in which tools keep files of this format, for `inspector discover` and the library."""

    @cached_property
    def _alternatives(self) -> list[tuple[float, list[frozenset[str]]]]:
        """Sets of names by confidence, highest first."""
        hints = sorted(self.hints.items(), reverse=True)
        return [(confidence, [word_set(words) for words in text.split("|")]) for confidence, text in hints]

    def ceiling(self, names: Iterable[frozenset[str]]) -> float:
        """Return the highest confidence that the format can have for a file with these names, or 0.0."""
        records = [*names] or [frozenset()]
        for confidence, alternatives in self._alternatives:
            if any(_has_all(record, words) for words in alternatives for record in records):
                return confidence
        return 0.0

    def may_read_with_others(self, path: Path) -> bool:
        """Return True if a file may be read together with other files."""
        return any(path.match(pattern) for pattern in self.files)


@dataclass(frozen=True)
class OwnEntry(FormatEntry):
    """Entry of a format of this package."""

    target: str = ""
    """Class or object of the format, as `module:name`."""


def own_entry(
    target: str,
    title: str,
    hints: Mapping[float, str] | None = None,
    *,
    shapes: str = "object list lines",
    fields: str = "",
    files: str = "",
    suffixes: str = "",
) -> OwnEntry:
    """Return an entry, given sets as words and the reader's module below `inspector.formats.readers`.

    Args:
        target: Module and class of the reader, below `inspector.formats.readers`.
        title: Name of the format for people.
        hints: Scores of the marks by which the format is recognized.
        shapes: Shapes of its files.
        fields: Fields that it records.
        files: Names of its files.
        suffixes: Endings of its files.
    """
    return OwnEntry(
        title,
        cast("frozenset[Shape]", word_set(shapes)),
        hints or {1.0: ""},
        word_set(fields),
        tuple(files.split()),
        word_set(suffixes),
        target=f"inspector.formats.readers.{target}",
    )


def _has_all(names: frozenset[str], words: frozenset[str]) -> bool:
    missing = words - names
    return all(word.endswith("*") and any(name.startswith(word[:-1]) for name in names) for word in missing)


def names_in(sample: Sample) -> set[frozenset[str]]:
    """Return the names in each record of a sample, as hints use them.

    For a list, these are the first entry, or the names in it after "[]".
    """
    if sample.shape == "database":
        return {frozenset({*sample.tables}.union(*sample.tables.values()))}
    if sample.shape == "archive":
        return {frozenset({*sample.members, *(name.rpartition("/")[2] for name in sample.members)})}
    firsts = [record[0] for record in sample.records if isinstance(record, list) and record]
    calls = {frozenset({name}) for name in firsts if isinstance(name, str)}
    inner = {frozenset(f"[]{name}" for name in first) for first in firsts if isinstance(first, dict)}
    return {frozenset({*record, *_values_in(record)}) for record in sample.objects} | calls | inner


def _values_in(record: Mapping[str, object]) -> Iterable[str]:
    return (f"{name}={value}" for name in _VALUES if isinstance(value := record.get(name), str))
