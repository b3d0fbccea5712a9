"""Redact a recording of any format in its own format: the structure stays, and texts lose their secrets."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from typing import Any

from inspector.analysis.redaction.binary_redaction import (
    GZIP,
    ZIP,
    compress,
    decompress,
    readable_text,
    redact_archive,
    redact_bytes,
    text_of_bytes,
)
from inspector.analysis.redaction.fitting_patterns import Patterns
from inspector.analysis.redaction.redactor import RedactionError, Redactor
from inspector.core.text import dumps, loads

_SQLITE = b"SQLite format 3\0"


def redact_recording(data: bytes, redactor: Redactor) -> bytes:
    """Return the content of a recording without secrets: JSON, JSON lines, a SQLite database, or any other text.

    A zip archive is written with its files redacted, and a file that is compressed with gzip is compressed again.

    Args:
        data: Content of the file.
        redactor: Collects the secrets, and the replacements.

    Raises:
        RedactionError: The content is none of these, exceeds a limit without compression, or a secret would remain.
    """
    if data.startswith(ZIP):
        return redact_archive(data, lambda content: _redact_member(content, redactor), redactor)
    if data.startswith(GZIP):
        return compress(redact_recording(decompress(data), redactor))
    if data.startswith(_SQLITE):
        return _redact_database(data, redactor)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RedactionError(
            "The file is neither UTF-8 text nor a SQLite database, nor a zip archive of such: unpack it first."
        ) from error
    pieces = _recording_pieces(text)
    patterns = [redactor.collect(value) for value, _, _ in pieces]
    result = "".join([_redact_piece(redactor, *piece) for piece in zip(pieces, patterns, strict=True)])
    redactor.check(result)
    return result.encode("utf-8")


def _redact_member(data: bytes, redactor: Redactor) -> bytes:
    """Return the content of a file of an archive without secrets, whatever it is."""
    if not data.startswith((_SQLITE, ZIP, GZIP)) and text_of_bytes(data) is None:
        redactor.collect(readable_text(data))
        return redact_bytes(data, redactor)
    return redact_recording(data, redactor)


def _redact_piece(redactor: Redactor, piece: tuple[Any, str, bool], patterns: Patterns) -> str:
    value, source, is_json = piece
    clean = redactor.value_of(value, patterns)
    if clean == value:
        return source
    return dumps(clean) + source[len(source.rstrip()) :] if is_json else str(clean)


def _recording_pieces(text: str) -> list[tuple[Any, str, bool]]:
    """Return the values of a text: one JSON value, or one for each line; other lines in a row are one text.

    Returns:
        Each value, its source, and True if it is JSON.
    """
    with suppress(ValueError, RecursionError):
        return [(loads(text), text, True)]
    pieces: list[tuple[Any, str, bool]] = []
    others: list[str] = []
    for line in text.splitlines(keepends=True):
        value = None
        if line.lstrip()[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                value = loads(line)
        if value is None:
            others.append(line)
            continue
        if others:
            pieces.append(("".join(others), "".join(others), False))
            others = []
        pieces.append((value, line, True))
    if others:
        pieces.append(("".join(others), "".join(others), False))
    return pieces


def _redact_database(data: bytes, redactor: Redactor) -> bytes:
    """Return a database without secrets. Search indexes are built again, or removed if that is not possible."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        try:
            connection.deserialize(data)
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.create_function("inspector_collect", 1, lambda value: _collect(redactor, value))
            connection.create_function("inspector_redact", 1, lambda value: _redact(redactor, value))
            _update(connection)
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("VACUUM")
            return connection.serialize()
        except sqlite3.Error as error:
            raise RedactionError(f"The database cannot be redacted ({error}).") from error


def _update(connection: sqlite3.Connection) -> None:
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {_quoted(name)}")
    rows = connection.execute(
        "SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    ).fetchall()
    columns = {
        name: [row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))]
        for name, is_virtual in rows
        if not is_virtual
    }
    for table, names in columns.items():
        for name in names:
            connection.execute(f"SELECT count(inspector_collect({_quoted(name)})) FROM {_quoted(table)}").fetchall()
    for table, names in columns.items():
        for name in names:
            column = _quoted(name)
            connection.execute(
                f"UPDATE {_quoted(table)} SET {column} = inspector_redact({column})"
                f" WHERE typeof({column}) IN ('text', 'blob')"
            )
    for name, is_virtual in rows:
        if is_virtual:
            try:
                connection.execute(f"INSERT INTO {_quoted(name)}({_quoted(name)}) VALUES ('rebuild')")
            except sqlite3.Error:
                connection.execute(f"DROP TABLE {_quoted(name)}")
    for _, sql in triggers:
        connection.execute(sql)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _collect(redactor: Redactor, value: object) -> None:
    if (text := _text_of_cell(value)) is not None:
        redactor.collect(text)
    elif isinstance(value, bytes):
        redactor.collect(readable_text(value))


def _redact(redactor: Redactor, value: Any) -> Any:
    text = _text_of_cell(value)
    if text is None:
        return redact_bytes(value, redactor) if isinstance(value, bytes) else value
    clean = redactor.text_of(text)
    with suppress(ValueError, RecursionError):
        if clean != text and text.lstrip()[:1] in ("{", "["):
            clean = dumps(redactor.value_of(loads(text)))
    return clean.encode() if isinstance(value, bytes) else clean


def _text_of_cell(value: object) -> str | None:
    """Return the text of a cell of a table; None if it has none."""
    if isinstance(value, bytes):
        return text_of_bytes(value)
    return value if isinstance(value, str) else None
