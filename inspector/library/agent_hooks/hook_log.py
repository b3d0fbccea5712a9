"""The private log of hooks that failed: one line each, without any text of a conversation."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from inspector.core.crash import log_folder
from inspector.core.text import make_private_folder

_NAME = "hooks.log"
_MAX_BYTES = 1_000_000
"""Size of the log in bytes after which a new one is started."""


def log_failure(error: BaseException) -> None:
    """Add a line with the time and the type of an exception to the log. Never raises."""
    with suppress(Exception):
        folder = log_folder()
        make_private_folder(folder)
        path = folder / _NAME
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        if path.exists() and path.stat().st_size > _MAX_BYTES:
            flags |= os.O_TRUNC
        kind = type(error)
        line = f"{datetime.now().astimezone():%Y-%m-%dT%H:%M:%S%z} {kind.__module__}.{kind.__qualname__}\n"
        handle = os.open(path, flags, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)


def hook_failures() -> tuple[Path, int]:
    """Return the log of hooks that failed, and the number of its lines."""
    path = log_folder() / _NAME
    try:
        return path, path.read_bytes().count(b"\n")
    except OSError:
        return path, 0
