"""`inspector`: the commands, and what happens when none is named.

`inspector PATH…` opens the app on a terminal; elsewhere it prints the same as text. A first word that is no command is
a path, so `inspector ./show` opens a file that is called like one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from inspector import __version__
from inspector.cli import compress, diff, export, library, show, stack
from inspector.cli.errors import Failure, ended, near
from inspector.cli.options import common, limit_option

ABOUT = """See what is in an agent's context window, change how it is compressed, and see what is kept, lost and paid.

With paths (or without), on a terminal: the app. Elsewhere: the same as plain text.
"""
TAKES_VALUE = ("--db", "--limit")


class Commands(click.Group):
    """The group of commands; words that name none of them are paths for the app."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        if not standalone_mode:
            return super().main(*args, standalone_mode=False, **extra)
        run = super().main
        sys.exit(ended(lambda: run(*args, standalone_mode=False, **extra)))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if ctx.resilient_parsing else self.with_command(args))

    def with_command(self, args: list[str]) -> list[str]:
        """The words with a command in front: options before the command's name go behind it."""
        first = 0
        while first < len(args) and args[first].startswith("-") and args[first] not in ("-", "--"):
            first += 2 if args[first] in TAKES_VALUE else 1
        if first < len(args) and args[first] in self.commands:
            return [args[first], *args[:first], *args[first + 1 :]]
        asked = [word for word in args if word in ("--help", "-h", "--version")]
        return asked[:1] or ["open", *args]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[PATH…] | COMMAND [ARGS]…"]


@click.group(cls=Commands, help=ABOUT, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="inspector", message="%(prog)s %(version)s")
def cli() -> None:
    pass


@cli.command("open", hidden=True)
@click.argument("targets", nargs=-1)
@limit_option
@common
def bare(targets: tuple[str, ...], limit: int, db: Path | None, as_json: bool) -> None:
    """The app on a terminal; elsewhere the library and the first session's window as text."""
    refuse_misspelt(targets)
    if sys.stdin.isatty() and sys.stdout.isatty() and not as_json:
        from inspector.store import default_path
        from inspector.ui.app import run_app

        run_app(list(targets), db or default_path(), limit)
    else:
        show.overview(targets, db, limit, as_json)


def refuse_misspelt(targets: tuple[str, ...]) -> None:
    """A first word that is neither a file nor stored is likely a command's name, misspelt."""
    if targets and not Path(targets[0]).exists() and (meant := near(targets[0], cli.commands)) and "." not in targets[0]:
        raise Failure(f"There is no file {targets[0]!r} and no such command.{meant}")


for module in (library, show, compress, diff, export, stack):
    for command in module.COMMANDS:
        cli.add_command(command)
