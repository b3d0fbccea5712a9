"""Memory stores in a PostgreSQL database: known tables are copied into SQLite in memory. Needs the extra `postgres`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date
from importlib import import_module
from typing import Any

from inspector.core.limits import limit
from inspector.core.server_address import ADDRESS_FORM, is_encoded, public_name
from inspector.core.text import dumps, one_line
from inspector.formats.memories.memory_tables import table_kind
from inspector.formats.reading.source import UnreadableError

_SCHEMES = ("postgresql", "postgres")
_OPTIONS = "-c default_transaction_read_only=on -c statement_timeout=20000"
_CONNECT_SECONDS = 5
_COLUMNS = """
    SELECT table_schema, table_name, column_name FROM information_schema.columns
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
    ORDER BY table_schema <> current_schema(), table_schema, table_name, ordinal_position
"""
_BATCH = 500


def is_server_address(path: str) -> bool:
    """Return True for the address of a database server, such as postgresql://user@host/name."""
    return path.partition("://")[0] in _SCHEMES and "://" in path


@contextmanager
def copied_tables(address: str) -> Iterator[tuple[sqlite3.Connection, Mapping[str, frozenset[str]], str]]:
    """Yield a copy of the tables with memories, the columns of all tables, and the address without its password.

    The server is asked for read-only transactions, which end after 20 seconds.

    Raises:
        UnreadableError: The address is invalid, the server cannot be reached, or the package psycopg is missing.
    """
    invalid = UnreadableError("the address", f"The address of the server is invalid: {ADDRESS_FORM}.")
    if not is_encoded(address):
        raise invalid
    name = public_name(address)
    try:
        psycopg: Any = import_module("psycopg")
    except ImportError as error:
        raise UnreadableError(
            name, f"{name} needs the extra postgres: pip install memory-inspector[postgres]."
        ) from error
    try:
        psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error:  # its text may quote the password
        raise invalid from None
    with closing(sqlite3.connect(":memory:", check_same_thread=False)) as copy:
        copy.row_factory = sqlite3.Row
        try:
            with psycopg.connect(address, connect_timeout=_CONNECT_SECONDS, options=_OPTIONS) as server:
                places, columns = _tables_of(server)
                for table in _tables_to_copy(columns):
                    _copy_table(server, copy, places[table], table, columns[table])
        except psycopg.Error as error:
            raise UnreadableError(name, f"{name} cannot be read ({one_line(str(error))[:300]}).") from error
        yield copy, {table: frozenset(names) for table, names in columns.items()}, name


def _tables_of(server: Any) -> tuple[dict[str, tuple[str, str]], dict[str, list[str]]]:
    """Return the schema and name of each table, and its columns. Tables outside of the first schema are qualified."""
    places: dict[str, tuple[str, str]] = {}
    columns: dict[str, list[str]] = {}
    for schema, table, column in server.execute(_COLUMNS):
        name = table if places.get(table, (schema, table)) == (schema, table) else f"{schema}.{table}"
        places[name] = (schema, table)
        columns.setdefault(name, []).append(column)
    return places, columns


def _tables_to_copy(columns: Mapping[str, Sequence[str]]) -> list[str]:
    tables = {table: frozenset(names) for table, names in columns.items()}
    wanted: set[str] = set()
    for table in tables:
        if kind := table_kind(tables, table):
            wanted |= {table} | kind.others | kind.reads
    return sorted(wanted & tables.keys())


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _copy_table(
    server: Any, copy: sqlite3.Connection, place: tuple[str, str], table: str, columns: Sequence[str]
) -> None:
    """Copy the rows of a table up to the limits of items and of bytes.

    Args:
        server: Connection to the server.
        copy: Database to copy to.
        place: Schema and name of the table.
        table: Name of the copy.
        columns: Its columns.
    """
    names = ", ".join(map(_identifier, columns))
    copy.execute(f"CREATE TABLE {_identifier(table)} ({names})")
    source, left = ".".join(map(_identifier, place)), limit("database_rows")
    insert = f"INSERT INTO {_identifier(table)} VALUES ({', '.join('?' * len(columns))})"
    with server.cursor() as cursor:
        cursor.execute(f"SELECT {names} FROM {source} LIMIT {limit('memory_items') + 1}")
        while left > 0 and (rows := cursor.fetchmany(_BATCH)):
            values = [[_plain_value(value) for value in row] for row in rows]
            left -= sum(len(value) for row in values for value in row if isinstance(value, str | bytes))
            copy.executemany(insert, values)


def _plain_value(value: Any) -> Any:
    """Return a value of PostgreSQL as SQLite keeps it."""
    if value is None or isinstance(value, int | float | str | bytes):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, date):
        return value.isoformat()
    return dumps(value) if isinstance(value, dict | list) else str(value)
