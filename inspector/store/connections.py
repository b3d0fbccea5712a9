"""Opens the file of the store: one connection per thread, and one plain sentence if it cannot be used.

SQLite connections are cheap, and with a shared one every reader waits for every writer. Each thread gets its own, which
is opened when needed and closed with the thread. A store in memory exists only inside its connection: all threads share
it, with a lock.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from inspector.core.text import is_team_address, make_private_file, make_private_folder, restrict_permissions
from inspector.store.backups import INTERVAL, back_up, back_up_if_due, delete_backups
from inspector.store.damage import DamagedError, StoreError, UnwritableError
from inspector.store.extract_file import delete_extracts
from inspector.store.schema import APPLICATION_ID, VERSION

MEMORY = ":memory:"
LOCK_TIMEOUT = 30.0
"""Seconds to wait while another program writes; a large import holds the file for a few."""
_READER_TIMEOUT = 1_000
"""Milliseconds to wait for readers before the log is emptied of deleted text."""
_GRACE = 2.0
"""Seconds that closing waits for another thread to let go of its connection."""
_SIDECARS = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps next to an open database."""
_UNWRITABLE = frozenset(
    (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR)
)
_LEAST_ROOM = 32 * 1024  # bytes of the smallest file that SQLite keeps next to an open database
_LARGEST_LOG = 16 * 1024 * 1024
"""Bytes that the write-ahead log is cut back to after a large import."""


class StaleError(StoreError):
    """A change was made for a stack of plans that has changed since; nothing was stored."""

    def __init__(self) -> None:
        super().__init__("the session has changed since it was opened, so nothing was stored: look at it again")


class Connection(sqlite3.Connection):
    """A connection that closes itself when its thread ends, and that a set can hold weakly."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.in_use = threading.RLock()
        self.traces: Literal["", "new", "old"] = ""
        """"new" or "old" if the log may contain deleted text. "old" if it could not be emptied at once."""
        super().__init__(*args, **options)

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # it was never opened
            self.close()


def default_path() -> Path:
    """Return the path of the store: INSPECTOR_DB, or a file in the user's data folder if that is a team's store."""
    if (path := os.environ.get("INSPECTOR_DB", "")) and not is_team_address(path):
        return Path(path).expanduser()
    from platformdirs import user_data_path

    return user_data_path("inspector", appauthor=False) / "inspector.db"


class Connections:
    """The connections to one store. Creates the file and brings it up to date. Raises StoreError when it cannot."""

    def __init__(self, path: Path | str) -> None:
        self.path = str(path) if str(path) == MEMORY else str(Path(path).expanduser())
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._is_closed = False
        self._common: Connection | None = None
        self._next_backup = time.monotonic() + INTERVAL
        self.was_public = False
        """True if others could read the file before it was opened."""
        with store_errors(self.path):
            if self.path != MEMORY:
                _make_private(Path(self.path))
                _make_writable(Path(self.path))
            first = self._connect()
            self._prepare(first)
            if self.path != MEMORY:
                self.was_public = sum(map(restrict_permissions, files_of(Path(self.path)))) > 0
        if self.path == MEMORY:
            self._common = first
        else:
            self._local.connection = first

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """Provide this thread's connection. Errors of SQLite inside the block become a StoreError."""
        with store_errors(self.path):
            connection = self._common or self._own()
            with connection.in_use:
                self.require_open()
                yield connection
                if not connection.in_transaction:
                    self._tidy(connection)

    def _tidy(self, connection: Connection) -> None:
        """Remove deleted text from the log and the backups, and write the daily backup of a store that stays open."""
        if connection.traces == "new" and self.path != MEMORY:
            delete_backups(Path(self.path))
            delete_extracts(Path(self.path))
        if connection.traces:
            _empty_log(connection)
        if time.monotonic() > self._next_backup:
            self._next_backup = time.monotonic() + INTERVAL
            self._back_up()

    def _back_up(self) -> None:
        if self.path != MEMORY:
            back_up_if_due(Path(self.path))

    @property
    def has_traces(self) -> bool:
        """True if the log may contain text that this thread deleted, because another program was reading."""
        connection = self._common or self._own()
        return connection.traces != ""

    def close(self) -> None:
        """Close the connections of all threads. One that is at work is interrupted.

        One that does not let go in time is closed when its thread ends. A backup is written if one is due.
        """
        if not self._is_closed:
            self._back_up()
        with self._lock:
            self._is_closed = True
            connections = list(self._open)
        for connection in connections:
            if not connection.in_use.acquire(blocking=False):
                connection.interrupt()
                if not connection.in_use.acquire(timeout=_GRACE):
                    continue
            connection.close()
            connection.in_use.release()

    def __reduce__(self) -> tuple[type[Connections], tuple[str]]:
        """Let another process open its own connections. Raises TypeError for a store in memory."""
        if self._common is not None:
            raise TypeError("a store in memory cannot be sent to another process")
        return type(self), (self.path,)

    def require_open(self) -> None:
        """Raise StoreError once `close` was called: work of many steps asks between them."""
        if self._is_closed:
            raise StoreError(f"{self.path} was closed")

    def _own(self) -> Connection:
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
        return connection

    def _connect(self) -> Connection:
        with self._lock:
            self.require_open()
            connection = connect(self.path)
            self._open.add(connection)
            return connection

    def _prepare(self, connection: Connection) -> None:
        """Refuse what is not ours or is too new; migrate what is too old."""
        version = require_version(connection, self.path)
        if version < VERSION:
            from inspector.store.migrations import migrate

            if self.path != MEMORY:
                if version:
                    with suppress(OSError, sqlite3.Error, UnicodeDecodeError):  # a backup is never a condition
                        back_up(Path(self.path))
                use_wal(connection)
            with transaction(connection):
                if require_version(connection, self.path) < VERSION:  # nobody was faster
                    migrate(connection)


def _make_private(path: Path) -> None:
    """Create the file and missing parent folders, readable by their owner only."""
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder, and a store is a file: {_elsewhere()}")
        make_private_folder(path.parent)
        if not path.exists():
            make_private_file(path)
    except OSError as error:
        raise UnwritableError(_unwritable(path, error.strerror or str(error))) from error


def _make_writable(path: Path) -> None:
    """Make the files that SQLite keeps next to the database writable if the database is.

    SQLite gives these files the mode of the database when it creates them, and never changes it.
    """
    owner = stat.S_IWUSR
    for sidecar in files_of(path)[1:]:
        with suppress(OSError):
            mode = sidecar.stat().st_mode
            if path.stat().st_mode & owner and not mode & owner:
                sidecar.chmod(stat.S_IMODE(mode) | owner)


def files_of(path: Path) -> list[Path]:
    """Return the file of a store, and the files that SQLite may keep next to it."""
    return [path, *(path.with_name(path.name + suffix) for suffix in _SIDECARS)]


def connect(path: str) -> Connection:
    try:
        return _open(path)
    except sqlite3.OperationalError as error:
        if primary_code(error) not in _UNWRITABLE or not _is_quiescent(Path(path)):
            raise
        # A read-only folder and a full disk have no room for the files that WAL needs, and nobody writes there.
        return _open(f"file:{quote(path)}?immutable=1", uri=True)


def _open(path: str, uri: bool = False) -> Connection:
    connection = sqlite3.connect(
        path, timeout=LOCK_TIMEOUT, isolation_level=None, check_same_thread=False, factory=Connection, uri=uri
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA journal_size_limit = {_LARGEST_LOG}")
    connection.execute("PRAGMA user_version").fetchone()
    return connection


def _empty_log(connection: Connection) -> None:
    """Bring what waits in the log into the file and cut the log to nothing, with the text in it that was deleted.

    Waits a moment for readers, which keep SQLite from it; what stays is tried again when the connection is used again.
    """
    patience = _READER_TIMEOUT if connection.traces == "new" else 0
    connection.execute(f"PRAGMA busy_timeout = {patience}")
    try:
        is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(LOCK_TIMEOUT * 1000)}")
    connection.traces = "old" if is_busy else ""


def _is_quiescent(path: Path) -> bool:
    """Return True if a file can be read without its log: it is readable, and the log is empty."""
    log = path.with_name(path.name + "-wal")
    return os.access(path, os.R_OK) and path.is_file() and not (log.exists() and log.stat().st_size)


def use_wal(connection: Connection) -> None:
    """Switch the file to write-ahead logging, so that readers never wait for the writer. The setting is permanent.

    Retries, because SQLite does not wait while another program creates the same file.
    """
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def require_version(connection: Connection, path: str) -> int:
    """Return the version of a store's file, or 0 if it is empty.

    Raises:
        StoreError: The file belongs to another program or a later version.
    """
    with snapshot(connection):  # another program may be making a store of the file at this moment
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        objects: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID:
        if objects or application or version:
            raise StoreError(f"{path} is a database of another program: {_elsewhere()}")
        return 0
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer Inspector (its version is {version}, this one knows {VERSION}): "
            f"update Inspector, or {_elsewhere()}"
        )
    return version


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block in one transaction, or as part of the current one.

    The write lock is taken at once, so that two writers wait instead of failing.
    """
    with begin_scope(connection, "BEGIN IMMEDIATE"):
        yield


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read one state of the store in the block, regardless of concurrent writes."""
    with begin_scope(connection, "BEGIN"):
        yield


@contextmanager
def begin_scope(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    if connection.in_transaction:
        yield
        return
    connection.execute(begin)
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # some errors have rolled back already
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def store_errors(path: str) -> Iterator[None]:
    """Turn an SQLite error into a StoreError, and name the file of a damaged store."""
    try:
        yield
    except DamagedError as error:
        raise DamagedError(error.what, path) from error
    except sqlite3.Error as error:
        if is_damage(error):
            raise DamagedError(cause(error), path) from error
        kind = UnwritableError if primary_code(error) in _UNWRITABLE else StoreError
        raise kind(sentence(path, error)) from error
    except UnicodeDecodeError as error:  # what SQLite says may quote what is damaged
        raise DamagedError(cause(error), path) from error
    except OverflowError as error:
        raise StoreError(f"{path} cannot hold a number of more than 64 bits, so nothing was stored") from error


_DAMAGE = re.compile(
    r"no such (?:table|column)|already exists|malformed|SQL logic error|Could not decode to UTF-8|^vtable constructor"
)
"""What SQLite says, under a number that means nothing, of a schema or a text that this program did not write."""


def is_damage(error: sqlite3.Error) -> bool:
    """Return True if an error is caused by a damaged file."""
    code = primary_code(error)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_MISMATCH):
        return True
    return code in (0, sqlite3.SQLITE_ERROR) and _DAMAGE.search(str(error)) is not None


def cause(error: Exception) -> str:
    """Return the text of an error, without content of the file that it may quote."""
    if isinstance(error, UnicodeDecodeError) or "UTF-8" in str(error):
        return "it holds text that is not UTF-8"
    return str(error)


def sentence(path: str, error: sqlite3.Error) -> str:
    """Return what is wrong with the file, and what to do, in one sentence."""
    match primary_code(error):
        case sqlite3.SQLITE_NOTADB:
            return f"{path} is not a database, or its beginning is damaged (see inspector store check): {_elsewhere()}"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"{path} is being written by another program: try again when it has finished"
        case sqlite3.SQLITE_INTERRUPT:
            return f"{path} was closed"
        case code if code in _UNWRITABLE:
            return _unwritable(path, str(error), code == sqlite3.SQLITE_FULL)
    return f"{path} could not be used: {error}"


def primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _unwritable(path: Path | str, reason: str, is_full: bool = False) -> str:
    with suppress(OSError):  # SQLite may report any error for lack of room
        if is_full or shutil.disk_usage(Path(path).parent).free < _LEAST_ROOM:
            return f"the disk is full, so nothing was written to {path}: free some space and try again"
    return f"{path} cannot be written ({reason}): {_elsewhere()}"


def _elsewhere() -> str:
    return "name another file with --db or INSPECTOR_DB"
