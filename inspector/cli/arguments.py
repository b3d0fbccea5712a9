"""Options and arguments that commands share, and what their values mean: a session, an agent, a turn, settings."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from inspector.cli.errors import UsageError, near
from inspector.cli.output import progress, warn
from inspector.library import Library, OpenSession
from inspector.providers import PROVIDERS
from inspector.strategies import STRATEGIES, parsed

Command = TypeVar("Command", bound=Callable[..., Any])

target = click.argument("target", metavar="SESSION")
turn_option = click.option(
    "--turn",
    type=click.IntRange(1),
    metavar="N",
    help="The context of the N-th model call; without it, as it now stands.",
)
agent_option = click.option("--agent", metavar="NAME", help="Whose context, in a session of several agents.")
limit_option = click.option(
    "--limit",
    type=click.IntRange(0),
    default=0,
    metavar="TOKENS",
    help="The size of the context window, where the model's is not meant.",
)
strategy_option = click.option("--strategy", "-s", metavar="NAME", help="How to compress; see inspector strategies.")
set_option = click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the strategy; may be repeated."
)
_PROVIDERS = click.Choice(list(PROVIDERS))
to_option = click.option("--to", type=_PROVIDERS, help="The provider whose form is written.")
provider_option = click.option(
    "--provider", type=_PROVIDERS, help="Whose rules are meant; without it, those of the session's own."
)


def _own_presets(exists: bool) -> Callable[[Command], Command]:
    return click.option(
        "--presets-file",
        type=click.Path(path_type=Path, dir_okay=False, exists=exists),
        metavar="FILE",
        help="Your presets; INSPECTOR_PRESETS names the file too. Without either, it lies in your settings folder.",
    )


presets_file, read_presets_file = _own_presets(exists=False), _own_presets(exists=True)
"""For commands that may write the file, and for those that only read it."""
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON; `errors` in it says what went wrong.")
out_option = click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file to write."
)
_fail_over = click.option(
    "--fail-over", type=click.IntRange(0), metavar="TOKENS", help="End with 3 when the window is larger."
)
_fail_invalid = click.option("--fail-invalid", is_flag=True, help="End with 3 when a provider would refuse the window.")


def common(command: Command) -> Command:
    """`--db` and `--json`, which every command has."""
    db = click.option(
        "--db",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The store; INSPECTOR_DB names it too. Without either, it lies in your data folder.",
    )
    return db(json_option(command))


def gates(command: Command) -> Command:
    return _fail_over(_fail_invalid(command))


@contextmanager
def library(db: Path | None, needed: bool = False) -> Iterator[Library]:
    """The store and what can be opened. Without a usable store it is said, and all else goes on."""
    with Library(db, needed) as lib:
        if lib.warning:
            warn(lib.warning)
        yield lib


@contextmanager
def open_session(target: str, db: Path | None, limit: int = 0, needed: bool = False) -> Iterator[OpenSession]:
    """The session that a target names, counted, with its plans; notes about it go to standard error."""
    with library(db, needed) as lib:
        with progress() as tell:
            session = lib.open(target, limit, tell)
        for note in session.notes:
            warn(note)
        gc.freeze()  # a command ends with its session: searching that for garbage again and again finds nothing
        yield session


def agent_of(session: OpenSession, agent: str | None) -> str:
    """The agent that was named; the session's first without a name. Raises UsageError for one that is not there."""
    agents = session.bench.session.agents
    if agent is None or agent in agents:
        return agent or agents[0]
    raise UsageError(
        f"There is no agent {agent!r} in this session; its agents are: {listed(agents)}.{near(agent, agents)}"
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
    if strategy not in STRATEGIES:
        raise UsageError(
            f"There is no strategy {strategy!r}; there are: {', '.join(STRATEGIES)}.{near(strategy, STRATEGIES)}"
        )
    try:
        return parsed(STRATEGIES[strategy].settings, settings)
    except ValueError as error:
        names = [knob.name for knob in STRATEGIES[strategy].knobs]
        misspelt = next((key for key in settings if key not in names), None)
        text = str(error) if str(error).startswith(tuple(names)) else capital(str(error))
        raise UsageError(f"{text}.{near(misspelt, names) if misspelt else ''}") from error


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
