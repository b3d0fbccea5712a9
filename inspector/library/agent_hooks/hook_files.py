"""Small private files that hooks keep between their runs, and the last compaction in a transcript.

Agents wait for each hook and for the status line, so only what the interpreter has loaded anyway is imported at once:
`pathlib` and `typing` would double the time of the status line.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

VERDICTS = "verdicts"
"""Kind of the files with the verdict on the last compaction of a session."""
RESULTS = "results"
"""Kind of the files with whole results of tools that were cut for the agent."""
_OF_TRANSCRIPTS = ("answers", "imports")
"""Kinds of the files about a transcript."""
_MAX_KEY, _MAX_FILE = 64, 1 << 20
_MAX_FILES = 500
"""Number of files in a folder of hooks, above which the oldest are deleted."""
_BOUNDARIES = (b'"compact_boundary"', b'"type":"compacted"', b'"type": "compacted"')
"""The record of a compaction in transcripts of Claude Code and of Codex. Quotations of it are escaped."""


def hook_folder(kind: str) -> str:
    """Return the folder of one kind of files, which may not exist."""
    name, default = ("LOCALAPPDATA", "~") if sys.platform == "win32" else ("XDG_STATE_HOME", "~/.local/state")
    return os.path.join(os.environ.get(name) or os.path.expanduser(default), "inspector", "hooks", kind)


def key_of(name: str) -> str:
    """Return a file name for a session's id or a path."""
    if len(name) <= _MAX_KEY and name.isascii() and name.replace("-", "a").isalnum():
        return name
    from hashlib import blake2b

    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def read_hook_file(kind: str, name: str) -> dict[str, object]:
    """Return the values of a file; an empty dict if it is missing or damaged. Never raises."""
    with suppress(OSError, ValueError, RecursionError):
        with open(os.path.join(hook_folder(kind), f"{name}.json"), "rb") as file:
            values = json.loads(file.read(_MAX_FILE))
        return values if isinstance(values, dict) else {}
    return {}


def write_hook_file(kind: str, name: str, values: dict[str, object]) -> None:
    """Write a file atomically, readable only by its owner.

    Raises:
        OSError: If it cannot be written.
    """
    keep_text(kind, name, json.dumps(values))


def keep_text(kind: str, name: str, text: str) -> str:
    """Write a text in ASCII to a file as `write_hook_file` does, and return its path.

    Raises:
        OSError: If it cannot be written.
    """
    folder = _made_folder(kind)
    path, part = os.path.join(folder, f"{name}.json"), os.path.join(folder, f".{name}.{os.getpid()}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("ascii"))
        is_new = not os.path.exists(path)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    if is_new:
        _delete_oldest(folder)
    return path


def _made_folder(kind: str) -> str:
    folder = hook_folder(kind)
    if not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.chmod(os.path.dirname(folder), 0o700)
        os.chmod(folder, 0o700)
    return folder


def _delete_oldest(folder: str) -> None:
    paths = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".json")]
    if len(paths) > _MAX_FILES:
        for path in sorted(paths, key=os.path.getmtime)[: len(paths) - _MAX_FILES // 2]:
            with suppress(OSError):
                os.unlink(path)


def forget_session(session_id: str, path: str, calls: Iterable[str]) -> None:
    """Delete all files about a session. Never raises.

    Args:
        session_id: Id that the agent gave it.
        path: Its transcript; empty if it has none.
        calls: Ids of its tool calls.
    """
    names = [(VERDICTS, session_id), *((RESULTS, call) for call in calls)]
    names += [(kind, path) for kind in _OF_TRANSCRIPTS if path]
    for kind, name in names:
        if name:
            with suppress(OSError):
                os.unlink(os.path.join(hook_folder(kind), f"{key_of(name)}.json"))


@contextmanager
def try_lock(name: str) -> Iterator[bool]:
    """Hold a lock for the duration of the block. Yields False at once if another process holds it.

    Raises:
        OSError: If the file of the lock cannot be opened.
    """
    handle = hold_lock(name)
    try:
        yield handle is not None
    finally:
        release_lock(handle)


def hold_lock(name: str) -> int | None:
    """Return a descriptor that holds a lock until it is closed, also in programs that inherit it.

    Returns:
        The descriptor, -1 on systems without locks (Windows), or None if another process holds the lock.

    Raises:
        OSError: If the file of the lock cannot be opened.
    """
    try:
        import fcntl
    except ImportError:  # not available on Windows
        return -1
    handle = os.open(os.path.join(_made_folder("work"), f"{name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def release_lock(handle: int | None) -> None:
    """Close the descriptor of a lock. A program that inherited it still holds the lock."""
    if handle is not None and handle >= 0:
        os.close(handle)


def last_boundary(path: str | os.PathLike[str], end: int | None = None, start: int = 0) -> int:
    """Return the offset of the line of the last compaction in a transcript; -1 without one.

    Args:
        path: The transcript.
        end: Offset before which the line begins; the end of the file by default.
        start: Offset from which the file is searched.

    Raises:
        OSError: If the file cannot be read.
    """
    import mmap

    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            return -1
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as view:
            place = max(view.rfind(mark, max(start, 0), size if end is None else end) for mark in _BOUNDARIES)
            return view.rfind(b"\n", 0, place) + 1 if place >= 0 else -1
