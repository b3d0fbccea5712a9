"""Resolve command-line arguments: sessions, agents, turns, and settings of strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector import library
from inspector.cli.command_errors import UsageError, did_you_mean
from inspector.cli.options import team_address
from inspector.cli.output import progress, warn
from inspector.cli.redactions import redacted_name, redacted_session
from inspector.core.gc_tuning import freeze_gc
from inspector.core.text import listed
from inspector.engine import strategies

if TYPE_CHECKING:
    from inspector.library import Library, OpenSession


@contextmanager
def open_library(db: Path | None, required: bool = False) -> Iterator[Library]:
    """Open the store and list the sessions that can be opened.

    A store that cannot be used is reported on standard error, and the library works without it.

    Args:
        db: Path of the store. None for the default path.
        required: Fail if the store cannot be used. A team's store that the command names always is required.
    """
    with library.Library(db, required, team_address()) as lib:
        if lib.warning:
            warn(lib.warning)
        yield lib


@contextmanager
def open_session(
    target: str, db: Path | None, limit: int = 0, required: bool = False, *, redacted: bool = True
) -> Iterator[OpenSession]:
    """Open the session of a target, with counted tokens and its plans. Notes go to standard error.

    Args:
        target: A file, `FILE#N`, or the id of a stored session.
        db: Path of the store. None for the default path.
        limit: Context window in tokens, in place of the model's.
        required: Fail if the store cannot be used.
        redacted: Redact the session if the command has `--redact`. False for commands that change its plans.
    """
    with open_library(db, required) as lib:
        with progress() as on_progress:
            session = lib.open(target, limit, on_progress)
        for note in session.notes:
            warn(note)
        freeze_gc()  # One session per process: there is no garbage to collect before the command ends.
        with redacted_session(session) if redacted else nullcontext():
            yield session


def agent_of(session: OpenSession, agent: str | None) -> str:
    """Return the named agent, or the first agent of the session. Raises UsageError if it does not exist."""
    agents = session.bench.session.agents
    agent = redacted_name(agent) if agent else agent
    if agent is None or agent in agents:
        return agent or agents[0]
    raise UsageError(
        f"There is no agent {agent!r} in this session. Agents: {listed(agents)}.{did_you_mean(agent, agents)}"
    )


def strategy_settings(strategy: str | None, assignments: Sequence[str]) -> dict[str, Any]:
    """Parse the settings of a strategy. Raises UsageError for an unknown strategy, setting or value."""
    settings = _pairs(assignments)
    if strategy is None:
        if settings:
            raise UsageError("--set requires --strategy.")
        return {}
    entries = strategies.STRATEGIES
    if strategy not in entries:
        names = ", ".join(entries)
        raise UsageError(f"There is no strategy {strategy!r}. Strategies: {names}.{did_you_mean(strategy, entries)}")
    try:
        return strategies.parse_settings(entries[strategy].settings, settings)
    except ValueError as error:
        knobs = [knob.name for knob in entries[strategy].knobs]
        misspelt = next((key for key in settings if key not in knobs), None)
        text = str(error) if str(error).startswith(tuple(knobs)) else capital(str(error))
        raise UsageError(f"{text}.{did_you_mean(misspelt, knobs) if misspelt else ''}") from error


def check_turn(session: OpenSession, turn: int | None, agent: str) -> None:
    """Check that a turn exists. Raises UsageError if it does not.

    Args:
        session: Open session.
        turn: 1-based turn; None for the current one, which exists.
        agent: Agent whose turns are counted.
    """
    turns = session.bench.turns(agent)
    if turn is not None and turn > turns + 1:
        raise UsageError(
            f"There is no turn {turn:,}. The last turn is {turns:,}; {turns + 1:,} is the current context."
        )


def _pairs(assignments: Sequence[str]) -> dict[str, str]:
    """Return `KEY=VALUE` words as a mapping. The last value of a key wins."""
    settings = {}
    for word in assignments:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UsageError(f"--set takes KEY=VALUE, not {word!r}.")
        settings[key.strip().replace("-", "_")] = value.strip()
    return settings


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
