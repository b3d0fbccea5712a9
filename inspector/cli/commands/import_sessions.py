"""`import`: import sessions into the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from inspector.cli.arguments import open_library
from inspector.cli.command_errors import BAD_INPUT
from inspector.cli.options import common, redact_option
from inspector.cli.output import (
    OutputClosedError,
    OutputError,
    clear_progress,
    echo,
    echo_json,
    note,
    progress,
    warn,
)
from inspector.cli.redacted_rows import redacted_import
from inspector.cli.redactions import is_redacting
from inspector.cli.schema.values import Errors, json_output
from inspector.cli.text.listing_text import outcome_text
from inspector.core.text import plural
from inspector.library import ImportOutcome


@json_output()
class ImportOutput:
    """The result of an import."""

    sessions: Sequence[ImportOutcome]
    errors: Errors


@click.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@redact_option
@common
def import_(paths: Sequence[str], db: Path | None, as_json: bool) -> int:
    """Import sessions into the store.

    PATH is a file or a folder. Importing a file again adds its new messages. Source files are never written to.
    """
    return import_paths(paths, db, as_json)


def import_paths(paths: Sequence[str], db: Path | None, as_json: bool) -> int:
    """Import files and folders, and print the result of each. Returns the exit code."""
    sessions: list[ImportOutcome] = []
    errors: list[str] = []
    has_failure = False
    try:
        with open_library(db, required=True) as lib, progress() as on_progress:
            for outcome in lib.import_targets(paths, on_progress):
                clear_progress()
                has_failure |= bool(outcome.problem) and not outcome.aside
                if outcome.problem:
                    errors.append(outcome.problem)
                else:
                    sessions.append(outcome)
                if not is_redacting():
                    _print_outcome(outcome, as_json)
            if is_redacting():
                sessions, errors = redacted_import(sessions, errors, lib.store)
                for outcome in sessions:
                    _print_outcome(outcome, as_json)
        if as_json:
            echo_json(ImportOutput(sessions=sessions, errors=errors))
    except (OutputClosedError, OutputError):
        count = plural(len(sessions), "session")
        note(f"{count} had already been imported. Importing them again does not duplicate them.")
        raise
    return BAD_INPUT if has_failure or (errors and not sessions) else 0


def _print_outcome(outcome: ImportOutcome, as_json: bool) -> None:
    if outcome.problem:
        warn(outcome.problem)
    elif not as_json:
        echo(outcome_text(outcome))
