"""`export --to parquet`: write all stored sessions to Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from inspector.analysis import redaction
from inspector.analysis.export import ParquetError, ParquetTables
from inspector.cli.arguments import open_library
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.output import echo, echo_json, warn
from inspector.cli.redacted_rows import redacted_values
from inspector.cli.redactions import chosen_kinds, is_redacting
from inspector.cli.schema.values import Errors, Files, json_output
from inspector.core.text import plural
from inspector.store import Store, StoreError

PARQUET = "parquet"


@json_output()
class ParquetOutput:
    """All stored sessions as Parquet files."""

    to: Annotated[str, "parquet"]
    files: Files
    sessions: Annotated[int, "rows of sessions.parquet: one for each agent of a session"]
    parts: Annotated[int, "rows of parts.parquet: totals by model, day, tool, server, file and cause"]
    messages: Annotated[int, "rows of messages.parquet"]
    errors: Errors


def export_tables(target: str | None, out: Path | None, db: Path | None, *, force: bool, as_json: bool) -> None:
    """Write all stored sessions to a folder.

    Raises:
        UsageError: A session is named, the folder is not, or files would be overwritten.
        CommandError: The files cannot be written.
    """
    if target:
        raise UsageError("--to parquet writes all stored sessions: leave out SESSION.")
    if out is None:
        raise UsageError("--to parquet writes several files: name a folder with --out.")
    tables = ParquetTables(out)
    taken = [path for path in tables.paths.values() if path.exists()]
    if taken and not force:
        raise UsageError(f"{taken[0]} exists: name another folder with --out, or replace it with --force.")
    with open_library(db, required=True) as lib:
        try:
            with tables:
                errors = _fill(tables, lib.required_store)
        except ParquetError as error:
            raise CommandError(str(error)) from error
    files, rows = [str(path) for path in tables.paths.values()], tables.rows
    if as_json:
        echo_json(ParquetOutput(to=PARQUET, files=files, errors=errors, **rows))
        return
    for sentence in errors:
        warn(sentence)
    counts = ", ".join(f"{plural(count, 'row')} in {tables.paths[name].name}" for name, count in rows.items())
    echo(f"Written to {out}: {counts}.")


def _fill(tables: ParquetTables, store: Store) -> Sequence[str]:
    """Add all sessions of a store to the tables. Return a sentence for each one that cannot be read."""
    redactor = redaction.Redactor((), *chosen_kinds()) if is_redacting() else None
    errors = []
    for row in store.sessions():
        try:
            session = store.load(row.id)
            safe = redaction.redact(session, redactor=redactor).session if redactor else session
            tables.add_messages(row.id, safe)
        except (StoreError, OSError) as error:
            errors.append(f"{row.id}: {error}.")
    for key, rollup in store.rollups.every():
        if redactor:
            rollup = redacted_values(replace(rollup, machine="", person=""), redactor)
        tables.add_rollup(key, rollup)
    return errors
