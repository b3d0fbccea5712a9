"""Lines at the end of a file."""

from __future__ import annotations

import os
from pathlib import Path


def append_line(path: Path, text: str) -> None:
    """Append a line, wholly or not at all.

    Raises:
        OSError: It cannot be written. The file is as before.
    """
    data = text.encode("utf-8", "replace") + b"\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        size = os.fstat(handle).st_size
        try:
            while data:
                data = data[os.write(handle, data) :]
        except OSError:
            os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)
