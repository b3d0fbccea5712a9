"""`keep`: import the sessions that their tool is about to delete."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from inspector.cli.command_errors import CommandError
from inspector.cli.commands.import_sessions import ImportOutput, import_paths
from inspector.cli.commands.library import list_text
from inspector.cli.confirmation import confirm_change
from inspector.cli.options import common, redact_option
from inspector.cli.output import echo, echo_json, paint, whole
from inspector.cli.schema.values import json_output
from inspector.core.text import plural
from inspector.library import SOON, Entry, KeepSchedule, found_entries, keep_schedule

_MOST = 100_000
"""Maximum sessions that are looked at, newest first."""


@json_output()
class ScheduleOutput:
    """A daily timer that keeps sessions."""

    schedule: KeepSchedule
    written: Annotated[bool, "false with `--dry-run`"]


@click.command()
@click.option("--all", "everything", is_flag=True, help="Keep all sessions that their tool deletes at some time.")
@click.option(
    "--within",
    type=click.IntRange(0),
    default=SOON,
    show_default=True,
    metavar="DAYS",
    help="Keep the sessions that are deleted within this number of days.",
)
@click.option("--schedule", is_flag=True, help="Write a timer of the operating system that keeps all sessions daily.")
@click.option("--dry-run", is_flag=True, help="Only list the sessions, or print the timer.")
@click.option("--yes", is_flag=True, help="Write the timer without asking.")
@redact_option
@common
def keep(
    everything: bool, within: int, schedule: bool, dry_run: bool, yes: bool, db: Path | None, as_json: bool
) -> int:
    """Import the sessions that their tool is about to delete.

    Claude Code deletes a transcript that has not changed for 30 days, or for the cleanupPeriodDays of its settings.
    Imported sessions are kept in the store, and importing one again adds its new messages. Nothing is written to the
    folders of tools.
    """
    if schedule:
        _write_schedule(keep_schedule(db), dry_run, yes, as_json)
        return 0
    entries = [
        entry for entry in found_entries(frozenset(), _MOST) if _is_wanted(entry, None if everything else within)
    ]
    if entries and not dry_run:
        return import_paths(list(dict.fromkeys(entry.path for entry in entries)), db, as_json)
    if as_json:
        echo_json(ImportOutput(sessions=(), errors=()))
    elif entries:
        echo("\n".join(list_text(entries, ("project", "left", "when"))))
    else:
        end = "" if everything else f" within {plural(within, 'day')}. With --all, later ones are kept, too"
        echo(f"No session is deleted by its tool{end}.")
    return 0


def _is_wanted(entry: Entry, within: int | None) -> bool:
    left = entry.days_left
    return left is not None and (within is None or left <= within)


def _write_schedule(schedule: KeepSchedule, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Print the files of the timer, and write them after a confirmation. Raises CommandError and UsageError."""
    if not as_json:
        for name, text in schedule.files.items():
            echo(f"{paint(whole(name), 'strong')}\n{text}")
    if not dry_run and schedule.files:
        if not yes:
            confirm_change(f"write {plural(len(schedule.files), 'file')}")
        try:
            schedule.write()
        except OSError as error:
            raise CommandError(f"The timer cannot be written: {error.strerror or error}.") from error
    if as_json:
        echo_json(ScheduleOutput(schedule=schedule, written=not dry_run and bool(schedule.files)))
    else:
        echo(f"To start it: {schedule.enable}")
