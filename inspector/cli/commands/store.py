"""`store`: check the store, repair a damaged one, make a backup, and remove old sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.command_errors import GATE, UsageError
from inspector.cli.commands.remove_sessions import prune
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import common
from inspector.cli.output import echo, echo_json, paint, progress, report_on_output_error, whole, width
from inspector.cli.schema.values import json_output
from inspector.core.text import clip, lines_of, plural
from inspector.core.work_pool import ProgressCallback
from inspector.store import Repair, SessionCheck, StoreCheck, check_store, default_path, repair_store, save_backup

_MAX_TOLD = 20
"""Maximum sessions listed one by one."""


@json_output(optional="damaged memories lost_memories complete problems gone sessions")
class StoreRepairOutput:
    """The result of a repair. For an intact store, only the first three keys have values."""

    path: str
    whole: Annotated[bool, "true if there was nothing to repair"]
    repaired: Annotated[str | None, "path of the new store"] = None
    damaged: Annotated[str | None, "path of the damaged one"] = None
    memories: Annotated[int | None, "recovered entries of the persistent tier"] = None
    lost_memories: int | None = None
    complete: Annotated[bool | None, "true if nothing was lost"] = None
    problems: Sequence[str] | None = None
    gone: Sequence[str] | None = None
    sessions: Sequence[SessionCheck] | None = None


@json_output()
class StoreBackupOutput:
    """A copy of a store."""

    path: str
    backup: Annotated[str, "path of the copy"]
    bytes: Annotated[int, "size of the copy"]
    whole: Annotated[bool, "true if the store, and therefore the copy, is intact"]


@click.group()
def store() -> None:
    """Check, repair, back up and prune the store.

    Plans, memories and bookmarks are backed up automatically: when a store is closed, at most once a day. The last five
    backups are in a private folder next to the store (inspector.backups for inspector.db), and repair restores from
    them what is lost. Sessions can be imported again from their files.
    """


store.add_command(prune)


@store.command()
@common
def check(db: Path | None, as_json: bool) -> int:
    """Check whether the store is damaged, and what can be recovered of each session.

    Changes nothing. Exits with 0 if the store is intact, with 3 if it is damaged, and with 1 if there is no store.
    """
    with _check_progress() as on_progress:
        result = check_store(_path_of(db), on_progress)
    if as_json:
        echo_json(result)
    else:
        echo("\n".join(_check_text(result)))
        if not result.whole:
            echo(
                "\n".join(
                    lines_of(
                        "inspector store repair writes a new store with everything that can be recovered.", width()
                    )
                )
            )
    return 0 if result.whole else GATE


@store.command()
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The new store.")
@click.option("--replace", is_flag=True, help="Replace the damaged store, and keep it under another name.")
@common
def repair(out: Path | None, replace: bool, db: Path | None, as_json: bool) -> int:
    """Write a new store with everything that can be recovered from a damaged one.

    Copies what SQLite can still read, and restores lost plans, memories and bookmarks from the automatic backups. The
    damaged file is never changed. The new store is written next to it, or to --out. With --replace it takes the name
    of the damaged one, which is renamed. Exits with 0 if nothing was lost, and with 3 if something was.
    """
    if out and replace:
        raise UsageError("--out cannot be combined with --replace.")
    path = _path_of(db)
    with _check_progress() as on_progress:
        result = repair_store(path, out, replace, on_progress)
    with report_on_output_error(
        "Nothing was repaired." if result is None else f"The new store is written: {result.path}."
    ):
        if as_json:
            echo_json(_repair_output(path, result))
        elif result is None:
            echo("\n".join(lines_of(f"{path} is intact, so nothing was written.", width())))
        else:
            echo("\n".join(_repair_text(result)))
    return GATE if result and not result.complete else 0


@store.command()
@click.argument("to", metavar="FILE", type=click.Path(path_type=Path))
@common
def backup(to: Path, db: Path | None, as_json: bool) -> int:
    """Copy the store to a new file, even while it is in use.

    Exits with 3 if the store, and therefore the copy, is damaged.
    """
    path = _path_of(db)
    with HeldInterrupt():
        sound = save_backup(path, to)
    with report_on_output_error(f"The copy is written: {to}."):
        if as_json:
            echo_json(StoreBackupOutput(path=str(path), backup=str(to), bytes=to.stat().st_size, whole=sound))
        else:
            damage = "" if sound else ". It is damaged like the store: see inspector store check"
            echo("\n".join(lines_of(f"Copied {path} to {to}{damage}.", width())))
    return 0 if sound else GATE


@contextmanager
def _check_progress() -> Iterator[ProgressCallback]:
    """Yield progress of a check. An interrupt stops it at the next report, so that no temporary copy is left."""
    with progress() as on_progress, HeldInterrupt() as interrupt:

        def advance(doing: str, count: int, total: int) -> None:
            if interrupt.is_set():
                raise click.Abort
            on_progress(doing, count, total)

        yield advance


def _path_of(db: Path | None) -> Path:
    return db or default_path()


def _check_text(result: StoreCheck) -> Iterator[str]:
    """Yield the damage of the file, and each session with its damage below."""
    good = plural(sum(session.whole for session in result.sessions), "session")
    if result.whole:
        yield paint(f"{whole(result.path)} is intact: {good}.", "good")
        return
    yield paint(f"{whole(result.path)} is damaged.", "bad")
    yield from _problem_lines(result.problems)
    yield from _problem_lines([f"cannot be recovered: {loss}" for loss in result.gone])
    yield ""
    for session in result.sessions:
        if not session.whole:
            yield from _session_text(session)
    yield f"{good} of {len(result.sessions):,} intact."


def _session_text(session: SessionCheck) -> Iterator[str]:
    yield paint(clip(session.title, width()), "strong")
    yield paint(f"  {whole(session.id)}", "dim")
    yield from _problem_lines(session.problems)
    count = f"{session.rescued:,} of {plural(session.messages, 'message')}"
    count += f", {session.mended:,} of them from their text only" if session.mended else ""
    count += f", {session.changed:,} of them with changes" if session.changed else ""
    count += f", the beginning of {session.cut:,} more" if session.cut else ""
    plans = f", {session.rescued_plans:,} of {plural(session.plans, 'plan')}" if session.plans else ""
    yield f"  can be recovered: {count}{plans}"


def _problem_lines(problems: Sequence[str]) -> Iterator[str]:
    for problem in problems:
        yield from (paint(f"  {line}", "warn") for line in lines_of(problem, width() - 2))


def _repair_output(path: Path, repair: Repair | None) -> StoreRepairOutput:
    if repair is None:
        return StoreRepairOutput(path=str(path), whole=True)
    return StoreRepairOutput(
        path=str(path),
        whole=False,
        repaired=str(repair.path),
        damaged=str(repair.old_path),
        memories=repair.memories,
        lost_memories=repair.lost_memories,
        complete=repair.complete,
        problems=repair.check.problems,
        gone=repair.check.gone,
        sessions=repair.check.sessions,
    )


def _repair_text(repair: Repair) -> Iterator[str]:
    """Yield the path of the new store, and the losses."""
    yield from lines_of(f"The new store: {repair.path}", width())
    yield from lines_of(f"The damaged store, unchanged: {repair.old_path}", width())
    sessions = repair.check.sessions
    messages, plans = (sum(getattr(session, name) for session in sessions) for name in ("rescued", "rescued_plans"))
    parts = ((len(sessions), "session"), (messages, "message"), (plans, "plan"))
    yield f"Rescued: {', '.join(plural(number, noun) for number, noun in parts)}."
    yield from _loss_lines(repair)
    if repair.complete:
        yield paint("Nothing was lost.", "good")


def _loss_lines(repair: Repair) -> Iterator[str]:
    """Yield the parts that were lost or changed."""
    sessions = repair.check.sessions
    for session in repair.lost[:_MAX_TOLD]:
        losses = plural(session.messages - session.rescued, "message")
        losses += f", except the beginning of {session.cut:,}" if session.cut else ""
        losses += f"; {plural(session.plans - session.rescued_plans, 'plan')}" if session.plans else ""
        yield from lines_of(f"Lost of {session.title} ({session.id}): {losses}", width())
    repairs, changes = (sum(getattr(session, name) for session in sessions) for name in ("mended", "changed"))
    if repairs:
        yield f"Rebuilt from their text: {plural(repairs, 'message')}; time, model and agent may be lost."
    if changes:
        yield f"Differ from what was stored: {plural(changes, 'message')}; store check names the sessions."
    if len(repair.lost) > _MAX_TOLD:
        yield f"{len(repair.lost) - _MAX_TOLD:,} more sessions have losses; --json lists them."
    if repair.lost_memories:
        memories = repair.memories + repair.lost_memories
        yield f"Lost persistent memories: {repair.lost_memories:,} of {memories:,}."
    for loss in repair.check.gone:
        yield from lines_of(f"Lost: {loss}.", width())
