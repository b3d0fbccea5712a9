"""Text and files of any kind: what a terminal may be shown, cells, glyphs, JSON, writing whole files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.text.files import (
        SIDECARS,
        digest_of_file,
        has_content,
        is_database,
        is_sidecar,
        is_source,
        is_stream,
        lock_folder,
        make_private_file,
        make_private_folder,
        publish,
        same_file,
        slug,
        stage_file,
        sync_folder,
        tighten,
        write_whole,
    )
    from inspector.text.glyphs import GLYPHS, LETTERS, LOSSY, REGRETTED, REVERSIBLE
    from inspector.text.json_text import dumps, exact_dumps, loads, plain_dumps, plain_text, printable_json
    from inspector.text.layout import (
        cells,
        clip,
        clipped,
        clipped_words,
        ends,
        filled,
        fold,
        head,
        lines_of,
        pad,
        wrapped,
    )
    from inspector.text.numbers import dollars, percent, plural, turn_name
    from inspector.text.sanitize import CONTROL, harmless, one_line, visible, without_controls
    from inspector.text.scatter import BEST, HASTY, OFF, ON, UNFIT, Cellular, Plane, Point, share_at
    from inspector.text.words import word_set

__all__ = [
    "BEST",
    "CONTROL",
    "GLYPHS",
    "HASTY",
    "LETTERS",
    "LOSSY",
    "OFF",
    "ON",
    "REGRETTED",
    "REVERSIBLE",
    "SIDECARS",
    "UNFIT",
    "Cellular",
    "Plane",
    "Point",
    "cells",
    "clip",
    "clipped",
    "clipped_words",
    "digest_of_file",
    "dollars",
    "dumps",
    "ends",
    "exact_dumps",
    "filled",
    "fold",
    "harmless",
    "has_content",
    "head",
    "is_database",
    "is_sidecar",
    "is_source",
    "is_stream",
    "lines_of",
    "loads",
    "lock_folder",
    "make_private_file",
    "make_private_folder",
    "one_line",
    "pad",
    "percent",
    "plain_dumps",
    "plain_text",
    "plural",
    "printable_json",
    "publish",
    "same_file",
    "share_at",
    "slug",
    "stage_file",
    "sync_folder",
    "tighten",
    "turn_name",
    "visible",
    "without_controls",
    "word_set",
    "wrapped",
    "write_whole",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.text.files": (
            "SIDECARS digest_of_file has_content is_database is_sidecar is_source is_stream lock_folder "
            "make_private_file make_private_folder publish same_file slug stage_file sync_folder tighten write_whole"
        ),
        "inspector.text.glyphs": "GLYPHS LETTERS LOSSY REGRETTED REVERSIBLE",
        "inspector.text.words": "word_set",
        "inspector.text.json_text": "dumps exact_dumps loads plain_dumps plain_text printable_json",
        "inspector.text.layout": "cells clip clipped clipped_words ends filled fold head lines_of pad wrapped",
        "inspector.text.numbers": "dollars percent plural turn_name",
        "inspector.text.sanitize": "CONTROL harmless one_line visible without_controls",
        "inspector.text.scatter": "BEST Cellular HASTY OFF ON Plane Point UNFIT share_at",
    },
)
