"""`inspector`: the commands, and what happens when none is named.

`inspector PATH…` opens the app on a terminal; elsewhere it prints the same as text. A first word that is no command is
a path, so `inspector ./show` opens a file that is called like one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from inspector import __version__
from inspector.cli import interrupts
from inspector.cli.commands import (
    check,
    compare,
    compress,
    count,
    diff,
    export,
    library,
    presets,
    probe,
    replay,
    show,
    stack,
    store,
    strategies,
    tune,
)
from inspector.cli.errors import CommandError, ended, near
from inspector.cli.options import common, limit_option
from inspector.cli.output import is_terminal

_ABOUT = """See what is in an agent's context window, change how it is compressed, and see what is kept, lost and paid.

With paths (or without), on a terminal: the app. Elsewhere: the same as plain text.

Ends with 0 when all is well, 1 for bad input, 2 for wrong usage, 3 for a missed gate, 130 after an interrupt. With
--json, what went wrong stands in `errors`, a list of sentences.
"""
_TAKES_VALUE = ("--db", "--limit")


class Commands(click.Group):
    """The group of commands; words that name none of them are paths for the app."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run the words as a command. Ends the program, unless `standalone_mode` is false."""
        run: Callable[[], Any] = partial(super().main, args, *rest, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        words = list(sys.argv[1:] if args is None else args)
        sys.exit(ended(run, as_json="--json" in words[: words.index("--") if "--" in words else None]))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if ctx.resilient_parsing else self.with_command(args))

    def with_command(self, args: list[str]) -> list[str]:
        """The words with a command in front: options before the command's name go behind it."""
        first = 0
        while first < len(args) and args[first].startswith("-") and args[first] not in ("-", "--"):
            first += 2 if args[first] in _TAKES_VALUE else 1
        if first < len(args) and args[first] in self.commands:
            return [args[first], *args[:first], *args[first + 1 :]]
        asked = [word for word in args if word in ("--help", "-h", "--version")]
        return asked[:1] or ["open", *args]


@click.group(
    cls=Commands,
    help=_ABOUT,
    options_metavar="[PATH…] |",
    subcommand_metavar="COMMAND [ARGS]…",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="inspector", message="%(prog)s %(version)s")
def cli() -> None:
    pass


@cli.command("open", hidden=True)
@click.argument("targets", nargs=-1)
@limit_option
@common
def bare(targets: tuple[str, ...], limit: int, db: Path | None, as_json: bool) -> int:
    """The app on a terminal; elsewhere the library and the first session's window as text."""
    _refuse_strangers(targets, db)
    if is_terminal(sys.stdin) and is_terminal(sys.stdout) and not as_json:
        from inspector.store import default_path
        from inspector.ui.process import run_app

        interrupts.hand_over()
        return run_app(targets, db or default_path(), limit)
    return show.overview(targets, db, limit, as_json)


def _refuse_strangers(targets: tuple[str, ...], db: Path | None) -> None:
    """Refuse what cannot be opened before anything is drawn; a word that is close to a command's name is told so."""
    from inspector.library import Library, OpenError, find_stored, place_of

    for target in targets:
        if place_of(target)[0] is not None:
            continue
        with Library(db) as found:
            try:
                find_stored(target, found.store)
            except OpenError as error:
                meant = near(target, cli.commands) if target == targets[0] else ""
                raise CommandError(f"{error}{meant}") from error


_MODULES = (
    *(library, show, check, count, compress, diff),
    *(replay, tune, compare, probe, export, stack, store, strategies, presets),
)

for module in _MODULES:
    for command in module.COMMANDS:
        cli.add_command(command)
