"""Command line of Inspector: every screen of the app as a command, for scripts and plain terminals.

Slow imports are deferred until a command needs them.
"""

from __future__ import annotations

import os


def main() -> None:
    """Run the installed `inspector` command."""
    try:
        from inspector.cli import interrupts

        interrupts.answer()
    except KeyboardInterrupt:
        os._exit(130)
    _occupy_standard_streams()
    from inspector.cli.command_line import cli

    cli.main(prog_name="inspector")


def _occupy_standard_streams() -> None:
    """Open the null device for each closed standard stream, so that no later file takes its descriptor."""
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
