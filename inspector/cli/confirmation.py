"""Ask for consent on the terminal before a change."""

from __future__ import annotations

import sys

import click

from inspector.cli.command_errors import UsageError
from inspector.cli.output import is_terminal


def confirm_change(change: str) -> None:
    """Ask whether to make a change.

    Args:
        change: The change as a verb with its object: "write 2 files".

    Raises:
        UsageError: There is no terminal to ask on.
        click.Abort: The user does not agree.
    """
    if not is_terminal(sys.stdin):
        raise UsageError(f"This would {change}. Confirm with --yes.")
    click.confirm(f"{change[0].upper()}{change[1:]}?", abort=True, err=True)
