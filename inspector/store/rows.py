"""The rows of a damaged file that can be read, one by one around the pages that cannot be.

Values are taken as they are: a text that is none, or a number that counts nothing, is told from the others here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from inspector.store.copies import tables_of
from inspector.store.damage import MOST

ATTEMPTS = 2_000_000
"""Rows of one table that are asked for one by one, at most: no number in a damaged file makes this endless."""
Row = tuple[Any, ...]


def text_of(value: Any, otherwise: str = "") -> str:
    """A column as text, with a sign for each byte that is none; `otherwise` for what is no text at all."""
    if isinstance(value, str):
        return value
    if not isinstance(value, bytes):
        return otherwise
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return value.decode("utf-8", "replace")


def number_of(value: Any, otherwise: int = 0) -> int:
    """A column that counts something; `otherwise` for what is no such number."""
    return value if type(value) is int and 0 <= value <= MOST else otherwise


def value_of(text: Any, decode: Callable[[str], Any], otherwise: Any) -> Any:
    """A column of JSON; `otherwise` where it is none."""
    try:
        return decode(text_of(text))
    except (ValueError, TypeError, RecursionError):
        return otherwise


class Rows:
    """The rows of a damaged file that can be read, through a connection of `copies.open_damaged`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.tables = tables_of(connection)

    def scan(self, table: str, columns: str) -> Iterator[Row]:
        """The rows of a table, each behind its rowid. A column that the file does not have is NULL."""
        if table not in self.tables:
            return
        columns, last, after = self.there(table, columns), self.last(table), 0
        query = f"SELECT rowid, {columns} FROM {table} NOT INDEXED WHERE rowid > ? ORDER BY rowid"
        while True:
            try:
                for row in self.connection.execute(query, (after,)):
                    after = row[0]
                    yield row
                return
            except sqlite3.Error:
                row = None
            while row is None and after < last:
                after += 1
                row = self.row(table, columns, after)
            if row is None:
                return
            yield row

    def scan_keyed(self, table: str, columns: str) -> Iterator[Row]:
        """The rows of a table without rowids, up to the first that cannot be read."""
        if table in self.tables:
            with suppress(sqlite3.Error):
                yield from self.connection.execute(f"SELECT {self.there(table, columns)} FROM {table}")

    def row(self, table: str, columns: str, rowid: int) -> Row | None:
        """One row behind its rowid, if it is there and can be read."""
        with suppress(sqlite3.Error):
            row: Row | None = self.connection.execute(
                f"SELECT rowid, {columns} FROM {table} NOT INDEXED WHERE rowid = ?", (rowid,)
            ).fetchone()
            return row
        return None

    def there(self, table: str, columns: str) -> str:
        """The columns, with NULL for those that the table does not have."""
        names: set[str] = set()
        with suppress(sqlite3.Error):
            names = {text_of(row[1]) for row in self.connection.execute(f"PRAGMA table_info({table})")}
        return ", ".join(name if name in names else "NULL" for name in columns.split(", "))

    def last(self, table: str) -> int:
        """A rowid behind which no row is looked for."""
        counter = "message" if table == "body" else table
        queries = (f"SELECT max(rowid) FROM {table}", f"SELECT max(seq) FROM sqlite_sequence WHERE name = '{counter}'")
        largest = max(map(self.number, queries))
        return min(largest or self.number("PRAGMA page_count") * 100, ATTEMPTS)

    def number(self, query: str) -> int:
        with suppress(sqlite3.Error):
            return number_of(self.connection.execute(query).fetchone()[0])
        return 0
