"""Copies of a store's file: a backup while it is in use, and a working copy of one that may be damaged.

A damaged file is never opened where it lies: SQLite would write its log into it. What can be mended without guessing
(the header and the schema's own text, which are the same in every store) is mended in the copy.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from inspector.core.text import is_sidecar, make_private_file, make_private_folder, publish, sync_folder
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
from inspector.store.pages import PAGE, children

HEADER = 100
"""Bytes at the beginning of the first page that describe the file."""
_LOG_TABLES = frozenset({"session", "message", "body"})
"""A file that has none of them is no store."""
_APPLICATION_PLACE = slice(68, 72)
"""Where a file says what program it belongs to."""
_TYPES = (b"table", b"index", b"view", b"trigger")
_OURS_TO_BLAME = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
"""Errors that come from where a copy is written to."""


def save_backup(path: Path, to: Path) -> bool:
    """Copy a store, which others may be using, to a new file that is private to its owner.

    Says whether SQLite finds the copy whole. Raises StoreError; a file that is there already is not replaced.
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
        raise StoreError(f"{path} is a name that SQLite keeps for itself, beside a database: name another file")


def exists(path: Path) -> str:
    return f"{path} exists: name a file that is not there yet"


def _require_file(path: Path) -> None:
    """Raise StoreError where there is no file."""
    if not path.is_file():
        raise StoreError(
            f"{path} is no file: check the name"
            if path.exists()
            else f"{path} is not there: nothing has been stored yet"
        )


def _is_whole(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with a file's pages."""
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.Error, UnicodeDecodeError):
        return bool(connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)])
    return False


def sync(path: Path) -> None:
    """Make a finished file last through a loss of power."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing into the file, not even what waits in the log beside it."""
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
    repairs: tuple[str, ...]
    """What had to be mended before it could be read, each in a clause."""


@contextmanager
def working_copy(path: Path) -> Iterator[Copy]:
    """A copy of a store as it now stands, in a private folder that is gone afterwards; mended as far as that is sure.

    Raises StoreError, also where nothing in the file looks like a store.
    """
    _require_file(path)
    try:
        with TemporaryDirectory(prefix="inspector-") as folder:
            copy = Path(folder, "store.db")
            make_private_file(copy)
            _copy_database(path, copy)
            repairs = []
            if _is_blank(copy):
                shutil.copyfile(_empty_store(Path(folder)), copy)
            elif not _is_readable(copy):
                empty = _empty_store(Path(folder))
                if _with_new_header(copy, empty):
                    repairs.append("the beginning of the file is damaged")
                elif _with_new_schema(copy, empty):
                    repairs.append("the declarations of the tables are damaged")
                else:
                    raise StoreError(f"{path} is not a store of Inspector: nothing in it looks like one")
            repairs += [f"the declaration of the table {name} is damaged" for name in _mend_schema(copy)]
            yield Copy(copy, tuple(repairs))
    except OSError as error:
        raise StoreError(f"{path} could not be copied ({error.strerror or error})") from error


def _copy_database(path: Path, copy: Path) -> None:
    """Copy a store's file with what waits in the log beside it, also where SQLite cannot read it any more."""
    log = files_of(path)[1]
    if log.exists() and log.stat().st_size:
        with suppress(sqlite3.Error, TimeoutError), closing(_open_read_only(path)) as source:
            _copy_online(path, source, copy)
            return
    for file, other in zip(files_of(path)[:2], files_of(copy)[:2], strict=True):
        if file.exists():
            shutil.copyfile(file, other)


def open_leniently(copy: Path) -> sqlite3.Connection:
    """A connection that reads what can be read, texts as bytes, and minds neither the schema's errors nor the size."""
    connection = sqlite3.connect(copy, isolation_level=None)
    connection.text_factory = bytes
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def tables_of(connection: sqlite3.Connection) -> set[str]:
    """The names of a file's tables and virtual tables; none where its schema cannot be read."""
    with suppress(sqlite3.Error):
        rows = connection.execute("SELECT CAST(name AS BLOB) FROM sqlite_master WHERE type = 'table'").fetchall()
        return {(name or b"").decode("utf-8", "replace") for (name,) in rows}
    return set()


def _is_readable(copy: Path) -> bool:
    """Whether SQLite finds any of a store's tables in a file."""
    with closing(open_leniently(copy)) as connection:
        return not _LOG_TABLES.isdisjoint(tables_of(connection))


def _is_blank(copy: Path) -> bool:
    """Whether nothing was ever written to a file but the sign that it is a database: opening it makes a store of it."""
    with closing(sqlite3.connect(copy)) as connection, suppress(sqlite3.Error, UnicodeDecodeError):
        there = "SELECT count(*) FROM sqlite_master"
        return bool(connection.execute(there).fetchone() == (0,) and _is_whole(copy) and copy.stat().st_size <= PAGE)
    return False


def _empty_store(folder: Path) -> Path:
    """A new store with nothing in it."""
    path = folder / "empty.db"
    Connections(path).close()
    return path


def _with_new_header(copy: Path, empty: Path) -> bool:
    """Give a file the header of an empty store or, where that is not enough, all of its first page, which says where
    each table begins. Says whether there is a store in it then; else it is as it was."""
    size = copy.stat().st_size
    if size <= PAGE:
        return False
    with empty.open("rb") as file, copy.open("rb") as damaged:
        new, old = file.read(PAGE), damaged.read(PAGE)
    pages = max(size // PAGE, 1).to_bytes(4)
    return any(
        _overwrite(copy, [(0, page[:28] + pages + bytes(8) + page[40:])])  # no page is free
        for page in (new[:HEADER] + old[HEADER:], new)
    )


def _with_new_schema(copy: Path, empty: Path) -> bool:
    """Give a file that says that it is a store the pages with the declarations of an empty store, which lie in the same
    places in every store that this version has made. Says whether there is a store in it then; else it is as it was.
    """
    new = empty.read_bytes()
    with copy.open("rb") as file:
        old = file.read(len(new))
    if old[_APPLICATION_PLACE] != new[_APPLICATION_PLACE] or len(old) < len(new):
        return False
    places = [(number - 1) * PAGE for number in children(new[:PAGE], HEADER)]
    return _overwrite(copy, [(HEADER, new[HEADER:PAGE]), *((place, new[place : place + PAGE]) for place in places)])


def _overwrite(copy: Path, edits: Sequence[tuple[int, bytes]]) -> bool:
    """Write bytes at places of a file. Says whether there is a store in it then; else the file is as it was."""
    old: list[tuple[int, bytes]] = []
    with copy.open("rb+") as file:
        for place, data in edits:
            file.seek(place)
            old.append((place, file.read(len(data))))
            file.seek(place)
            file.write(data)
    if _is_readable(copy):
        return True
    with copy.open("rb+") as file:
        for place, data in reversed(old):
            file.seek(place)
            file.write(data)
    return False


def _mend_schema(copy: Path) -> list[str]:
    """Give tables of a store their names and declarations again, where these are not what every store has.

    Gives the names of those tables.
    """
    repairs: list[str] = []
    with closing(Connections(":memory:")) as connections, connections.use() as blank:
        tables = {
            name: (root, sql)
            for name, root, sql in blank.execute("SELECT name, rootpage, sql FROM sqlite_master WHERE type = 'table'")
        }
    at = {root: name for name, (root, _) in tables.items() if root}
    with closing(open_leniently(copy)) as connection, suppress(sqlite3.Error):
        names = tables_of(connection)
        columns = "rowid, CAST(type AS BLOB), CAST(name AS BLOB), rootpage, CAST(sql AS BLOB)"
        for row, kind, text, root, sql in connection.execute(f"SELECT {columns} FROM sqlite_master").fetchall():
            name = (text or b"").decode("utf-8", "replace")
            right_name = name if name in tables else at.get(root, "")
            if not right_name or (right_name != name and right_name in names) or kind in _TYPES[1:]:
                continue
            declaration = tables[right_name][1]
            if (kind, name, sql) != (_TYPES[0], right_name, declaration.encode()):
                connection.execute(
                    "UPDATE sqlite_master SET type = 'table', name = ?, tbl_name = ?, sql = ? WHERE rowid = ?",
                    (right_name, right_name, declaration, row),
                )
                repairs.append(right_name)
    return repairs
