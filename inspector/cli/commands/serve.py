"""`serve`: the app in a browser, on this machine alone."""

from __future__ import annotations

import sys
from ipaddress import ip_address
from pathlib import Path

import click

from inspector.cli import interrupts
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.commands.open import refuse_unknown
from inspector.cli.options import db_option, limit_option
from inspector.cli.output import echo

_PORT = 8000


@click.command()
@click.argument("targets", nargs=-1, metavar="[PATH…]")
@click.option("--port", type=click.IntRange(1, 65535), default=_PORT, show_default=True, help="Where it listens.")
@click.option("--host", default="127.0.0.1", show_default=True, help="This machine: no other address is served.")
@limit_option
@db_option
def serve(targets: tuple[str, ...], port: int, host: str, limit: int, db: Path | None) -> int:
    """Serve the app to a browser on this machine, until ctrl+c.

    Each page that is opened has an app of its own, over the same store.
    """
    if not _is_loopback(host):
        raise UsageError(
            f"Inspector is served on this machine alone, not on {host}: whoever reaches it reads every session and may "
            f"press every key. From elsewhere, take a tunnel: ssh -L {port}:127.0.0.1:{port} THIS-MACHINE."
        )
    refuse_unknown(targets, db)
    try:
        from inspector.ui.web.server import LocalServer  # an extra, and slow to import
    except ModuleNotFoundError as error:
        raise CommandError("textual-serve is not installed: pip install 'textual-serve>=1.1.2,<2'.") from error
    options = [*(["--db", str(db)] if db else []), *(["--limit", str(limit)] if limit else [])]
    interrupts.hand_over()
    try:
        LocalServer([sys.executable, "-m", "inspector", "open", *options, "--", *targets], port).run(_tell_address)
    except OSError as error:
        raise CommandError(
            f"Port {port} cannot be served ({error.strerror or error}): --port names another."
        ) from error
    return interrupts.INTERRUPTED


def _tell_address(address: str) -> None:
    echo(f"Inspector is at {address} (this machine only, until ctrl+c).")


def _is_loopback(host: str) -> bool:
    """Whether a host names the address that is served."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
