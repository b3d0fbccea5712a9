"""Files that another program is writing: where their reading can go on from where it stood."""

from __future__ import annotations

from pathlib import Path

from inspector.formats.base import IncrementalFilesReader, IncrementalReader
from inspector.formats.reading.content import SAMPLE_RECORDS, Content, Sample
from inspector.formats.reading.source import UnreadableError, open_source
from inspector.formats.reading.text_files import lines_of
from inspector.formats.recognition import format_of
from inspector.formats.registry import formats_of_several_files


def incremental_reader_of(path: str | Path) -> tuple[IncrementalReader, Content] | None:
    """A reading of a file of lines that can go on, before the first line.

    None where the file has to be read anew whenever it changes: where it is short, so that its format may not be sure
    yet, where its format reads no line apart, or where it is no file of lines. Raises nothing.
    """
    try:
        content = lines_of(open_source(path))
    except (OSError, UnreadableError, RecursionError):
        return None
    if content is None or content.source.data is not None or len(content.sample.records) < SAMPLE_RECORDS:
        return None
    best = format_of(content.sample)
    incremental = best.incremental(content) if best else None
    return (incremental, content) if incremental else None


def incremental_files_of(path: str | Path) -> IncrementalFilesReader | None:
    """A reading of a session in many files that can go on, before the first of them; None for any other file.

    Raises nothing.
    """
    try:
        return next(
            filter(None, (entry.incremental_files(Path(path)) for entry in formats_of_several_files(Path(path)))), None
        )
    except (OSError, UnreadableError, RecursionError):
        return None


def part_of(path: str | Path) -> Content | None:
    """A file that is read with another one, before its first line; None where it cannot be read line by line."""
    try:
        source = open_source(path)
    except (OSError, UnreadableError):
        return None
    return Content(source, Sample("lines", ())) if source.data is None else None
