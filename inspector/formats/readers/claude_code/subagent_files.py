"""Which session the file of a sub-agent belongs to, where it lies among those of all sessions."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_HEAD = 64 << 10
"""Bytes of the first line that are read: the ids precede the text."""
_OWNER = re.compile(rb'"sessionId" ?: ?"([\w-]{1,100})"')
_SIDECHAIN = re.compile(rb'"isSidechain" ?: ?true')


def owner_of(path: Path) -> str:
    """The id of the session that started the sub-agent whose file this is; "" where it does not say. Never raises."""
    try:
        state = path.stat()
    except OSError:
        return ""
    is_complete = state.st_size >= _HEAD  # what comes behind that is not looked at
    return _owner_in(path, state.st_ino, 0 if is_complete else state.st_mtime_ns)


@lru_cache(maxsize=10_000)
def _owner_in(path: Path, _inode: int, _state: int) -> str:
    try:
        with path.open("rb") as file:
            head = file.readline(_HEAD)
    except OSError:
        return ""
    owner = _OWNER.search(head) if _SIDECHAIN.search(head) else None
    return owner[1].decode() if owner else ""
