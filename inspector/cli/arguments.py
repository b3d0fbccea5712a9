"""What the words of a command line mean: a session, an agent, a turn, a strategy's settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector import library
from inspector.cli.command_errors import UsageError, did_you_mean
from inspector.cli.output import progress, warn
from inspector.core.gc_tuning import freeze_gc
from inspector.engine import strategies

if TYPE_CHECKING:
    from inspector.library import Library, OpenSession


@contextmanager
def open_library(db: Path | None, required: bool = False) -> Iterator[Library]:
    """The store and what can be opened. Without a usable store it is said, and all else goes on."""
    with library.Library(db, required) as lib:
        if lib.warning:
            warn(lib.warning)
        yield lib


@contextmanager
def open_session(target: str, db: Path | None, limit: int = 0, required: bool = False) -> Iterator[OpenSession]:
    """The session that a target names, counted, with its plans; notes about it go to standard error."""
    with open_library(db, required) as lib:
        with progress() as on_progress:
            session = lib.open(target, limit, on_progress)
        for note in session.notes:
            warn(note)
        freeze_gc()  # a command ends with its session: searching that for garbage again and again finds nothing
        yield session


def agent_of(session: OpenSession, agent: str | None) -> str:
    """The agent that was named; the session's first without a name. Raises UsageError for one that is not there."""
    agents = session.bench.session.agents
    if agent is None or agent in agents:
        return agent or agents[0]
    raise UsageError(
        f"There is no agent {agent!r} in this session; its agents are: {listed(agents)}.{did_you_mean(agent, agents)}"
    )


def listed(words: Sequence[str], most: int = 12) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def strategy_settings(strategy: str | None, assignments: Sequence[str]) -> dict[str, Any]:
    """The settings given for a strategy. Raises UsageError for a strategy, a setting or a value that there is not."""
    settings = _pairs(assignments)
    if strategy is None:
        if settings:
            raise UsageError("--set belongs to a strategy: name it with --strategy.")
        return {}
    entries = strategies.STRATEGIES
    if strategy not in entries:
        names = ", ".join(entries)
        raise UsageError(f"There is no strategy {strategy!r}; there are: {names}.{did_you_mean(strategy, entries)}")
    try:
        return strategies.parse_settings(entries[strategy].settings, settings)
    except ValueError as error:
        knobs = [knob.name for knob in entries[strategy].knobs]
        misspelt = next((key for key in settings if key not in knobs), None)
        text = str(error) if str(error).startswith(tuple(knobs)) else capital(str(error))
        raise UsageError(f"{text}.{did_you_mean(misspelt, knobs) if misspelt else ''}") from error


def check_turn(session: OpenSession, turn: int | None, agent: str) -> None:
    """Raises UsageError for a turn that is not there."""
    turns = session.bench.turns(agent)
    if turn is not None and turn > turns + 1:
        raise UsageError(
            f"There is no turn {turn:,}: there are {turns:,}, and {turns + 1:,} is the context as it now stands."
        )


def _pairs(assignments: Sequence[str]) -> dict[str, str]:
    """`KEY=VALUE` words as a mapping; the last of a key wins."""
    settings = {}
    for word in assignments:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UsageError(f"--set takes KEY=VALUE, not {word!r}.")
        settings[key.strip().replace("-", "_")] = value.strip()
    return settings


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
