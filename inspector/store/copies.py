"""Copies a store: to a backup while it is in use, and to a temporary file that a check or a repair works on.

A damaged file is never opened in place, because SQLite would write its log into it. A damaged beginning, which is the
same in every store, is replaced in the copy.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from inspector.core.text import is_sidecar, make_private_file, make_private_folder, publish, sync_folder
from inspector.store.backups import backups_of
from inspector.store.connections import (
    LOCK_TIMEOUT,
    Connections,
    cause,
    connect,
    files_of,
    is_damage,
    primary_code,
    sentence,
)
from inspector.store.damage import DamagedError, StoreError
from inspector.store.readable_rows import open_leniently, tables_of

_PAGE = 4096
"""Bytes of a page in every store."""
_HEADER = 100
"""Bytes at the beginning of the first page that describe the file."""
_LOG_TABLES = frozenset({"session", "message", "body"})
"""A file that has none of them is no store."""
_OURS_TO_BLAME = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
"""Errors that come from where a copy is written to."""


def save_backup(path: Path, to: Path) -> bool:
    """Copy a store, which other programs may be using, to a new file that only its owner can read.

    Args:
        path: File of the store.
        to: File to write. An existing one is not replaced.

    Returns:
        True if SQLite finds no damage in the copy.

    Raises:
        StoreError: A file cannot be read or written, or `to` exists.
    """
    require_absent(to)
    require_ordinary(to)
    _require_file(path)
    try:
        make_private_folder(to.resolve().parent)
        with TemporaryDirectory(prefix=".inspector-", dir=to.resolve().parent) as folder:
            copy = Path(folder, "store.db")
            make_private_file(copy)
            with closing(connect(str(path))) as source:
                _copy_online(path, source, copy)
            is_whole = _is_whole(copy)
            sync(copy)
            publish(copy, to, replace=False)
        sync_folder(to.resolve().parent)
    except FileExistsError as error:
        raise StoreError(exists(to)) from error
    except TimeoutError as error:
        raise StoreError(f"{path} is being written by another program: try again when it has finished") from error
    except UnicodeDecodeError as error:
        raise DamagedError(cause(error), str(path)) from error
    except sqlite3.Error as error:
        if is_damage(error):
            raise DamagedError(cause(error), str(path)) from error
        raise StoreError(sentence(str(to if primary_code(error) in _OURS_TO_BLAME else path), error)) from error
    except OSError as error:
        raise StoreError(f"{to} cannot be written ({error.strerror or error}): name another file") from error
    return is_whole


def require_absent(path: Path) -> None:
    """Raise StoreError where something has this name already."""
    if os.path.lexists(path):
        raise StoreError(exists(path))


def require_ordinary(path: Path) -> None:
    """Raise StoreError for a name that SQLite keeps for itself: it would delete what lies there."""
    if is_sidecar(path):
        raise StoreError(f"{path} is a name that SQLite reserves for its own files: name another file")


def exists(path: Path) -> str:
    return f"{path} exists: name a file that is not there yet"


def _require_file(path: Path) -> None:
    """Raise StoreError if a path is not a file."""
    if not path.is_file():
        raise StoreError(
            f"{path} is not a file: check the name"
            if path.exists()
            else f"{path} is not there: nothing has been stored yet"
        )


def _is_whole(path: Path) -> bool:
    """Return True if SQLite finds no damage in the pages of a file."""
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.Error, UnicodeDecodeError):
        return bool(connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)])
    return False


def sync(path: Path) -> None:
    """Make a finished file last through a loss of power."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _open_read_only(path: Path) -> sqlite3.Connection:
    """Return a connection that changes nothing, not even by writing the log to the file."""
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=LOCK_TIMEOUT)


def _copy_online(path: Path, source: sqlite3.Connection, copy: Path) -> None:
    """Copy a store that others may be using, all of one moment. Raises sqlite3.Error, and TimeoutError."""
    deadline = time.monotonic() + LOCK_TIMEOUT

    def watch(_status: int, pages: int, _total: int) -> None:
        if pages and time.monotonic() > deadline:  # SQLite itself would wait for ever
            raise TimeoutError(f"{path} is being written")

    with closing(sqlite3.connect(copy)) as target:
        source.backup(target, pages=-1, progress=watch)


@dataclass(frozen=True, slots=True)
class Copy:
    """A working copy of a store's file."""

    path: Path
    backups: list[Path]
    """Automatic backups of the store, the newest first."""
    is_lost: bool
    """True if nothing in the file could be read, so that the copy is an empty store."""
    problems: tuple[str, ...]
    """Damage that was repaired in the copy to make it readable, each a clause."""

    @property
    def repaired(self) -> Path:
        """Path for a repaired store in the same temporary folder."""
        return self.path.with_name("repaired.db")


@contextmanager
def working_copy(path: Path) -> Iterator[Copy]:
    """Yield a copy of a store in a private temporary folder, with a damaged beginning replaced.

    Raises:
        StoreError: The file cannot be copied, or is not a store.
    """
    _require_file(path)
    try:
        with TemporaryDirectory(prefix="inspector-") as folder:
            copy = Path(folder, "store.db")
            make_private_file(copy)
            _copy_database(path, copy)
            problems: list[str] = []
            is_lost = _is_blank(copy)
            if is_lost:
                shutil.copyfile(_empty_store(Path(folder)), copy)
                problems += ["the file is empty, but there are backups of its content"] if backups_of(path) else []
            elif not _is_readable(copy):
                empty = _empty_store(Path(folder))
                if _replace_beginning(copy, empty):
                    problems.append("the beginning of the file is damaged")
                elif backups_of(path):
                    shutil.copyfile(empty, copy)
                    files_of(copy)[1].unlink(missing_ok=True)
                    is_lost = True
                    problems.append("nothing in the file can be read")
                else:
                    raise StoreError(f"{path} is not a store of Inspector: nothing in it looks like one")
            yield Copy(copy, backups_of(path), is_lost, tuple(problems))
    except OSError as error:
        raise StoreError(f"{path} could not be copied ({error.strerror or error})") from error


def _copy_database(path: Path, copy: Path) -> None:
    """Copy the file of a store with its log, even if SQLite cannot read it."""
    log = files_of(path)[1]
    if log.exists() and log.stat().st_size:
        with suppress(sqlite3.Error, TimeoutError), closing(_open_read_only(path)) as source:
            _copy_online(path, source, copy)
            return
    for file, other in zip(files_of(path)[:2], files_of(copy)[:2], strict=True):
        if file.exists():
            shutil.copyfile(file, other)


def _is_readable(copy: Path) -> bool:
    """Return True if SQLite finds a table of a store in a file."""
    with closing(open_leniently(copy)) as connection:
        return not _LOG_TABLES.isdisjoint(tables_of(connection))


def _is_blank(copy: Path) -> bool:
    """Return True if a file is a database without content, which becomes a store when it is opened."""
    with closing(sqlite3.connect(copy)) as connection, suppress(sqlite3.Error, UnicodeDecodeError):
        there = "SELECT count(*) FROM sqlite_master"
        return bool(connection.execute(there).fetchone() == (0,) and _is_whole(copy) and copy.stat().st_size <= _PAGE)
    return False


def _empty_store(folder: Path) -> Path:
    """Create an empty store and return its path."""
    path = folder / "empty.db"
    Connections(path).close()
    return path


def _replace_beginning(copy: Path, empty: Path) -> bool:
    """Give a file the beginning of an empty store: its header, its first page, or all pages of its schema.

    The schema is the same in all stores that this version created, and in the same pages.

    Returns:
        True if the file has the tables of a store afterwards. If not, it is unchanged.
    """
    old = copy.read_bytes()
    if len(old) <= _PAGE:
        return False
    new = empty.read_bytes()
    counts = (len(old) // _PAGE).to_bytes(4) + bytes(8)  # of all pages, and none of them free
    header = new[:28] + counts + new[40:_HEADER]
    whole_schema = bytearray(header + new[_HEADER:_PAGE] + old[_PAGE:])
    for page in _schema_pages(empty):
        whole_schema[page * _PAGE : (page + 1) * _PAGE] = new[page * _PAGE : (page + 1) * _PAGE]
    for content in (header + old[_HEADER:], header + new[_HEADER:_PAGE] + old[_PAGE:], bytes(whole_schema)):
        copy.write_bytes(content)
        if _is_readable(copy):
            return True
    copy.write_bytes(old)
    return False


def _schema_pages(empty: Path) -> list[int]:
    """Return the pages of an empty store, counted from 0, that hold its schema: all but the first pages of tables."""
    with closing(sqlite3.connect(empty)) as connection:
        (count,) = connection.execute("PRAGMA page_count").fetchone()
        roots = {root for (root,) in connection.execute("SELECT rootpage FROM sqlite_master")}
    return [number - 1 for number in range(2, count + 1) if number not in roots]
