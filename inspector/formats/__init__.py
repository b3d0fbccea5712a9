"""Files on disk as sessions, and messages as a provider's request.

A format knows how its files look (`recognise`) and how to read them (`read`). They are told apart by content, in the
order of `FORMATS`; to add one, write its module and put it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.formats.claude_code.tail import glimpse
    from inspector.formats.registry import FORMATS, SUFFIXES, files_read, find, is_log, load, session_file, uncollected
    from inspector.formats.source import Progress, UnreadableError

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Progress",
    "UnreadableError",
    "files_read",
    "find",
    "glimpse",
    "is_log",
    "load",
    "session_file",
    "uncollected",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.formats.claude_code.tail": "glimpse",
        "inspector.formats.registry": "FORMATS SUFFIXES files_read find is_log load session_file uncollected",
        "inspector.formats.source": "Progress UnreadableError",
    },
)
