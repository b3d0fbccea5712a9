"""Files on disk as sessions.

A format knows how its files look (`recognize`) and how to read them (`read`). Files are told apart by content, never by
name; see `base` for what a format is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.formats.alignment import pieces_in
    from inspector.formats.base import HOLDINGS, Format, Growing, GrowingFiles, Holding, Recognition, RewrittenError
    from inspector.formats.claude_code.body import FileBody
    from inspector.formats.companion import Companion, companion_path, digest_of, fit_text, request_path
    from inspector.formats.growing import growing_files_of, growing_of, part_of
    from inspector.formats.locomo import Dialogue, Question, read_dialogues
    from inspector.formats.registry import FORMATS, files_of, find, is_log, load, passed_over, stays_in_file, tail
    from inspector.formats.sample import Content
    from inspector.formats.source import Progress, Source, UnreadableError
    from inspector.formats.writers import WRITERS, Conversation, FileForm

__all__ = [
    "FORMATS",
    "HOLDINGS",
    "WRITERS",
    "Companion",
    "Content",
    "Conversation",
    "Dialogue",
    "FileBody",
    "FileForm",
    "Format",
    "Growing",
    "GrowingFiles",
    "Holding",
    "Progress",
    "Question",
    "Recognition",
    "RewrittenError",
    "Source",
    "UnreadableError",
    "companion_path",
    "digest_of",
    "files_of",
    "find",
    "fit_text",
    "growing_files_of",
    "growing_of",
    "is_log",
    "load",
    "part_of",
    "passed_over",
    "pieces_in",
    "read_dialogues",
    "request_path",
    "stays_in_file",
    "tail",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.formats.alignment": "pieces_in",
        "inspector.formats.base": "Format Growing GrowingFiles HOLDINGS Holding Recognition RewrittenError",
        "inspector.formats.companion": "Companion companion_path digest_of fit_text request_path",
        "inspector.formats.growing": "growing_files_of growing_of part_of",
        "inspector.formats.sample": "Content",
        "inspector.formats.locomo": "Dialogue Question read_dialogues",
        "inspector.formats.registry": "FORMATS files_of find is_log load passed_over stays_in_file tail",
        "inspector.formats.claude_code.body": "FileBody",
        "inspector.formats.source": "Progress Source UnreadableError",
        "inspector.formats.writers": "Conversation WRITERS FileForm",
    },
)
