"""`statusline`: the status line of a coding agent."""

from __future__ import annotations

import click

from inspector.library import STATUS_FIELDS, print_status_line


@click.command()
@click.option(
    "--fields",
    default=STATUS_FIELDS,
    show_default=True,
    help="Fields in order: used, compacts, lost, cache, cost, model, folder. A slash begins the second line.",
)
def statusline(fields: str) -> int:
    """Print a status line for Claude Code.

    Reads the JSON that Claude Code sends on standard input. Fields that are unknown or do not fit COLUMNS are left out.
    The field lost shows the result of the last compaction, which the hooks keep.
    Always exits with 0, and prints nothing for input that it does not understand.
    """
    return print_status_line(fields)
