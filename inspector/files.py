"""Writing files: whole or not at all, and never over a recording."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

UNFIT = re.compile(r"[^a-z0-9]+")
"""What has no place in the name of a file."""


def is_source(path: Path, source: str) -> bool:
    """Whether a path is the recording that a session was read from, under whatever name."""
    return bool(source) and path.exists() and Path(source).exists() and path.samefile(source)


def write_whole(path: Path, text: str) -> None:
    """Write a text file in one step: a reader sees the old one or the new one, never half of either.

    A link is followed. Raises OSError when the place cannot be written, or is no regular file.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is not a regular file")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        Path(name).chmod(0o666 & ~current_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def slug(title: str, longest: int = 40) -> str:
    """A title as the beginning of a file name."""
    words = UNFIT.sub("-", title.lower()).strip("-")
    return words[:longest].rstrip("-") or "session"
