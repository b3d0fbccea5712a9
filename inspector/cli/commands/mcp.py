"""`mcp`: the recorded sessions as tools for an agent."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.cli.options import db_option
from inspector.library import serve_standard_streams


@click.command(epilog="Add it to an agent as the command `inspector mcp`.")
@db_option
def mcp(db: Path | None) -> int:
    """Serve recorded sessions to an agent as MCP tools.

    The tools only read. recall searches messages that are no longer in the context window, lost prints the facts that
    the last compaction dropped, and sessions finds sessions by title or project. Answers are short quotations with turn
    and source. The server speaks on standard input and output, and ends with its input.
    """
    return serve_standard_streams(db)
