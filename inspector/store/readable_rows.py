"""Reads the rows of a damaged database that SQLite can still read, range by range around the damage."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inspector.store.damage import MAX_COUNT
from inspector.store.serialization import Row

_MAX_FAILURES = 5_000
"""Failed attempts to read a table. A range is halved after each one, so this bounds the time spent on lost rows."""
_MIN_ROW_SIZE = 16
"""Fewest bytes that a row takes. With the size of a file, it bounds row numbers where no other bound is readable."""


class BrokenText(str):
    """A text that is not valid UTF-8, with a replacement character for each invalid byte."""


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return BrokenText(data.decode("utf-8", "replace"))


def open_leniently(path: Path, read_only: bool = False) -> sqlite3.Connection:
    """Open a database that may be damaged, ignoring errors in its schema. Invalid texts are read as `BrokenText`."""
    uri = f"file:{quote(str(path))}?mode={'ro' if read_only else 'rw'}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.text_factory = _decoded
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def tables_of(connection: sqlite3.Connection) -> set[str]:
    """Return the names of the tables, or an empty set if the schema cannot be read."""
    with suppress(sqlite3.Error):
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name for (name,) in rows if isinstance(name, str)}
    return set()


def columns_of(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return the names of a table's columns, without an INTEGER PRIMARY KEY. Empty if there is no such table."""
    with suppress(sqlite3.Error):
        rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
        return [name for _, name, kind, _, _, key in rows if not (key and kind == "INTEGER")]
    return []


def read_rows(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of a table that can be read.

    Args:
        connection: An open database, see `open_leniently`.
        table: A table with row numbers.
        columns: Columns to read. Those that the table lacks are read as None.

    Yields:
        The row number and the columns of each row, in no particular order.
    """
    there = columns_of(connection, table)
    if not there:
        return
    selected = ", ".join(["rowid", *(name if name in there else "NULL" for name in columns)])
    query = f"SELECT {selected} FROM {table} NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    ranges, failures = deque([(1, _last_number(connection, table))]), 0
    while ranges and failures < _MAX_FAILURES:
        low, high = ranges.popleft()
        is_complete, low = yield from _read_in_order(connection, query, (low, high), 1)
        if is_complete:
            continue
        _, high = yield from _read_in_order(connection, f"{query} DESC", (low, high), -1)
        failures += 1
        if low < high:
            middle = (low + high) // 2
            ranges += [(low, middle), (middle + 1, high)]


def _read_in_order(
    connection: sqlite3.Connection, query: str, bounds: tuple[int, int], step: int
) -> Generator[Row, None, tuple[bool, int]]:
    """Yield rows in ascending (`step` 1) or descending (-1) order of their numbers until SQLite fails.

    Returns:
        True if all rows were read, and the number after the last row that was read.
    """
    number = bounds[0] if step > 0 else bounds[1]
    with suppress(sqlite3.Error):
        for row in connection.execute(query, bounds):
            if (row[0] - number) * step < 0:  # pages that refer to each other in a circle
                return False, number
            number = row[0] + step
            yield row
        return True, number
    return False, number


def _last_number(connection: sqlite3.Connection, table: str) -> int:
    """Return a number that no row of a table exceeds, for a table whose last page may be lost."""
    numbers = [0]
    with suppress(sqlite3.Error):
        numbers += connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone() or ()
    with suppress(sqlite3.Error):
        numbers += connection.execute(f"SELECT max(rowid) FROM {table} NOT INDEXED").fetchone()
    with suppress(sqlite3.Error):
        size = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
        numbers.append(size[0] // _MIN_ROW_SIZE)
    return max(number for number in numbers if type(number) is int and number <= MAX_COUNT)


def read_keyed_rows(
    connection: sqlite3.Connection, table: str, key: str, condition: str = "TRUE", values: Sequence[Any] = ()
) -> tuple[list[Row], bool]:
    """Read the rows of a table without row numbers, from both ends up to the first row that cannot be read.

    Args:
        connection: An open database, see `open_leniently`.
        table: A table without row numbers.
        key: Columns of its primary key, separated by commas.
        condition: SQL condition for the rows to read.
        values: Values of the condition's parameters.

    Returns:
        The rows, some perhaps twice, and True if all rows could be read.
    """
    rows: list[Row] = []
    for order in (key, ", ".join(f"{name} DESC" for name in key.split(", "))):
        try:
            rows.extend(connection.execute(f"SELECT * FROM {table} WHERE {condition} ORDER BY {order}", values))
        except sqlite3.Error:
            continue
        return rows, True
    return rows, False
