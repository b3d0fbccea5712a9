"""Where the tests find the project, its sample sessions and, where they are at hand, recordings of other programs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SESSIONS = ROOT / "sessions"
DATA = ROOT.parent / "shared" / "data"
"""Recordings that are not part of the project. The tests that need them skip without them."""


def some_of_each(paths: Iterable[Path], most: int) -> list[Path]:
    """Return the first recordings of each folder of `DATA`; all of them with SEARCH=1.

    Args:
        paths: Recordings.
        most: How many of a folder. Those of one program are alike.
    """
    folders: dict[str, list[Path]] = {}
    for path in sorted(paths):
        folders.setdefault(path.relative_to(DATA).parts[0], []).append(path)
    return [path for each in folders.values() for path in (each if "SEARCH" in os.environ else each[:most])]
