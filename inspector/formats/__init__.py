"""Files on disk as sessions.

A format knows how its files look (`sniff`) and how to read them (`read`). Files are told apart by content, never by
name; see `base` for what a format is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.formats.base import Format
    from inspector.formats.claude_code.body import FileBody
    from inspector.formats.locomo import Dialogue, Question, read_dialogues
    from inspector.formats.registry import FORMATS, files_of, find, is_log, load, stays_in_file, tail
    from inspector.formats.source import Progress, Source, UnreadableError

__all__ = [
    "FORMATS",
    "Dialogue",
    "FileBody",
    "Format",
    "Progress",
    "Question",
    "Source",
    "UnreadableError",
    "files_of",
    "find",
    "is_log",
    "load",
    "read_dialogues",
    "stays_in_file",
    "tail",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.formats.base": "Format",
        "inspector.formats.locomo": "Dialogue Question read_dialogues",
        "inspector.formats.registry": "FORMATS files_of find is_log load stays_in_file tail",
        "inspector.formats.claude_code.body": "FileBody",
        "inspector.formats.source": "Progress Source UnreadableError",
    },
)
