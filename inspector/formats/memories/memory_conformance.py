"""Conformance checks for readers of memory stores, used by the authors of plugins. See `inspector.testing`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import get_args

from inspector.formats.format_conformance import damaged_copy, folder_contents, odd_samples
from inspector.formats.memories.memory_items import LOAD_TYPES, ItemKind, MemoryEventKind, MemoryItem
from inspector.formats.memories.memory_readers import MEMORY_READERS, MemoryReader
from inspector.formats.reading.content import Sample
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.source import UnreadableError


def check_memory_store(reader: MemoryReader, files: Iterable[str | Path], *, seed: int = 0, rounds: int = 40) -> None:
    """Check the reader of a memory store with files, and with damaged copies of them.

    Args:
        reader: An object of the reader's class.
        files: At least one file of this kind.
        seed: Seed of the first damaged copy. The same seed damages in the same way.
        rounds: Number of damaged copies of each file.

    Raises:
        AssertionError: A rule is violated. The message names the rule and the file.
    """
    paths = [*map(Path, files)]
    assert paths, "a reader is checked with at least one file"
    assert reader.name and reader.title, "a reader has a name and a title"
    for sample in odd_samples():
        _is_recognized(reader, sample, str(sample))
    for path in paths:
        _check_recognition(reader, path)
        _check_items(reader, path)
        for number in range(seed, seed + rounds):
            _check_damaged_copy(reader, path, number)


def _is_recognized(reader: MemoryReader, sample: Sample, where: str) -> bool:
    try:
        answer = reader.recognize(sample)
    except Exception as error:
        raise AssertionError(f"recognize never raises, not even {error!r} ({where})") from error
    assert isinstance(answer, bool), f"recognize returns True or False, and not {answer!r} ({where})"
    return answer


def _check_recognition(reader: MemoryReader, path: Path) -> None:
    sample = open_content(path).sample
    assert _is_recognized(reader, sample, str(path)), f"the reader recognizes its own file ({path})"
    others = [name for name in MEMORY_READERS.own if name != reader.name and MEMORY_READERS[name].recognize(sample)]
    assert not others, f"no reader of Inspector recognizes the file: {', '.join(others)} ({path})"


def _check_items(reader: MemoryReader, path: Path) -> None:
    before = folder_contents(path.parent)
    items = [*reader.read(open_content(path))]
    assert folder_contents(path.parent) == before, f"read writes nothing ({path})"
    assert items, f"read yields an item, or raises UnreadableError ({path})"
    ids = [item.id for item in items]
    assert all(ids) and len(set(ids)) == len(ids), f"item ids are unique in a file, and not empty ({path})"
    assert items == [*reader.read(open_content(path))], f"a file gives the same items twice ({path})"
    for item in items:
        _check_item(item, f"{path}, item {item.id}")


def _check_item(item: MemoryItem, where: str) -> None:
    assert isinstance(item.text, str) and item.text.strip(), f"an item has a text ({where})"
    assert item.kind in get_args(ItemKind), f"kind is one of {', '.join(get_args(ItemKind))} ({where})"
    assert item.load in LOAD_TYPES, f"load is one of {', '.join(LOAD_TYPES)} ({where})"
    _check_times([item.created, item.updated, item.expires, *(event.time for event in item.history)], where)
    events = {event.event for event in item.history}
    assert events <= {*get_args(MemoryEventKind)}, f"events are {', '.join(get_args(MemoryEventKind))} ({where})"
    assert 0 <= item.line <= item.end or not item.end, f"line is the first and end the last line ({where})"
    assert len(item.embedding) % 4 == 0, f"embedding holds little-endian float32 numbers ({where})"


def _check_times(times: Sequence[str], where: str) -> None:
    for time in filter(None, times):
        try:
            moment = datetime.fromisoformat(time)
        except ValueError:
            raise AssertionError(f"times are ISO 8601, and not {time!r} ({where})") from None
        assert moment.tzinfo, f"times have a time zone: {time!r} has none ({where})"


def _check_damaged_copy(reader: MemoryReader, path: Path, seed: int) -> None:
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        copy.write_bytes(damaged_copy(Random(f"memories {seed}"), path.read_bytes()))
        where = f"a damaged copy of {path}, seed {seed}"
        try:
            content = open_content(copy)
            if _is_recognized(reader, content.sample, where):
                assert all(isinstance(item.text, str) for item in reader.read(content)), f"texts are str ({where})"
        except (AssertionError, sqlite3.Error, UnreadableError) as error:
            if isinstance(error, AssertionError):
                raise
        except Exception as error:
            raise AssertionError(f"read raises UnreadableError, and not {error!r} ({where})") from error
