"""Files of the program's own: written whole or not at all, over nothing unasked, and private to their owner."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700
_OTHERS = 0o077
"""What group and others may do with a file; nothing of it is left on ours."""
_DATABASE = b"SQLite format 3\0"
"""How the file of every SQLite database begins."""
SIDECARS = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database, under its name and these endings: what was written last may be there alone."""
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_UNFIT = re.compile(r"[^a-z0-9]+")
"""What has no place in the name of a file."""
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})")


def is_source(path: Path, source: str) -> bool:
    """Whether a path is the recording that a session was read from, under whatever name."""
    return bool(source) and same_file(path, Path(source))


def same_file(one: Path, other: Path) -> bool:
    """Whether two names stand for one file that is there: links, hard links and spellings of a path count as equal."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, of whatever program."""
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def is_sidecar(path: Path) -> bool:
    """Whether a name is one that SQLite keeps for itself, beside a database that is there."""
    whole = path.resolve()
    names = [whole.name.removesuffix(suffix) for suffix in SIDECARS if whole.name.endswith(suffix)]
    return any(name and is_database(whole.with_name(name)) for name in names)


def is_stream(path: Path) -> bool:
    """Whether writing to a path replaces nothing: a pipe, a device, an open descriptor such as /dev/stdout."""
    return _descriptor_of(path) is not None or _is_special(path)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _descriptor_of(path: Path) -> int | None:
    """The open file that a path such as /dev/stdout or /dev/fd/63 names; None for any other path."""
    name = str(path)
    match = _DESCRIPTOR.fullmatch(name)
    return int(match[1]) if match else _STREAMS.get(name)


def has_content(path: Path) -> bool:
    """Whether something would be lost if a path were written to."""
    return os.path.lexists(path) and not (path.is_file() and path.stat().st_size == 0)


def write_whole(path: Path, text: str, replace: bool = True) -> None:
    """Write a text file in one step: a reader sees the old one or the new one, never half of either.

    A link is followed. Raises OSError when the place cannot be written to, and FileExistsError where there is a file
    with content already and it is not to be replaced.
    """
    with stage_file(path, text, replace):
        pass


@contextmanager
def stage_file(path: Path, text: str, replace: bool = True) -> Iterator[None]:
    """Write a text beside `path`, and put it there when the block ends; when the block fails, all is as it was.

    Whatever can go wrong with the writing has gone wrong before the block begins; a pipe or a device has its text by
    then. Raises OSError as `write_whole` does.
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
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            part.chmod(_PRIVATE_FILE)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield
        publish(part, path, replace)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


def publish(part: Path, path: Path, replace: bool) -> None:
    """Give a finished file its name. Raises FileExistsError where another program was faster."""
    if not replace:
        try:
            os.link(part, path)
            return
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if path.exists():
                raise _exists(path) from None
    part.replace(path)


def _exists(path: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def _write_stream(path: Path, text: str) -> None:
    """Write to a pipe, a device or an open descriptor, behind what was written there before."""
    number = _descriptor_of(path)
    handle = os.open(path, os.O_WRONLY) if number is None else os.dup(number)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder last through a loss of power, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Wait until no other program of ours changes a file in a folder, and make others wait. Raises OSError."""
    try:
        import fcntl
    except ImportError:  # a system without it: the last one who writes wins
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def digest_of_file(path: Path) -> bytes:
    """SHA-256 of a file's content. Raises OSError."""
    with path.open("rb") as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.digest()


# private to their owner


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, for nobody but their owner, whatever the umask."""
    parents = []
    while not folder.exists():
        parents.append(folder)
        folder = folder.parent
    for folder in reversed(parents):
        folder.mkdir(_PRIVATE_FOLDER, exist_ok=True)
        folder.chmod(_PRIVATE_FOLDER)


def make_private_file(path: Path) -> None:
    """Make an empty file for nobody but its owner, if there is none. Raises OSError."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE)
    except FileExistsError:
        if path.exists():
            return
        handle = os.open(path, os.O_CREAT | os.O_RDWR, _PRIVATE_FILE)  # a link to where nothing is yet
    os.close(handle)
    path.chmod(_PRIVATE_FILE)


def restrict_permissions(path: Path) -> bool:
    """Take from others what they may do with a file or folder of ours. Says whether there was anything to take."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if os.name == "nt" or not mode & _OTHERS:
            return False
        path.chmod(mode & ~_OTHERS)
    except OSError:  # somebody else's, or on a file system that only reads
        return False
    return True


def slug(title: str, longest: int = 40) -> str:
    """A title as the beginning of a file name."""
    words = _UNFIT.sub("-", title.lower()).strip("-")
    return words[:longest].rstrip("-") or "session"
