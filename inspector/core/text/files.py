"""Files that Inspector writes: atomic replacement, protection of existing files, and private permissions."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path

_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700
_OTHERS = 0o077
"""Permissions of the group and of others, which Inspector's own files do not grant."""
_DATABASE = b"SQLite format 3\0"
"""First bytes of every SQLite database."""
SIDECARS = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps next to a database. The latest changes can be in one of these only."""
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_UNFIT = re.compile(r"[^a-z0-9]+")
"""Characters that are replaced in file names."""
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})")


def is_source(path: Path, source: str) -> bool:
    """Return True if a path refers to the recording that a session was read from, under any name."""
    return bool(source) and same_file(path, Path(source))


def same_file(one: Path, other: Path) -> bool:
    """Return True if two paths refer to the same existing file, including links and different spellings."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def is_database(path: Path) -> bool:
    """Return True if a file is an SQLite database, of any program."""
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def is_sidecar(path: Path) -> bool:
    """Return True if a path is named like a file that SQLite keeps next to an existing database."""
    whole = path.resolve()
    names = [whole.name.removesuffix(suffix) for suffix in SIDECARS if whole.name.endswith(suffix)]
    return any(name and is_database(whole.with_name(name)) for name in names)


def is_team_address(text: str) -> bool:
    """Return True if a text in place of a store's file is the address of a team's store on PostgreSQL."""
    return text.startswith(("postgresql://", "postgres://"))


def is_stream(path: Path) -> bool:
    """Return True if writing to a path replaces nothing: a pipe, a device, or a descriptor such as /dev/stdout."""
    return _descriptor_of(path) is not None or _is_special(path)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _descriptor_of(path: Path) -> int | None:
    """Return the file descriptor that a path such as /dev/stdout or /dev/fd/63 names, or None for any other path."""
    name = str(path)
    match = _DESCRIPTOR.fullmatch(name)
    return int(match[1]) if match else _STREAMS.get(name)


def has_content(path: Path) -> bool:
    """Return True if writing to a path would overwrite something."""
    return os.path.lexists(path) and not (path.is_file() and path.stat().st_size == 0)


def write_whole(path: Path, text: str, replace: bool = True, mode: int = _PRIVATE_FILE) -> None:
    """Write a text file atomically, so that readers see either the old or the new content. Links are followed.

    Args:
        path: File, pipe or device to write to.
        text: Content of the file.
        replace: True to overwrite a file that has content.
        mode: Permissions of the file.

    Raises:
        OSError: The path cannot be written to.
        FileExistsError: The file has content and `replace` is False.
    """
    with stage_file(path, text, replace, mode):
        pass


@contextmanager
def stage_file(path: Path, text: str, replace: bool = True, mode: int = _PRIVATE_FILE) -> Iterator[None]:
    """Write a text to a temporary file next to `path`, and move it to `path` when the block ends.

    If the block raises, the file is unchanged. Almost everything that can fail is done before the block begins. A pipe
    or a device receives its text before the block, too.

    Args:
        path: File, pipe or device to write to. Links are followed.
        text: Content of the file.
        replace: True to overwrite a file that has content.
        mode: Permissions of the file.

    Raises:
        OSError: The path cannot be written to.
        FileExistsError: The file has content and `replace` is False.
    """
    if is_stream(path):
        _write_stream(path, text)
        yield
        return
    path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not replace and has_content(path):
        raise _exists(path)
    replace = replace or path.exists()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            part.chmod(mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield
        publish(part, path, replace)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


def publish(part: Path, path: Path, replace: bool) -> None:
    """Move a finished temporary file to its final path.

    Args:
        part: The temporary file.
        path: The final path, in the same file system.
        replace: True to overwrite an existing file.

    Raises:
        FileExistsError: `replace` is False, and another program has created the file.
        OSError: The file cannot be moved.
    """
    if not replace:
        try:
            os.link(part, path)
            return
        except FileExistsError:
            raise
        except OSError:  # file system without hard links
            if path.exists():
                raise _exists(path) from None
    part.replace(path)


def _exists(path: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def _write_stream(path: Path, text: str) -> None:
    """Write a text to a pipe, a device or an open descriptor, after its existing content."""
    number = _descriptor_of(path)
    handle = os.open(path, os.O_WRONLY) if number is None else os.dup(number)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def sync_folder(folder: Path) -> None:
    """Flush a directory to disk, so that a new file name survives a power failure, if the system supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a directory for the duration of the block, waiting for other Inspector processes that hold the lock.

    Without file locks (on Windows and some file systems) the block runs unprotected, and the last writer wins.

    Raises:
        OSError: The directory cannot be opened.
    """
    try:
        import fcntl
    except ImportError:  # not available on Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def digest_of_file(path: Path) -> bytes:
    """Return the SHA-256 digest of a file's content.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.digest()


# private to their owner


def make_private_folder(folder: Path) -> None:
    """Create a directory and its missing parents, accessible only by their owner whatever the umask.

    Raises:
        OSError: A directory cannot be created.
    """
    parents = []
    while not folder.exists():
        parents.append(folder)
        folder = folder.parent
    for folder in reversed(parents):
        folder.mkdir(_PRIVATE_FOLDER, exist_ok=True)
        folder.chmod(_PRIVATE_FOLDER)


def make_private_file(path: Path) -> None:
    """Create an empty file that only its owner can access, unless the file exists.

    Raises:
        OSError: The file cannot be created.
    """
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE)
    except FileExistsError:
        if path.exists():
            return
        handle = os.open(path, os.O_CREAT | os.O_RDWR, _PRIVATE_FILE)  # a dangling link
    os.close(handle)
    path.chmod(_PRIVATE_FILE)


def restrict_permissions(path: Path) -> bool:
    """Remove the permissions of the group and of others from a file or directory.

    Returns:
        True if permissions were removed. False if there were none, or they cannot be changed.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if os.name == "nt" or not mode & _OTHERS:
            return False
        path.chmod(mode & ~_OTHERS)
    except OSError:  # owned by someone else, or on a read-only file system
        return False
    return True


def slug(title: str, longest: int = 40) -> str:
    """Convert a title to the stem of a file name, at most `longest` characters."""
    words = _UNFIT.sub("-", title.lower()).strip("-")
    return words[:longest].rstrip("-") or "session"


def has_path_end(names: Sequence[str], pattern: str) -> bool:
    """Return True if the last names of a path match a pattern, name by name.

    Args:
        names: The names of the path's folders and of its file.
        pattern: Patterns for names, separated by slashes: `.cursor/rules/*.mdc`.
    """
    parts = pattern.split("/")
    return len(parts) <= len(names) and all(map(fnmatchcase, names[-len(parts) :], parts))
