"""SQLite databases of other programs. They are only read: neither the file nor its folder changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from inspector.core.limits import limit
from inspector.core.text import one_line
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.source import DamagedDatabaseError, Source

_STEPS = 1_000_000
"""Number of SQLite virtual machine instructions between two calls of the progress handler."""
_MAX_STEPS = 2_000
"""Number of such calls after which a query is aborted. A damaged table may have no end."""
_MAX_VALUE = 1_000_000_000
"""Maximum of SQLite for the length of a value in bytes."""
_LARGE = 64 << 20
"""Maximum number of bytes of a database that is copied to be listed."""


@contextmanager
def open_database(path: str | Path) -> Iterator[sqlite3.Connection]:
    """Open a connection that only reads. In text that is not UTF-8, invalid characters are replaced.

    A database with a write-ahead log is copied first, because opening it in place would change the log.

    Raises:
        sqlite3.Error: The database is damaged.
        OSError: The file cannot be read.
    """
    log = Path(f"{path}-wal")
    if log.is_file() and log.stat().st_size:
        with TemporaryDirectory(prefix="inspector-") as folder:
            copy = Path(folder, "copy.db")
            shutil.copyfile(path, copy)
            shutil.copyfile(log, f"{copy}-wal")
            with _connection(f"file:{quote(str(copy))}?mode=rw") as connection:
                yield connection
    else:
        with _connection(_still(path)) as connection:
            yield connection


class LooseRow(dict[str, Any]):
    """A row of a table that may lack expected columns. The value of a missing column is None."""

    def __missing__(self, column: str) -> None:
        return None


def rows_of(connection: sqlite3.Connection, query: str) -> list[LooseRow]:
    """Return the rows of a query. Raises sqlite3.Error, also if they exceed the limit `database_rows`."""
    rows, left = [], limit("database_rows")
    for row in connection.execute(query):
        rows.append(LooseRow(dict(row)))
        left -= sum(len(value) for value in row if isinstance(value, str | bytes))
        if left < 0:
            raise sqlite3.DataError(f"the rows of a table exceed {limit('database_rows'):,} bytes")
    return rows


def rows_at_a_glance(path: str | Path, query: str) -> list[LooseRow]:
    """Return the rows of a query for a list of sessions, or none if the database cannot be read.

    For a large database, the write-ahead log is ignored.
    """
    log = Path(f"{path}-wal")
    try:
        is_large = log.is_file() and Path(path).stat().st_size + log.stat().st_size > _LARGE
        with _connection(_still(path)) if is_large else open_database(path) as connection:
            return rows_of(connection, query)
    except (sqlite3.Error, OSError):
        return []


def _still(path: str | Path) -> str:
    """Return the URI of an immutable database, for which SQLite creates no files."""
    return f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1"  # noqa: PTH100  not resolved


@contextmanager
def _connection(uri: str) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(uri, uri=True)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limit("database_value"), _MAX_VALUE))
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        steps = iter(range(_MAX_STEPS))
        connection.set_progress_handler(lambda: next(steps, None) is None, _STEPS)
        if computed := _computed_columns(connection):
            connection.set_authorizer(lambda *words: _authorize(computed, *words))
        yield connection
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError("a name in it is not UTF-8") from error
    finally:
        connection.close()


def _computed_columns(connection: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Return the tables and names of generated columns, whose expressions the author of the file has chosen."""
    rows = connection.execute(
        "SELECT m.name AS place, x.name AS name FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS x"
        " WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND x.hidden IN (2, 3)"
    )
    return frozenset((str(row["place"]), str(row["name"])) for row in rows)


def _authorize(computed: Collection[tuple[str, str]], action: int, *words: str | None) -> int:
    """Let SQLite read NULL in place of a generated column, which it then does not compute."""
    is_computed = action == sqlite3.SQLITE_READ and words[:2] in computed
    return sqlite3.SQLITE_IGNORE if is_computed else sqlite3.SQLITE_OK


def _tables_of(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """Return the columns of each ordinary table. Views and virtual tables could run code of the file's author.

    Raises:
        sqlite3.Error: The database is damaged.
    """
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        " AND name NOT LIKE 'sqlite%'"
    )
    names = [str(row["name"]) for row in rows]
    return {
        name: frozenset(
            str(row["name"]) for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))
        )
        for name in names
    }


def database_content(source: Source) -> Content:
    """Return the content of a database.

    Raises:
        DamagedDatabaseError: The database is damaged.
        OSError: The file cannot be read.
    """
    try:
        with open_database(source.path) as connection:
            return Content(source, Sample("database", tables=_tables_of(connection)))
    except sqlite3.Error as error:
        path = source.path
        why = one_line(str(error))
        raise DamagedDatabaseError(
            path, f"{path} is a damaged SQLite database ({why}): choose another file."
        ) from error
