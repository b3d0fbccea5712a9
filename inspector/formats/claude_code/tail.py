"""The end of a long transcript, for a first frame while the rest is still being read.

What the model sees now is what stands after the last compaction, and that is near the end of the file however long the
file is. Positions in a glimpse are not those of the whole log; ids are the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from inspector.conversation import Session
from inspector.formats.claude_code import reader
from inspector.formats.sample import Content, open_content
from inspector.formats.source import Source, UnreadableError

_LONG = 8 << 20
"""Bytes from which on a file is long enough to be glimpsed at."""
_TAIL = 4 << 20
"""Bytes at the end that are searched for the last compaction."""
_BOUNDARY = b'"compact_boundary"'


def glimpse(path: str | Path) -> Session | None:
    """The newest context of a long Claude Code transcript; None for any other file, and where none is found.

    Its title is the name of the file: what gives it a title is likely in the part that was not read.

    Raises nothing: what is wrong with the file is told when all of it is read.
    """
    try:
        if Path(path).stat().st_size < _LONG:
            return None
        whole = open_content(path)
        start = _last_boundary(whole.source)
        if not start or whole.sample.shape != "lines" or not reader.recognise(whole.sample):
            return None
        end = Content(Source(whole.source.path, whole.source.size, start=start), whole.sample)
        sessions = reader.read(end)
    except (OSError, UnreadableError, RecursionError):
        return None
    return replace(sessions[0], title=Path(path).name) if sessions and sessions[0].messages else None


def _last_boundary(source: Source) -> int:
    """The offset of the line with the last compaction; 0 when there is none near the end."""
    if source.held is not None:
        return 0
    first = max(0, source.size - _TAIL)
    with Path(source.path).open("rb") as file:
        file.seek(first)
        tail = file.read()
    found = tail.rfind(_BOUNDARY)
    line = tail.rfind(b"\n", 0, found) + 1 if found >= 0 else 0
    return first + line if line else 0
