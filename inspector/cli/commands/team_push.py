"""`team` and `push`: set a team's store up on PostgreSQL, and push sessions to it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import open_library
from inspector.cli.command_errors import BAD_INPUT, UsageError
from inspector.cli.confirmation import confirm_change
from inspector.cli.options import db_option, json_option, redact_kinds_option
from inspector.cli.output import echo, echo_json, note, progress, warn
from inspector.cli.redactions import chosen_kinds
from inspector.cli.schema.values import Errors, json_output
from inspector.core.text import is_team_address, plural
from inspector.library import PushOptions, PushOutcome, push_sessions, stored_ids
from inspector.store import (
    TEAM_ROLES,
    LostError,
    Store,
    StoreError,
    TeamChange,
    TeamRole,
    TeamWriter,
    team_add,
    team_init,
)

_WATCH_SECONDS = 30.0
_yes_option = click.option("--yes", is_flag=True, help="Apply it without asking.")
_dry_run_option = click.option("--dry-run", is_flag=True, help="Only print the SQL.")


@json_output()
class TeamOutput:
    """A change of a team's store."""

    store: Annotated[str, "server and database"]
    sql: Annotated[str, "its statements; empty if the store was set up already"]
    applied: bool


@json_output()
class PushOutput:
    """The result of a push to a team's store."""

    store: Annotated[str, "server and database"]
    pushed: Annotated[Sequence[PushOutcome], "sessions that the team's store did not have, or had an earlier state of"]
    unchanged: Annotated[int, "sessions that the team's store has, or that were removed from it"]
    errors: Errors


class _TeamAddress(click.ParamType):  # type: ignore[type-arg]  # generic in later versions of click
    """The address of a team's store."""

    name = "address"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not is_team_address(value):  # the value is not repeated: it may have a password
            raise UsageError("The address of a team's store begins with postgresql://, as postgresql://USER@HOST/NAME.")
        return value


@click.group()
def team() -> None:
    """Set up a team's store on PostgreSQL, and let people read it or push to it.

    The password of an address can be left out: PGPASSWORD, ~/.pgpass and PGSERVICE of PostgreSQL work as well.
    """


@team.command()
@click.argument("address", type=_TeamAddress(), metavar="ADDRESS")
@click.option(
    "--shard",
    "shards",
    type=_TeamAddress(),
    multiple=True,
    metavar="ADDRESS",
    help="An empty database that holds a part of the sessions; repeat it for each server.",
)
@_yes_option
@_dry_run_option
@json_option
def init(address: str, shards: Sequence[str], yes: bool, dry_run: bool, as_json: bool) -> int:
    """Make a team's store of a database: its tables, roles and policies.

    Prints the SQL and asks before it is applied. The user of ADDRESS owns the store and may create roles. A database
    that is a team's store already stays as it is. With --shard, the sessions and their messages are on other servers,
    and ADDRESS, which reads them with postgres_fdw, has the totals and the rules of who may read.
    """
    return _finish(team_init(address, shards), "set up a team's store in", yes, dry_run, as_json)


@team.command()
@click.argument("address", type=_TeamAddress(), metavar="ADDRESS")
@click.argument("member", metavar="NAME")
@click.option("--role", type=click.Choice(TEAM_ROLES), required=True, help="Read totals, read texts as well, or push.")
@click.option("--project", "projects", multiple=True, help="A project to read; may be repeated. Without it, all.")
@_yes_option
@_dry_run_option
@json_option
def add(
    address: str, member: str, role: TeamRole, projects: Sequence[str], yes: bool, dry_run: bool, as_json: bool
) -> int:
    """Let a role of PostgreSQL use a team's store.

    NAME is a person or a group that can log in, or whose members can. totals reads numbers without titles and texts.
    """
    if role == "push" and projects:
        raise UsageError("--project limits what is read, and a role that pushes reads its own sessions.")
    return _finish(team_add(address, member, role, projects), f"let {member} use", yes, dry_run, as_json)


def _finish(change: TeamChange, verb: str, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Print the SQL of a change, and apply it after a confirmation. Returns the exit code."""
    is_applied = bool(change.sql) and not dry_run
    if change.sql and not as_json and (dry_run or not yes):
        echo(change.sql)
    if is_applied:
        if not yes:
            confirm_change(f"{verb} {change.name}")
        change.apply()
    if as_json:
        echo_json(TeamOutput(store=change.name, sql=change.sql, applied=is_applied))
    elif is_applied:
        echo(f"Done: {change.name}.")
    elif not change.sql:
        echo(f"{change.name} is a team's store already.")
    return 0


@click.command()
@click.argument("sessions", nargs=-1, metavar="[SESSION…]")
@click.option("--all", "everything", is_flag=True, help="Push all stored sessions.")
@click.option(
    "--to",
    "address",
    type=_TeamAddress(),
    envvar="INSPECTOR_TEAM",
    required=True,
    metavar="ADDRESS",
    help="The team's store, postgresql://USER@HOST/NAME. Default: INSPECTOR_TEAM.",
)
@click.option("--stats-only", is_flag=True, help="Push totals, and no title, path or text.")
@click.option("--no-redact", is_flag=True, help="Push texts as recorded, with their secrets.")
@click.option("--watch", is_flag=True, help="Push what changes, every 30 seconds, until ctrl+c.")
@redact_kinds_option
@db_option
@json_option
def push(
    sessions: Sequence[str],
    everything: bool,
    address: str,
    stats_only: bool,
    no_redact: bool,
    watch: bool,
    db: Path | None,
    as_json: bool,
) -> int:
    """Push stored sessions to a team's store, without secrets.

    SESSION is the id of a stored session. Only what the team's store does not have is sent, in batches that are written
    whole or not at all, so an interrupted push continues where it ended. Several machines can push at the same time.
    With --stats-only, the text of a session that was pushed before is removed from the team's store. --all leaves out
    sessions that were removed from it with inspector rm.
    """
    if bool(sessions) == everything:
        raise UsageError("Name the sessions to push, or --all.")
    if watch and as_json:
        raise UsageError("--watch cannot be combined with --json.")
    with_kinds, without_kinds = chosen_kinds()
    if no_redact and (with_kinds or without_kinds):
        raise UsageError("--with-kind and --without-kind cannot be combined with --no-redact.")
    options = PushOptions(not no_redact, stats_only, not everything, with_kinds, without_kinds)
    with open_library(db, required=True) as lib:
        if watch:
            _watch(lib.required_store, address, sessions, options)
        return _push(lib.required_store, address, sessions, options, as_json)


def _push(store: Store, address: str, sessions: Sequence[str], options: PushOptions, as_json: bool) -> int:
    """Push once, and print the result. Returns the exit code."""
    pushed: list[PushOutcome] = []
    errors: list[str] = []
    unchanged = 0
    ids = stored_ids(store, sessions)
    with TeamWriter(address) as writer, progress() as on_progress:
        name = writer.name
        try:
            for outcome in push_sessions(store, writer, ids, options, on_progress):
                if outcome.problem:
                    errors.append(outcome.problem)
                elif outcome.is_sent:
                    pushed.append(outcome)
                else:
                    unchanged += 1
        except StoreError as problem:
            done = len(pushed) + unchanged
            errors.append(f"{problem}. The team's store has {done:,} of {plural(len(ids), 'session')}: push again.")
    for error in errors:
        warn(error)
    if as_json:
        echo_json(PushOutput(store=name, pushed=pushed, unchanged=unchanged, errors=errors))
    else:
        echo(f"Pushed {plural(len(pushed), 'session')} to {name}, {unchanged:,} unchanged.")
    return BAD_INPUT if errors else 0


def _watch(store: Store, address: str, sessions: Sequence[str], options: PushOptions) -> None:
    """Push what changes until an interrupt. A lost connection is reported once, and tried again."""
    is_lost = False
    while True:
        try:
            with TeamWriter(address) as writer:
                outcomes = list(push_sessions(store, writer, stored_ids(store, sessions), options))
                for outcome in outcomes:
                    if outcome.problem:
                        warn(outcome.problem)
                count = sum(outcome.is_sent and not outcome.problem for outcome in outcomes)
                if count or is_lost:
                    note(f"Pushed {plural(count, 'session')} to {writer.name}.")
                is_lost = False
        except LostError as error:
            if not is_lost:
                warn(f"{error}.")
            is_lost = True
        _pause()


def _pause() -> None:
    time.sleep(_WATCH_SECONDS)
