"""Write the sessions of a store to Parquet files, for DuckDB, pandas, Polars and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from inspector.core.conversation import Message
from inspector.core.errors import InspectorError
from inspector.core.text import dumps
from inspector.store import Rollup, RollupPart

_BATCH = 5_000
"""Rows that are written at a time."""
_MAX_WAITING_CHARS = 20_000_000
"""Characters of messages that are written at a time."""
_CHECKED = 200
"""Rows that are checked at a time."""
_SESSIONS: Mapping[str, str] = {
    "session": "string",
    **{field.name: str(field.type) for field in fields(Rollup) if field.name not in ("parts", "rules", "logged")},
}
_PARTS: Mapping[str, str] = {
    "session": "string",
    "agent": "string",
    **{field.name: str(field.type) for field in fields(RollupPart)},
}
_MESSAGES: Mapping[str, str] = {
    "session": "string",
    "position": "int",
    "id": "string",
    "agent": "string",
    "role": "string",
    "kind": "string",
    "name": "string",
    "time": "string",
    "chars": "int",
    "calls": "list",
    "answers": "string",
    "is_error": "bool",
    "text": "string",
}
TABLES: Mapping[str, Mapping[str, str]] = {"sessions": _SESSIONS, "parts": _PARTS, "messages": _MESSAGES}
"""Columns of each file with their types."""


class ParquetError(InspectorError):
    """The files cannot be written."""


class ParquetTables:
    """Writes the three files of an export, session by session.

    The files appear under their names when the block ends without an error.

    Args:
        folder: Folder of the files.
        check: Raises an error for text that must not be written. Called at the end with all rows as JSON.

    Raises:
        ParquetError: The package pyarrow is missing, or the files cannot be written.
    """

    def __init__(self, folder: Path, check: Callable[[str], None] | None = None) -> None:
        self.paths = {name: folder / f"{name}.parquet" for name in TABLES}
        self.rows = dict.fromkeys(TABLES, 0)
        self._folder = folder
        self._check = check
        self._chars = 0
        self._stack = ExitStack()
        self._waiting: dict[str, list[Mapping[str, Any]]] = {name: [] for name in TABLES}

    def __enter__(self) -> ParquetTables:
        try:
            self._arrow: Any = import_module("pyarrow")
            self._parquet: Any = import_module("pyarrow.parquet")
        except ImportError as error:
            raise ParquetError("The export needs the extra parquet: pip install memory-inspector[parquet].") from error
        self._schemas = {name: self._schema(columns) for name, columns in TABLES.items()}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._writers = {
                name: self._stack.enter_context(self._parquet.ParquetWriter(self._draft(name), schema))
                for name, schema in self._schemas.items()
            }
        except OSError as error:
            raise ParquetError(f"Cannot write to {self._folder} ({error.strerror or error}).") from error
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                for name in TABLES:
                    self._write(name)
            self._stack.close()
            if kind is None:
                self._check_drafts()
                for name, path in self.paths.items():
                    self._draft(name).replace(path)
        except OSError as error:
            raise ParquetError(f"Cannot write to {self._folder} ({error.strerror or error}).") from error
        finally:
            for name in TABLES:
                self._draft(name).unlink(missing_ok=True)

    def add_rollup(self, session: str, rollup: Rollup) -> None:
        """Add the totals of an agent of a session, and their parts by model, day, tool, server, file and cause."""
        self._add("sessions", [{"session": session, **_column_values(rollup, _SESSIONS)}])
        rows = ({"session": session, "agent": rollup.agent, **_column_values(part, _PARTS)} for part in rollup.parts)
        self._add("parts", rows)

    def add_messages(self, key: str, messages: Iterable[Message]) -> None:
        """Add the messages of the session with the id `key`. Raises OSError if they can no longer be read."""
        self._add("messages", (_message_row(key, *row) for row in enumerate(messages)))

    def _add(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            self._waiting[table].append(row)
            self._chars += len(row.get("text", ""))
            if len(self._waiting[table]) >= _BATCH or self._chars >= _MAX_WAITING_CHARS:
                self._write(table)

    def _write(self, name: str) -> None:
        rows, self._waiting[name] = self._waiting[name], []
        self._chars = 0 if name == "messages" else self._chars
        if rows:
            self._writers[name].write_table(self._arrow.Table.from_pylist(rows, schema=self._schemas[name]))
            self.rows[name] += len(rows)

    def _check_drafts(self) -> None:
        for name in TABLES if self._check else ():
            with self._parquet.ParquetFile(self._draft(name)) as file:
                for batch in file.iter_batches(batch_size=_CHECKED):
                    assert self._check is not None, "see above"
                    self._check(dumps(batch.to_pylist()))

    def _draft(self, name: str) -> Path:
        return self._folder / f".{name}.parquet.part"

    def _schema(self, columns: Mapping[str, str]) -> Any:
        arrow = self._arrow
        makers: Sequence[tuple[str, Callable[[], Any]]] = (
            ("bool", arrow.bool_),
            ("int", arrow.int64),
            ("float", arrow.float64),
            ("list", lambda: arrow.list_(arrow.string())),
        )
        types = {
            name: next((make() for start, make in makers if kind.startswith(start)), arrow.string())
            for name, kind in columns.items()
        }
        return arrow.schema(list(types.items()))


def _column_values(row: Rollup | RollupPart, columns: Mapping[str, str]) -> dict[str, Any]:
    return {name: _utf8_value(getattr(row, name)) for name in columns if hasattr(row, name)}


def _utf8_value(value: Any) -> Any:
    """Return a value without characters that UTF-8 cannot hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _message_row(key: str, position: int, message: Message) -> dict[str, Any]:
    row = {
        "session": key,
        "position": position,
        "id": message.id,
        "agent": message.agent,
        "role": message.role,
        "kind": message.kind,
        "name": message.name,
        "time": message.time,
        "chars": message.chars,
        "answers": message.answers,
        "is_error": message.is_error,
        "text": message.text,
    }
    return {
        **{name: _utf8_value(value) for name, value in row.items()},
        "calls": [_utf8_value(call.name) for call in message.calls],
    }
