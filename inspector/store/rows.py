"""The rows of a damaged file that can be read: through its trees as far as these lead, and else page by page.

Values are taken as they are: a text that is none, or a number that counts nothing, is told from the others here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from inspector.store.connections import Connections
from inspector.store.copies import tables_of
from inspector.store.damage import MAX_COUNT
from inspector.store.pages import Pages
from inspector.store.serialization import Row

_SCAN_TABLES = ("session", "message", "body", "plan", "memory", "bookmark")
"""Tables whose rows are looked for page by page: those with what cannot be made again."""
_EARLIER = {24: "message", 8: "memory"}
"""Columns of rows that were written before the newest of them were thought of."""


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
    return value if type(value) is int and 0 <= value <= MAX_COUNT else otherwise


def value_of(text: Any, decode: Callable[[str], Any], otherwise: Any) -> Any:
    """A column of JSON; `otherwise` where it is none."""
    try:
        return decode(text_of(text))
    except (ValueError, TypeError, RecursionError):
        return otherwise


class Rows:
    """The rows of a file, through a connection of `copies.open_leniently`. With `thorough`, pages that no tree leads to
    are looked at in any case, and not only when a tree is broken."""

    def __init__(self, connection: sqlite3.Connection, path: Path, thorough: bool) -> None:
        self.connection = connection
        self.path = path
        self.thorough = thorough
        self.tables = tables_of(connection)
        self.columns: dict[str, set[str]] = {}
        """The names of the columns that each table has in this file."""

    def scan(self, table: str, columns: str) -> Iterator[Row]:
        """The rows of a table, each behind its rowid. A column that the file does not have is NULL."""
        rowids: set[int] = set()
        try:
            if table in self.tables:
                query = f"SELECT rowid, {self.there(table, columns)} FROM {table} NOT INDEXED"
                for row in self.connection.execute(query):
                    rowids.add(row[0])
                    yield row
            is_broken = table not in self.tables
        except (sqlite3.Error, OverflowError):
            is_broken = True
        if (is_broken or self.thorough) and table in _SCAN_TABLES:
            for rowid in sorted(self.pages.places[table]):
                if rowid not in rowids and (row := self.page_row(table, columns, rowid)):
                    yield row

    def scan_keys(self, table: str, columns: str) -> Iterator[Row]:
        """The rows of a table without rowids, up to the first that cannot be read."""
        if table in self.tables:
            with suppress(sqlite3.Error):
                yield from self.connection.execute(f"SELECT {self.there(table, columns)} FROM {table}")

    def rows(self, table: str, columns: str, rowid: int) -> Iterator[Row]:
        """What may be the row with this number: as the tree has it, and as a page has it."""
        if table in self.tables:
            query = f"SELECT rowid, {self.there(table, columns)} FROM {table} NOT INDEXED WHERE rowid = ?"
            with suppress(sqlite3.Error, OverflowError):
                if row := self.connection.execute(query, (rowid,)).fetchone():
                    yield row
        if row := self.page_row(table, columns, rowid):
            yield row

    def page_row(self, table: str, columns: str, rowid: int) -> Row | None:
        """A row behind its rowid, as it stands in a page."""
        values = self.pages.row(table, rowid)
        if values is None:
            return None
        row = dict(zip(self.columns_of[table], values, strict=False))  # a row may be older than the newest column
        return (rowid, *(row.get(name) for name in columns.split(", ")))

    @cached_property
    def pages(self) -> Pages:
        widths = {len(self.columns_of[table]): table for table in _SCAN_TABLES}
        return Pages(self.path, _EARLIER | widths)

    @cached_property
    def columns_of(self) -> Mapping[str, Sequence[str]]:
        """The names of the columns of each table, as every store has them."""
        with closing(Connections(":memory:")) as connections, connections.use() as connection:
            return {
                table: [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
                for table in _SCAN_TABLES
            }

    def there(self, table: str, columns: str) -> str:
        """The columns, with NULL for those that the table does not have."""
        if table not in self.columns:
            self.columns[table] = set()
            with suppress(sqlite3.Error):
                rows = self.connection.execute(f"PRAGMA table_info({table})")
                self.columns[table] = {text_of(row[1]) for row in rows}
        return ", ".join(name if name in self.columns[table] else "NULL" for name in columns.split(", "))

    def number(self, query: str) -> int:
        with suppress(sqlite3.Error):
            return number_of(self.connection.execute(query).fetchone()[0])
        return 0
