"""The command line: every screen's twin, for scripts and for terminals without an app.

Nothing that is slow to import is imported before a command needs it.
"""

from __future__ import annotations

import os


def main() -> None:
    """`inspector`, as installed."""
    try:
        from inspector.cli import interrupts

        interrupts.answer()
    except KeyboardInterrupt:
        os._exit(130)
    _occupy_standard_streams()
    from inspector.cli.command_line import cli

    cli.main(prog_name="inspector")


def _occupy_standard_streams() -> None:
    """Let no file that is opened later take the place of a standard stream that was closed before the start."""
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
