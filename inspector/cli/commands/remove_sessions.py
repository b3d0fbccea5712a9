"""`rm` and `store prune`: remove stored sessions for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import open_library
from inspector.cli.command_errors import UsageError
from inspector.cli.confirmation import confirm_change
from inspector.cli.options import common, team_address
from inspector.cli.output import echo, echo_json, paint, report_on_output_error, whole, width
from inspector.cli.schema.values import json_output
from inspector.core.text import clip, lines_of, plural
from inspector.library import Library, days_of_age, remove_session
from inspector.store import SessionContent, Store, TeamRemovals, backups_of, rewriting

_UNCHANGED = "Nothing was removed."
_BACKUPS = "Backups of the server, its replicas and its write-ahead log may contain the text longer."
_memories_option = click.option(
    "--keep-memories", is_flag=True, help="Keep the entries of the persistent tier that come from them."
)
_dry_run_option = click.option("--dry-run", is_flag=True, help="Only list what would be removed.")
_no_vacuum_option = click.option(
    "--no-vacuum", is_flag=True, help="Do not rewrite the tables of a team's store: its files keep the text until then."
)
_yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


@json_output()
class RemovalOutput:
    """Stored sessions that were removed, or would be."""

    sessions: Sequence[SessionContent]
    removed: Annotated[bool, "false with `--dry-run`"]
    backups: Annotated[Sequence[str], "automatic backups that were deleted because they contained plans or memories"]
    in_wal: Annotated[
        bool, "true if their text remains in a file next to the store until another program stops reading it"
    ]
    pending: Annotated[
        Sequence[str], "SQL for the owner of a team's store: until it has run, the server's files contain the text"
    ] = ()


@dataclass(frozen=True, slots=True)
class _Extent:
    """Data that is removed with a session."""

    with_memories: bool
    """Entries of the persistent tier that come from it."""
    with_rollups: bool = True


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="SESSION…")
@_memories_option
@_no_vacuum_option
@_dry_run_option
@_yes_option
@common
def rm(
    targets: Sequence[str],
    keep_memories: bool,
    no_vacuum: bool,
    dry_run: bool,
    yes: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Remove stored sessions for good.

    Removes the log, plans, bookmarks, memories and extracts of each session, their words in the search index, and the
    automatic backups that contain them; the text is overwritten in the store's file. SESSION is the id of a stored
    session, or the file that it was imported from; the totals of a session that was only followed or recorded have its
    id, too. Files of agents are never changed. From a team's store, its owner removes all sessions, and other roles
    those that they pushed; the tables are rewritten afterwards, and cannot be read meanwhile.
    """
    with open_library(db, required=True) as lib:
        if lib.team:
            _remove_from_team(team_address(), targets, no_vacuum, dry_run, yes, as_json)
            return
        if no_vacuum:
            raise UsageError("--no-vacuum is for a team's store.")
        store = lib.required_store
        ids = list(dict.fromkeys(key for target in targets for key in _ids_of(store, target)))
        _remove_listed(lib, ids, _Extent(not keep_memories), dry_run, yes, as_json)


@click.command()
@click.option("--older", required=True, metavar="AGE", help="Minimum age of the last message: 180d, 26w, 6m or 1y.")
@_memories_option
@click.option("--keep-rollups", is_flag=True, help="Keep the totals for inspector stats, without titles and paths.")
@_dry_run_option
@_yes_option
@common
def prune(
    older: str, keep_memories: bool, keep_rollups: bool, dry_run: bool, yes: bool, db: Path | None, as_json: bool
) -> None:
    """Remove stored sessions whose last message is older than an age, for good.

    Removes the same as inspector rm. With --keep-rollups, totals stay, with the names of projects, models, tools and
    files that were read again. The files of agents are never changed.
    """
    days = days_of_age(older)
    if not days:
        raise UsageError(f"{older!r} is not an age. Use a number with d, w, m or y, as in 180d.")
    now = datetime.now(UTC)
    limit = now - timedelta(days=min(days, now.toordinal() - 1))
    with open_library(db, required=True) as lib:
        ids = lib.required_store.removals.ids_before(limit.isoformat())
        _remove_listed(lib, ids, _Extent(not keep_memories, not keep_rollups), dry_run, yes, as_json)


def _remove_listed(lib: Library, ids: Sequence[str], extent: _Extent, dry_run: bool, yes: bool, as_json: bool) -> None:
    """List stored sessions, and remove them for good after a confirmation.

    Args:
        lib: The library.
        ids: Ids of the sessions.
        extent: Data to remove with them.
        dry_run: True to only list them.
        yes: True to remove them without asking.
        as_json: True to print JSON.
    """
    store = lib.required_store
    contents = [store.removals.content(key) for key in ids]
    if contents and not as_json:
        echo("\n".join(line for content in contents for line in _content_lines(content, extent.with_memories)))
    if dry_run or not contents:
        _print_result(RemovalOutput(sessions=contents, removed=False, backups=(), in_wal=False), as_json)
        return
    if not yes:
        confirm_change(f"remove {plural(len(contents), 'session')} for good")
    backups = [str(file) for file in backups_of(Path(store.path))]
    with report_on_output_error(_UNCHANGED), store.atomic():
        for content in contents:
            remove_session(store, content.id, extent.with_memories, extent.with_rollups)
    _print_result(
        RemovalOutput(sessions=contents, removed=True, backups=backups, in_wal=store.entries.has_traces), as_json
    )


def _remove_from_team(
    address: str, targets: Sequence[str], no_vacuum: bool, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """List sessions of a team's store, and remove them for good after a confirmation.

    Args:
        address: Address of the team's store.
        targets: Ids of sessions, or unique prefixes.
        no_vacuum: True to leave the text in the files of the server.
        dry_run: True to only list them.
        yes: True to remove them without asking.
        as_json: True to print JSON.
    """
    with TeamRemovals(address) as removals:
        contents = list({content.id: content for content in map(removals.content, targets)}.values())
        if not as_json:
            echo("\n".join(line for content in contents for line in _content_lines(content, in_team=True)))
        if dry_run:
            _print_result(RemovalOutput(sessions=contents, removed=False, backups=(), in_wal=False), as_json)
            return
        if not yes:
            confirm_change(f"remove {plural(len(contents), 'session')} for good from {removals.name}")
        with report_on_output_error(_UNCHANGED):
            removals.remove([content.id for content in contents])
        pending = rewriting() if no_vacuum else removals.rewrite()
    output = RemovalOutput(sessions=contents, removed=True, backups=(), in_wal=False, pending=pending)
    _print_result(output, as_json, in_team=True)


def _ids_of(store: Store, target: str) -> list[str]:
    """Return the stored sessions that a target names. Raises StoreError and UsageError."""
    if store.rollups.is_alone(target):
        return [target]
    path = Path(target).absolute()
    from_file = [row.id for row in store.sessions() if row.path and Path(row.path) == path]
    if from_file:
        return from_file
    if path.exists():
        raise UsageError(f"{target} is not in the store. rm removes stored sessions; files are never changed.")
    return [store.find(target)]


def _content_lines(content: SessionContent, with_memories: bool = False, in_team: bool = False) -> list[str]:
    counts = [plural(content.messages, "message")]
    if not in_team:
        counts += [plural(content.plans, "plan"), plural(content.bookmarks, "bookmark")]
    if with_memories:
        counts.append(f"{content.memories:,} {'memory' if content.memories == 1 else 'memories'}")
    lines = [paint(clip(f"{content.id}  {content.title}", width()), "strong"), f"  {', '.join(counts)}"]
    if content.source:
        lines.append(paint(f"  the file stays: {whole(content.source)}", "dim"))
    return lines


def _print_result(output: RemovalOutput, as_json: bool, in_team: bool = False) -> None:
    if as_json:
        echo_json(output)
        return
    if not output.removed:
        echo("Nothing to remove." if not output.sessions else _UNCHANGED)
        return
    text = f"Removed {plural(len(output.sessions), 'session')} for good."
    if output.backups:
        text += f" {plural(len(output.backups), 'automatic backup')} deleted."
    text += f" {_BACKUPS if in_team else 'Copies that you made with inspector store backup are not changed.'}"
    if output.in_wal:
        text += " Another program is reading the store: the text leaves the file next to it when that program exits."
    echo("\n".join(lines_of(text, width())))
    if output.pending:
        echo("\n".join(lines_of("The files of the server contain the text until its owner runs:", width())))
        echo("\n".join(output.pending))
