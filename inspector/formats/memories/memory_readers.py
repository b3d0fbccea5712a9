"""Readers of memory stores in single files, and their registry.

Other distributions add readers at the entry point `inspector.memories`: classes that inherit from `MemoryReader`.
"""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Protocol

from inspector.core.plugins import PluginError, Registry, checked_instance
from inspector.core.text import one_line, without_controls
from inspector.formats.memories.memory_items import MemoryItem
from inspector.formats.memories.memory_tables import TABLE_KINDS
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.source import UnreadableError


class MemoryReader(Protocol):
    """One way to keep memories in a file. Objects have no state: the registry holds one of each reader."""

    name: str
    """Kind of the stores that it reads, and key of the registry."""
    title: str
    """Description of such a store, with its article: "the notes of Example"."""
    files: ClassVar[tuple[str, ...]] = ()
    """Patterns of file names, such as `*.mem`. Only such files are opened when a folder is searched."""
    places: ClassVar[tuple[str, ...]] = ()
    """Patterns of the user's files, such as `~/.example/*.mem`."""

    @abstractmethod
    def recognize(self, sample: Sample) -> bool:
        """Return True if the file with this sample is such a store. Never raises."""

    @abstractmethod
    def read(self, content: Content) -> Iterable[MemoryItem]:
        """Yield the items of a store.

        Sentences about parts that cannot be read are added to `content.problems`. After an `sqlite3.Error`, the items
        so far are kept and the error is listed as a problem.

        Raises:
            UnreadableError: The file cannot be read.
        """


_OWN = {
    "knowledge-graph": "inspector.formats.memories.memory_json:GraphReader",
    "letta": "inspector.formats.memories.memory_json:LettaReader",
    "memory-export": "inspector.formats.memories.memory_json:ExportReader",
}
_OTHER_KINDS = {"rule-file", "notes", "qdrant", "damaged", *(kind.kind for kind in TABLE_KINDS)} - _OWN.keys()
"""Kinds of stores that readers of plugins may not claim."""


def _checked_reader(name: str, value: Any) -> MemoryReader:
    if name in _OTHER_KINDS:
        raise PluginError(f"there is already a {name}")
    wanted = ("title", "files", "places", "recognize", "read", "name")
    reader: MemoryReader = checked_instance(name, value, "no MemoryReader of inspector.formats", wanted)
    for field, patterns in (("files", reader.files), ("places", reader.places)):
        if isinstance(patterns, str) or not all(isinstance(pattern, str) for pattern in patterns):
            raise PluginError(f"its {field} are not a tuple of patterns")
    return reader


MEMORY_READERS: Registry[MemoryReader] = Registry("inspector.memories", _OWN, _checked_reader)
"""All readers of stores in single files by name, those of plugins last."""


def reader_of(sample: Sample) -> MemoryReader | None:
    """Return the reader of a file with this sample, or None. A plugin that raises an error is no longer used."""
    for name in [*MEMORY_READERS]:
        try:
            if MEMORY_READERS[name].recognize(sample):
                return MEMORY_READERS[name]
        except Exception as error:
            if name in MEMORY_READERS.own:
                raise
            MEMORY_READERS.disable(name, error)
    return None


def items_read(reader: MemoryReader, content: Content) -> Iterator[MemoryItem]:
    """Yield the items that a reader finds in a file.

    Raises:
        UnreadableError: The file cannot be read, or the reader of a plugin failed.
    """
    path = content.source.path
    try:
        for item in reader.read(content):
            if not isinstance(item, MemoryItem):
                raise TypeError(f"{type(item).__name__} is no MemoryItem")
            yield item
    except sqlite3.Error as error:
        content.problems.add(f"the database could not be read to its end ({without_controls(str(error))})")
    except (UnreadableError, OSError, RecursionError, MemoryError):
        raise
    except Exception as error:
        if reader.name in MEMORY_READERS.own:
            raise
        why = f"{type(error).__name__}: {one_line(str(error))}"
        raise UnreadableError(path, f"{path} cannot be read by the plugin {reader.name}: {why}.") from error


def is_plugin_file(name: str) -> bool:
    """Return True if a file name matches a pattern that the reader of a plugin declares."""
    patterns = (pattern for reader in MEMORY_READERS.added.values() for pattern in reader.files)
    return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


def plugin_places() -> list[str]:
    """Return the patterns of the user's files that the readers of plugins declare."""
    return [pattern for reader in MEMORY_READERS.added.values() for pattern in reader.places]
