"""Options and arguments that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from inspector.core.text import is_team_address
from inspector.llm import providers

Command = TypeVar("Command", bound=Callable[..., Any])

target = click.argument("target", metavar="SESSION")
turn_option = click.option(
    "--turn",
    type=click.IntRange(1),
    metavar="N",
    help="The context of the N-th model call; without it, the current context.",
)
agent_option = click.option("--agent", metavar="NAME", help="The agent, in a session of several agents.")
limit_option = click.option(
    "--limit",
    type=click.IntRange(0),
    default=0,
    metavar="TOKENS",
    help="The context window in tokens, in place of the model's.",
)
strategy_option = click.option("--strategy", "-s", metavar="NAME", help="The strategy; see inspector strategies.")
set_option = click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of the strategy; may be repeated."
)


class _ProviderChoice(click.Choice[str]):
    """Choice of a provider. The names are read, with those of plugins, when the option is used or explained."""

    case_sensitive = True

    def __init__(self) -> None:
        """Do not set the choices, as the class does."""

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(providers.provider_titles())


_PROVIDERS = _ProviderChoice()
to_option = click.option("--to", type=_PROVIDERS, help="The provider whose request format is written.")
provider_option = click.option(
    "--provider", type=_PROVIDERS, help="The provider whose rules apply; without it, the session's."
)


def _own_presets(exists: bool) -> Callable[[Command], Command]:
    return click.option(
        "--presets-file",
        type=click.Path(path_type=Path, dir_okay=False, exists=exists),
        metavar="FILE",
        help="File of your presets. Default: INSPECTOR_PRESETS, else a file in your settings folder.",
    )


presets_file, read_presets_file = _own_presets(exists=False), _own_presets(exists=True)
"""Output options of commands that may write a file, and of commands that only read it."""
_TEAM = "inspector.team"
"""Key of the context's `meta` with the address of the team's store that `--db` names."""
_TEAM_READERS = frozenset((
    "agents", "ask", "blame", "check", "compare", "compress", "count", "diff", "drop", "export", "find", "lost", "ls",
    "open", "pin", "replay", "report", "restore", "rm", "search", "show", "state", "stats", "top", "tune", "uncompact",
    "undo", "why",
))  # fmt: skip
"""Commands that read a team's store, or remove from it. Plans that they make are in the store of this machine."""


def _reads_team(context: click.Context) -> bool:
    """Return True if the command of a context, which is not that of a group, reads a team's store."""
    is_in_group = context.parent is not None and context.parent.parent is not None
    return context.info_name in _TEAM_READERS and not is_in_group


class _StorePath(click.Path):
    """File of the store, or the address of a team's store, which is kept for `team_address`."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not (isinstance(value, str) and is_team_address(value)):
            return super().convert(value, param, ctx)
        if ctx is None or not _reads_team(ctx):  # the value is not repeated: it may have a password
            self.fail("This command does not read a team's store. Name a file, or push sessions with inspector push.")
        ctx.meta[_TEAM] = value
        return None


class StorePlace(click.Path):
    """Path of a memory store, or the address of a database server, which stays a string."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, str) and is_team_address(value) else super().convert(value, param, ctx)


def team_address() -> str:
    """Return the address of the team's store that `--db` or INSPECTOR_DB names; empty for a store in a file."""
    context = click.get_current_context(silent=True)
    if context is None or not _reads_team(context):
        return ""
    named = str(context.meta.get(_TEAM, ""))
    inherited = os.environ.get("INSPECTOR_DB", "") if context.params.get("db") is None else ""
    return named or (inherited if is_team_address(inherited) else "")


db_option = click.option(
    "--db",
    type=_StorePath(),
    metavar="FILE",
    help="The store: a file, or a team's as postgresql://…. Default: INSPECTOR_DB, else a file in your data folder.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON; failures are in `errors`.")
out_option = click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file to write."
)
companion_option = click.option(
    "--companion/--no-companion",
    default=True,
    help="Also write NAME.inspector.json next to the request, for data that the request has no place for.",
)
_REDACT = "inspector.redact"
"""Key of the context's `meta` with the values of the options of `redact_option`."""


def _keep_choice(context: click.Context, option: click.Parameter, value: Any) -> None:
    context.meta.setdefault(_REDACT, {})[str(option.name)] = value


def redact_kinds_option(command: Command) -> Command:
    """Add the options that choose the kinds of secrets to redact."""
    for name, what in (
        ("without", "Do not redact a kind, for example e-mail; may be repeated."),
        ("with", "Also redact a kind: card, iban, ip, mac, phone or ssn; may be repeated."),
    ):
        command = click.option(
            f"--{name}-kind", multiple=True, metavar="KIND", expose_value=False, callback=_keep_choice, help=what
        )(command)
    return command


def redact_option(command: Command) -> Command:
    """Add `--redact` and its options. `inspector.cli.arguments.open_session` redacts the session that it opens."""
    option = click.option(
        "--redact",
        is_flag=True,
        expose_value=False,
        callback=_keep_choice,
        help="Redact keys, tokens, passwords, e-mail addresses, home folders, and data that cannot be searched.",
    )
    return option(redact_kinds_option(command))


def redaction_choice() -> dict[str, Any]:
    """Return the values of the options of `redact_option` for the current command."""
    context = click.get_current_context(silent=True)
    return dict(context.meta.get(_REDACT, {})) if context else {}


_fail_over = click.option(
    "--fail-over", type=click.IntRange(0), metavar="TOKENS", help="Exit with 3 if the window is larger."
)
_fail_invalid = click.option(
    "--fail-invalid", is_flag=True, help="Exit with 3 if the provider would reject the window."
)


def common(command: Command) -> Command:
    """Add `--db` and `--json`, which all commands with output have."""
    return db_option(json_option(command))


def gates(command: Command) -> Command:
    return _fail_over(_fail_invalid(command))
