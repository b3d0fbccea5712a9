"""`inspector PATH…`: open the app on a terminal; elsewhere print the library and the first session's window."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from inspector import library, store
from inspector.cli import interrupts
from inspector.cli.command_errors import CommandError, did_you_mean
from inspector.cli.command_line import COMMANDS
from inspector.cli.options import common, limit_option, team_address
from inspector.cli.output import is_terminal, supports_escapes, warn


@click.command("open", hidden=True)
@click.argument("targets", nargs=-1)
@limit_option
@click.option("--fresh", "is_fresh", is_flag=True, help="Begin with the library, and not with the last session.")
@common
def open_(targets: tuple[str, ...], limit: int, is_fresh: bool, db: Path | None, as_json: bool) -> int:
    """Open the app on a terminal; elsewhere print the library and the first session's window."""
    refuse_unknown(targets, db)
    return open_targets(targets, db, limit, as_json, is_fresh=is_fresh)


def open_targets(
    targets: Sequence[str],
    db: Path | None,
    limit: int,
    as_json: bool,
    with_tour: bool = False,
    is_fresh: bool = False,
) -> int:
    """Open the app on a terminal; elsewhere print the same as text or JSON.

    Args:
        targets: Files, folders, or ids of stored sessions.
        db: Path of the store. None for the default path.
        limit: Context window in tokens, in place of the model's.
        as_json: Print JSON.
        with_tour: Open the sample sessions with a tour.
        is_fresh: Begin with the library if there are no targets; by default the app reopens the last session.
    """
    if (_in_browser() or _has_screen()) and not as_json:
        gc.disable()  # No garbage is created before the first frame.
        from inspector.ui.process import run_app  # Textual, which no other command needs.

        interrupts.hand_over()
        return run_app(targets, db or store.default_path(), limit, with_tour, is_fresh, team_address())
    from inspector.cli.commands.overview import overview  # The first frame does not wait for these imports.

    return overview([*targets, *library.sample_targets()] if with_tour else targets, db, limit, as_json)


def _in_browser() -> bool:
    """Return True if `serve` started this process for a browser."""
    return "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")


def _has_screen() -> bool:
    """Return True if there is a terminal with cursor positioning. Prints a note if the terminal has none."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        return False
    name = os.environ.get("TERM", "")
    if os.name == "posix" and not _places_cursor(name):
        warn(
            f"The terminal ({f'TERM={name}' if name else 'TERM is not set'}) cannot position its cursor, so the "
            "output is text instead of the app."
        )
        return False
    return True


def _places_cursor(name: str) -> bool:
    """Return True if a kind of terminal can position its cursor. Unknown kinds are assumed to."""
    if not supports_escapes():
        return False
    try:
        import curses
    except ImportError:
        return True
    try:
        curses.setupterm(name, sys.stdout.fileno())
    except curses.error:
        return True
    return curses.tigetstr("cup") is not None


def refuse_unknown(targets: Iterable[str], db: Path | None) -> None:
    """Reject targets that cannot be opened before anything is drawn, and suggest a command with a similar name."""
    for place, target in enumerate(targets):
        if os.path.lexists(target) or library.place_of(target)[0] is not None:  # the first without loading `library`
            continue
        with library.Library(db, team=team_address()) as lib:
            try:
                library.find_session_id(target, lib.sessions)
            except library.OpenError as error:
                hint = "" if place else did_you_mean(target, COMMANDS)
                raise CommandError(f"{error}{hint}") from error
