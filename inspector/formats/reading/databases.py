"""SQLite databases of other programs, only read: no byte of theirs changes, and no file comes beside them."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

_STEPS = 1_000_000
"""Instructions of SQLite's machine between two looks at how many there were."""
_MAX_STEPS = 2_000
"""Times so many instructions after which a query is given up: a table that never ends."""
_LARGE = 64 << 20
"""Bytes from which on a database is not copied to be listed."""


@contextmanager
def open_database(path: str | Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads. Text that is not UTF-8 has its broken characters replaced.

    What another program has written and not yet moved into the file itself is in a log beside it: then both are copied
    first, since reading them where they lie would change them. Raises sqlite3.Error and OSError.
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
    """A row of a table whose columns may be other ones than expected: what is missing is None."""

    def __missing__(self, column: str) -> None:
        return None


def rows_of(connection: sqlite3.Connection, query: str) -> list[LooseRow]:
    """The rows of a query. Raises sqlite3.Error."""
    return [LooseRow(row) for row in map(dict, connection.execute(query))]


def rows_at_a_glance(path: str | Path, query: str) -> list[LooseRow]:
    """The rows of a query for a list of what there is; none where the database cannot be read.

    Of a large database, what is not in the file itself yet is left out.
    """
    log = Path(f"{path}-wal")
    try:
        is_large = log.is_file() and Path(path).stat().st_size + log.stat().st_size > _LARGE
        with _connection(_still(path)) if is_large else open_database(path) as connection:
            return rows_of(connection, query)
    except (sqlite3.Error, OSError):
        return []


def _still(path: str | Path) -> str:
    """Where a database lies, as if nobody wrote to it: then nothing is put beside it."""
    return f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1"  # noqa: PTH100  not resolved


@contextmanager
def _connection(uri: str) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(uri, uri=True)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        steps = iter(range(_MAX_STEPS))
        connection.set_progress_handler(lambda: next(steps, None) is None, _STEPS)
        yield connection
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError("a name in it is not UTF-8") from error
    finally:
        connection.close()


def tables_of(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """The columns of every ordinary table: views and virtual ones could run what a stranger wrote.

    Raises sqlite3.Error.
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
