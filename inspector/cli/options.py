"""Options and arguments that several commands share, and what their values may be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from inspector.llm.providers import provider_titles

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
_PROVIDERS = click.Choice(list(provider_titles()))
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
db_option = click.option(
    "--db",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The store; INSPECTOR_DB names it too. Without either, it lies in your data folder.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON; `errors` in it says what went wrong.")
out_option = click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file to write."
)
companion_option = click.option(
    "--companion/--no-companion",
    default=True,
    help="Whether NAME.inspector.json is written beside the request, with what has no place in it.",
)
redact_option = click.option(
    "--redact",
    is_flag=True,
    help="Hide keys, tokens, passwords, e-mail addresses, names of home folders, and data that cannot be searched.",
)
_fail_over = click.option(
    "--fail-over", type=click.IntRange(0), metavar="TOKENS", help="End with 3 when the window is larger."
)
_fail_invalid = click.option("--fail-invalid", is_flag=True, help="End with 3 when a provider would refuse the window.")


def common(command: Command) -> Command:
    """`--db` and `--json`, which every command has that prints something."""
    return db_option(json_option(command))


def gates(command: Command) -> Command:
    return _fail_over(_fail_invalid(command))
