"""Command line of Inspector: every screen of the app as a command, for scripts and plain terminals.

Slow imports are deferred until a command needs them.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module

from inspector.core.gc_tuning import collect_rarely

_AT_ONCE = {
    "mcp": "inspector.library:serve_standard_streams",
    "statusline": "inspector.library:print_status_line",
    "statusline --fields": "inspector.library:print_status_line",
}
"""Command lines that agents wait for, with the functions that run them without the command line's library."""


def main() -> None:
    """Run the installed `inspector` command."""
    collect_rarely()
    try:
        from inspector.cli import interrupts

        interrupts.answer()
    except KeyboardInterrupt:
        os._exit(130)
    _occupy_standard_streams()
    if target := _AT_ONCE.get(" ".join(sys.argv[1:3])) if len(sys.argv) in (2, 4) else None:
        module, _, name = target.partition(":")
        sys.exit(getattr(import_module(module), name)(*sys.argv[3:4]))
    if is_hook := sys.argv[1:2] == ["hook"]:
        _answer_hook()
    from inspector.cli.command_line import cli

    if is_hook:
        with suppress(BaseException):
            cli.main(prog_name="inspector")
        sys.exit(0)
    cli.main(prog_name="inspector")


def _answer_hook() -> None:
    """Answer a hook and exit, except for help and for the process that works in the background.

    Agents take other exit codes than 0 as an order to stop.
    """
    if {"--help", "--detached"}.isdisjoint(sys.argv):
        with suppress(BaseException):
            import_module("inspector.library").run_hook(sys.argv[2:])
        sys.exit(0)


def _occupy_standard_streams() -> None:
    """Open the null device for each closed standard stream, so that no later file takes its descriptor."""
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
