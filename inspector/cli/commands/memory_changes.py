"""`memory promote`, `demote`, `pin` and `forget`: what becomes of what is remembered."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import open_library, open_session
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.commands.stack import RANGE
from inspector.cli.options import common
from inspector.cli.output import echo, echo_json, is_terminal, report_on_output_error, width
from inspector.cli.schema.values import json_output
from inspector.core.conversation import Session
from inspector.core.text import clip, lines_of, plural
from inspector.library import MemoryMoveError, promote_messages
from inspector.store import MEMORY_KINDS, STORED_TIERS, Memory, MemoryFilter, MemoryKind, Store, StoredTierName

_UNCHANGED = "Nothing was changed."


@json_output()
class MemoryMoveOutput:
    """Entries after they were promoted, demoted or pinned."""

    entries: Sequence[Memory]


@json_output()
class MemoryForgetOutput:
    """What was forgotten."""

    forgotten: Annotated[int, "entries that are gone, with every trace of their texts"]
    pinned: Annotated[int, "entries that were meant too, and stay because they are pinned"]
    in_logs: Annotated[int, "messages in the logs of stored sessions that these entries came from: they stay"]
    in_wal: Annotated[bool, "whether their texts wait beside the store until another program has ended its reading"]


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="ID | SESSION MESSAGE…")
@click.option("--to", "tier", type=click.Choice(STORED_TIERS), default="persistent", help="The tier of a message.")
@click.option("--kind", type=click.Choice(MEMORY_KINDS), default="archived", help="What a message is kept as.")
@click.option("--key", metavar="KEY", help="The name that a message is kept under; what stood there is replaced.")
@click.option("--reason", default="promoted by hand", metavar="TEXT", help="Why, for whoever reads it later.")
@common
def promote(
    words: Sequence[str],
    tier: StoredTierName,
    kind: MemoryKind,
    key: str | None,
    reason: str,
    db: Path | None,
    as_json: bool,
) -> None:
    """Let an entry outlive its session, or make entries of messages of a session.

    ID is a number as inspector memory ls prints it; MESSAGE a number as inspector show prints it, a range, or an id.
    """
    if len(words) == 1:
        number = _number_of(words[0])
        _change(db, as_json, "Promoted", lambda store: [store.entries.promote(number)])
        return
    with open_session(words[0], db, required=True) as session:
        if not session.bench.store_id:
            raise CommandError(f"{words[0]} is not in the store: inspector import puts it there.")
        ids = [name for word in words[1:] for name in _ids_of(session.bench.session, word)]
        store = session.library.required_store
        try:
            with report_on_output_error(_UNCHANGED), store.atomic():
                entries = promote_messages(session.bench, store, ids, tier, kind, key, reason)
                _say_entries(entries, as_json, f"Put into the {tier} tier")
        except MemoryMoveError as error:
            raise CommandError(str(error)) from error


@click.command()
@click.argument("number", type=int, metavar="ID")
@click.option("--session", metavar="SESSION", help="The stored session to move it to, where that is not its own.")
@common
def demote(number: int, session: str | None, db: Path | None, as_json: bool) -> None:
    """Move an entry into the session tier: it goes with its session."""

    def move(store: Store) -> list[Memory]:
        return [store.entries.demote(number, store.find(session) if session else None)]

    _change(db, as_json, "Demoted", move)


@click.command()
@click.argument("numbers", type=int, nargs=-1, required=True, metavar="ID…")
@click.option("--off", is_flag=True, help="Unpin them instead.")
@common
def pin(numbers: Sequence[int], off: bool, db: Path | None, as_json: bool) -> None:
    """Pin entries: they do not expire, an undone plan leaves them, and forgetting many at once passes over them."""

    def mark(store: Store) -> list[Memory]:
        return [store.entries.unpin(number) if off else store.entries.pin(number) for number in numbers]

    _change(db, as_json, "Unpinned" if off else "Pinned", mark)


def _change(db: Path | None, as_json: bool, verb: str, change: Callable[[Store], list[Memory]]) -> None:
    """Change entries, all of them or, where one is not there, none."""
    with open_library(db, required=True) as lib:
        store = lib.required_store
        with report_on_output_error(_UNCHANGED), store.atomic():
            _say_entries(change(store), as_json, verb)


def _say_entries(entries: Sequence[Memory], as_json: bool, verb: str) -> None:
    if as_json:
        echo_json(MemoryMoveOutput(entries=entries))
        return
    for entry in entries:
        echo(clip(f"{verb}: {entry.id} {entry.kind}, now in the {entry.tier} tier: {entry.text[:200]}", width()))


def _number_of(word: str) -> int:
    if not word.isdecimal():
        raise UsageError(f"{word!r} is no number of an entry; for a message of a session say SESSION MESSAGE.")
    return int(word)


def _ids_of(session: Session, word: str) -> list[str]:
    """The messages of a log that a word names: an id, a number, a range. Raises UsageError."""
    ids = [message.id for message in session.messages]
    if word in ids:
        return [word]
    match = RANGE.fullmatch(word)
    if match and 1 <= int(match[1]) <= int(match[2] or match[1]) <= len(ids):
        return ids[int(match[1]) - 1 : int(match[2] or match[1])]
    raise UsageError(f"There is no message {word!r} in the log: inspector show lists them by number.")


@click.command()
@click.argument("numbers", type=int, nargs=-1, metavar="[ID…]")
@click.option("--session", metavar="SESSION", help="All that comes from this stored session.")
@click.option("--kind", type=click.Choice(MEMORY_KINDS), help="All of this kind.")
@click.option("--expired", is_flag=True, help="What has expired already.")
@click.option("--yes", is_flag=True, help="Do not ask before forgetting what was not named by its number.")
@common
def forget(
    numbers: Sequence[int],
    session: str | None,
    kind: MemoryKind | None,
    expired: bool,
    yes: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Delete entries, and every trace of their texts in the store.

    The logs of sessions stay as they are. What is pinned is forgotten by its number only.
    """
    chooses = session is not None or kind is not None
    if bool(numbers) + chooses + expired != 1:
        raise UsageError("Say what to forget: numbers of entries, or --session and --kind, or --expired.")
    with open_library(db, required=True) as lib:
        store = lib.required_store
        if expired:
            output = _forgotten(store, store.entries.sweep_expired())
        elif numbers:
            entries = [store.entries.get(number) for number in dict.fromkeys(numbers)]
            output = _forgotten(store, store.forget(*numbers), entries)
        else:
            meant = MemoryFilter(kind=kind, session_id=store.find(session) if session else None)
            output = _forget_many(store, store.entries.page(-1, meant=meant), yes)
    text = _forget_text(output)
    with report_on_output_error(text):
        if as_json:
            echo_json(output)
        else:
            echo("\n".join(lines_of(text, width())))


def _forget_many(store: Store, entries: Sequence[Memory], yes: bool) -> MemoryForgetOutput:
    """Forget all entries but the pinned ones, once the person has said so."""
    doomed = [entry for entry in entries if not entry.is_pinned]
    if doomed and not yes:
        _ask(len(doomed))
    return _forgotten(store, store.forget(*(entry.id for entry in doomed)), doomed, len(entries) - len(doomed))


def _forgotten(store: Store, count: int, entries: Sequence[Memory] = (), pinned: int = 0) -> MemoryForgetOutput:
    """What to say of entries that are gone."""
    sessions = {entry.session_id for entry in entries if entry.session_id and entry.message_ids}
    return MemoryForgetOutput(forgotten=count, pinned=pinned, in_logs=len(sessions), in_wal=store.entries.has_traces)


def _ask(count: int) -> None:
    """Let the person say yes to forgetting many entries. Raises UsageError where nobody can be asked."""
    if not is_terminal(sys.stdin):
        raise UsageError(f"This would forget {count:,} {'entry' if count == 1 else 'entries'}: say so with --yes.")
    click.confirm(f"Forget {count:,} {'entry' if count == 1 else 'entries'}?", abort=True, err=True)


def _forget_text(output: MemoryForgetOutput) -> str:
    count = output.forgotten
    text = f"Forgot {count:,} {'entry' if count == 1 else 'entries'}."
    if output.pinned:
        text += f" {output.pinned:,} pinned stay."
    if output.in_logs:
        text += f" What the logs of {plural(output.in_logs, 'session')} say stays there."
    if output.in_wal:
        text += " Another program is reading the store: the text is gone from the file beside it when that ends."
    return text
