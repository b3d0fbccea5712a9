"""`serve`: the app in a browser on this machine."""

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
@click.option("--port", type=click.IntRange(1, 65535), default=_PORT, show_default=True, help="The port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address; others are rejected.")
@limit_option
@db_option
def serve(targets: tuple[str, ...], port: int, host: str, limit: int, db: Path | None) -> int:
    """Serve the app to a browser on this machine, until ctrl+c.

    Each open page runs its own app on the same store.
    """
    if not _is_loopback(host):
        raise UsageError(
            f"Inspector is served on this machine only, not on {host}: anyone who reaches it can read every "
            f"session. To use it from elsewhere, open a tunnel: ssh -L {port}:127.0.0.1:{port} THIS-MACHINE."
        )
    refuse_unknown(targets, db)
    try:
        from inspector.ui.web.server import LocalServer  # An optional dependency, slow to import.
    except ModuleNotFoundError as error:
        raise CommandError("textual-serve is not installed: pip install 'textual-serve>=1.1.2,<2'.") from error
    options = [*(["--db", str(db)] if db else []), *(["--limit", str(limit)] if limit else [])]
    interrupts.hand_over()
    try:
        LocalServer([sys.executable, "-m", "inspector", "open", *options, "--", *targets], port).run(_tell_address)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on port {port} ({error.strerror or error}). Choose another with --port."
        ) from error
    return interrupts.INTERRUPTED


def _tell_address(address: str) -> None:
    echo(f"Inspector is at {address} (this machine only, until ctrl+c).")


def _is_loopback(host: str) -> bool:
    """Return True if a host names the loopback address."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
