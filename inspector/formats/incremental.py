"""Readers for files that another program is still writing."""

from __future__ import annotations

from pathlib import Path

from inspector.formats.base import IncrementalFilesReader, IncrementalReader
from inspector.formats.reading.content import SAMPLE_RECORDS, Content, Sample
from inspector.formats.reading.source import UnreadableError, open_source
from inspector.formats.reading.text_files import lines_of
from inspector.formats.recognition import format_of
from inspector.formats.registry import formats_of_several_files


def incremental_reader_of(path: str | Path) -> tuple[IncrementalReader, Content] | None:
    """Return a reader for a growing file of lines, and the opened file, before its first line is read.

    Returns None if the file must be read again when it changes: if it is too short for its format to be certain, if the
    format cannot resume, or if it is not a file of lines. Never raises.
    """
    try:
        content = lines_of(open_source(path))
    except (OSError, UnreadableError, RecursionError):
        return None
    if content is None or content.source.data is not None or len(content.sample.records) < SAMPLE_RECORDS:
        return None
    best = format_of(content.sample)
    incremental = best.incremental(content) if best else None
    if best is None or incremental is None:
        return None
    content.check_order(best.order)
    return incremental, content


def incremental_files_of(path: str | Path) -> IncrementalFilesReader | None:
    """Return a reader for the growing folder that a file belongs to, or None for other files. Never raises."""
    try:
        return next(
            filter(None, (entry.incremental_files(Path(path)) for entry in formats_of_several_files(Path(path)))), None
        )
    except (OSError, UnreadableError, RecursionError):
        return None


def part_of(path: str | Path) -> Content | None:
    """Open a file that is read together with another one. Return None if it cannot be read line by line."""
    try:
        source = open_source(path)
    except (OSError, UnreadableError):
        return None
    return Content(source, Sample("lines", ())) if source.data is None else None
