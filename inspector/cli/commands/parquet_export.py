"""`export --to parquet`: write all stored sessions to Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from inspector.analysis import redaction
from inspector.analysis.export import ParquetError, ParquetTables
from inspector.analysis.redaction import Redacted, Redactor
from inspector.cli.arguments import open_library
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.options import team_address
from inspector.cli.output import echo, echo_json, progress, warn
from inspector.cli.redacted_rows import json_texts, redacted_values
from inspector.cli.redactions import (
    RedactionKinds,
    chosen_kinds,
    is_redacting,
    kinds_of,
    redaction_kinds,
    review_lines,
)
from inspector.cli.schema.values import Errors, Files, json_output
from inspector.core.text import plural
from inspector.core.work_pool import ProgressCallback
from inspector.store import Store, StoreError

PARQUET = "parquet"


@json_output()
class ParquetOutput:
    """All stored sessions as Parquet files."""

    to: Annotated[str, "parquet"]
    files: Files
    sessions: Annotated[int, "rows of sessions.parquet: one for each agent of a session"]
    parts: Annotated[int, "rows of parts.parquet: totals by model, day, tool, server, file, cause and preset"]
    messages: Annotated[int, "rows of messages.parquet"]
    redactions: Annotated[Sequence[Redacted], "replacements by --redact, without message numbers; empty without it"]
    redaction_kinds: RedactionKinds
    errors: Errors


def export_tables(target: str | None, out: Path | None, db: Path | None, *, force: bool, as_json: bool) -> None:
    """Write all stored sessions to a folder.

    Raises:
        UsageError: A session or a team's store is named, the folder is not, or files would be overwritten.
        CommandError: The files cannot be written.
        RedactionError: A secret would be written although the command has `--redact`.
    """
    folder = _folder(target, out)
    redactor = redaction.Redactor((), *chosen_kinds()) if is_redacting() else None
    tables = ParquetTables(folder, redactor.check if redactor else None)
    taken = [path for path in tables.paths.values() if path.exists()]
    if taken and not force:
        raise UsageError(f"{taken[0]} exists: name another folder with --out, or replace it with --force.")
    with open_library(db, required=True) as lib:
        try:
            with progress() as on_progress, tables:
                errors = _fill(tables, lib.required_store, redactor, on_progress)
        except ParquetError as error:
            raise CommandError(str(error)) from error
    if as_json:
        echo_json(_parquet_output(tables, redactor, errors))
        return
    for sentence in (*errors, *(review_lines(redactor, has_numbers=False) if redactor else ())):
        warn(sentence)
    counts = ", ".join(f"{plural(count, 'row')} in {tables.paths[name].name}" for name, count in tables.rows.items())
    echo(f"Written to {folder}: {counts}.")


def _folder(target: str | None, out: Path | None) -> Path:
    """Return the folder to write to. Raises UsageError if it is missing, or if a session or a team's store is named."""
    if target:
        raise UsageError("--to parquet writes all stored sessions: leave out SESSION.")
    if team_address():
        raise UsageError(
            "--to parquet reads a store in a file, not a team's store: name the file with --db, or query the team's "
            "store with SQL."
        )
    if out is None:
        raise UsageError("--to parquet writes several files: name a folder with --out.")
    return out


def _parquet_output(tables: ParquetTables, redactor: Redactor | None, errors: Sequence[str]) -> ParquetOutput:
    return ParquetOutput(
        to=PARQUET,
        files=[str(path) for path in tables.paths.values()],
        redactions=[replace(row, messages=[]) for row in redactor.review] if redactor else [],
        redaction_kinds=kinds_of(redactor) if redactor else redaction_kinds(),
        errors=errors,
        **tables.rows,
    )


def _fill(
    tables: ParquetTables, store: Store, redactor: Redactor | None, on_progress: ProgressCallback
) -> Sequence[str]:
    """Add all sessions of a store to the tables. Return a sentence for each one that cannot be read."""
    keys = [row.id for row in store.sessions()]
    errors: list[str] = []
    if redactor:
        keys, errors = _collected(store, keys, redactor, on_progress)
    for done, key in enumerate(keys):
        on_progress("writing the messages", done, len(keys))
        try:
            session = store.load(key)
            messages = redaction.redacted_messages(redactor, session) if redactor else session.messages
            tables.add_messages(redactor.text_of(key) if redactor else key, messages)
        except (StoreError, OSError) as error:
            errors.append(f"{key}: {error}.")
    for key, rollup in store.rollups.every():
        if redactor:
            rollup = redacted_values(replace(rollup, machine="", person=""), redactor)
            key = redactor.text_of(key)
        tables.add_rollup(key, rollup)
    return [redactor.text_of(sentence) for sentence in errors] if redactor else errors


def _collected(
    store: Store, keys: Sequence[str], redactor: Redactor, on_progress: ProgressCallback
) -> tuple[list[str], list[str]]:
    """Collect the secrets of all sessions, so that they are hidden in every row.

    Returns:
        The ids of the sessions that were read, and a sentence for each other one.
    """
    read: list[str] = []
    errors: list[str] = []
    for done, key in enumerate(keys):
        on_progress("collecting secrets", done, len(keys))
        try:
            redaction.collect_session(redactor, store.load(key))
            read.append(key)
        except (StoreError, OSError) as error:
            errors.append(f"{key}: {error}.")
    for key, rollup in store.rollups.every():
        redactor.collect(json_texts((key, rollup)))
    return read, errors
