"""`hook`: answer one event of a coding agent from standard input."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from inspector.cli.options import db_option
from inspector.core.limits import limit
from inspector.library import HOOK_SECONDS, HookLimits, answer_in_time, work_detached


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog="inspector setup names this command in the settings of an agent, and inspector doctor shows when it ran.",
)
@click.option(
    "--timeout",
    type=float,
    default=HOOK_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Time after which the hook gives up.",
)
@click.option("--guard", default="", metavar="PRESET", help="Refuse automatic compactions below its threshold.")
@click.option(
    "--trim",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="TOKENS",
    help="Cut longer texts in tool results; 0 cuts none.",
)
@click.option("--detached", is_flag=True, hidden=True)
@db_option
@click.argument("words", nargs=-1, metavar="[AGENT]")
def hook(timeout: float, guard: str, trim: int, detached: bool, db: Path | None, words: tuple[str, ...]) -> None:
    """Answer a hook event of Claude Code or Codex from standard input.

    The event and the output are JSON. After a compaction (SessionStart, source compact), gives the agent the facts that
    it dropped: at most 2,400 tokens and 10,000 characters. PreCompact and PostCompact prepare this answer, and
    PreCompact, Stop and SessionEnd import the transcript into the store, both in the background. They print nothing, as
    do all other events and those of sub-agents.

    With --guard, Claude Code does not compact by itself (PreCompact, trigger auto) while the reported tokens of its
    newest reply are below the preset's threshold and below 90% of the model's window. With --trim, longer texts in
    results (PostToolUse) are replaced by their beginning and end, with the path of a private file that keeps the whole.

    Always exits with 0 within 8 seconds. A failure prints nothing; hooks.log in Inspector's log directory has a line
    for each.
    """
    if detached:
        work_detached(_event(), db)
        return
    output = answer_in_time(_event, db, timeout, next(iter(words), ""), HookLimits(guard, trim))
    if output:
        _write(f"{output}\n".encode("ascii"))
    if output is None:
        os._exit(0)  # The thread still works, and an ordinary exit could wait for its locks.


def _event() -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    return stream.read(limit("hook_event")) if stream else b""


def _write(text: bytes) -> None:
    """Write the output. An agent that no longer reads is no failure."""
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except (AttributeError, OSError, ValueError):
        os._exit(0)
