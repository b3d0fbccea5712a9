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
        locked_folder,
        make_private_file,
        make_private_folder,
        put,
        same_file,
        slug,
        staged,
        sync_folder,
        tighten,
        write_whole,
    )
    from inspector.text.glyphs import GLYPHS, LETTERS, LOSSY, REGRETTED, REVERSIBLE, percent
    from inspector.text.json_text import dumps, exact_dumps, loads, plain_dumps, plain_text
    from inspector.text.layout import clipped, clipped_words, fold, wrapped
    from inspector.text.sanitize import CONTROL, one_line, visible
    from inspector.text.scatter import BEST, OFF, ON, UNFIT, Cellular, Plane, Point, share_at

__all__ = [
    "BEST",
    "CONTROL",
    "GLYPHS",
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
    "clipped",
    "clipped_words",
    "digest_of_file",
    "dumps",
    "exact_dumps",
    "fold",
    "has_content",
    "is_database",
    "is_sidecar",
    "is_source",
    "is_stream",
    "loads",
    "locked_folder",
    "make_private_file",
    "make_private_folder",
    "one_line",
    "percent",
    "plain_dumps",
    "plain_text",
    "put",
    "same_file",
    "share_at",
    "slug",
    "staged",
    "sync_folder",
    "tighten",
    "visible",
    "wrapped",
    "write_whole",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.text.files": (
            "SIDECARS digest_of_file has_content is_database is_sidecar is_source is_stream locked_folder "
            "make_private_file make_private_folder put same_file slug staged sync_folder tighten write_whole"
        ),
        "inspector.text.glyphs": "GLYPHS LETTERS LOSSY REGRETTED REVERSIBLE percent",
        "inspector.text.json_text": "dumps exact_dumps loads plain_dumps plain_text",
        "inspector.text.layout": "clipped clipped_words fold wrapped",
        "inspector.text.sanitize": "CONTROL one_line visible",
        "inspector.text.scatter": "BEST Cellular OFF ON Plane Point UNFIT share_at",
    },
)
