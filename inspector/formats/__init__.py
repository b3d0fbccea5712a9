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
    from inspector.formats.request_log import speaks_anthropic
    from inspector.formats.source import Progress, UnreadableError
    from inspector.providers import EXPORTS
    from inspector.providers.request import request

__all__ = [
    "EXPORTS",
    "FORMATS",
    "SUFFIXES",
    "Progress",
    "UnreadableError",
    "files_read",
    "find",
    "glimpse",
    "is_log",
    "load",
    "request",
    "session_file",
    "speaks_anthropic",
    "uncollected",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.formats.claude_code.tail": "glimpse",
        "inspector.formats.registry": "FORMATS SUFFIXES files_read find is_log load session_file uncollected",
        "inspector.formats.request_log": "speaks_anthropic",
        "inspector.formats.source": "Progress UnreadableError",
        "inspector.providers": "EXPORTS",
        "inspector.providers.request": "request",
    },
)
