"""The command line: every screen's twin, for scripts and for terminals without an app.

Nothing that is slow to import is imported before a command needs it.
"""

from __future__ import annotations


def main() -> None:
    """`inspector`, as installed."""
    from inspector.cli.app import cli

    cli.main(prog_name="inspector")
