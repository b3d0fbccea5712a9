"""`memory promote`, `demote`, `pin` and `forget`: change memory entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import open_library, open_session
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.commands.stack import RANGE
from inspector.cli.confirmation import confirm_change
from inspector.cli.options import common
from inspector.cli.output import echo, echo_json, report_on_output_error, width
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
    """The result of forgetting entries."""

    forgotten: Annotated[int, "deleted entries, with every trace of their texts"]
    pinned: Annotated[int, "matching entries that were kept because they are pinned"]
    in_logs: Annotated[int, "messages in the logs of stored sessions that these entries were created from; not changed"]
    in_wal: Annotated[
        bool, "true if their texts remain in a file next to the store until another program stops reading it"
    ]


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="ID | SESSION MESSAGE…")
@click.option("--to", "tier", type=click.Choice(STORED_TIERS), default="persistent", help="The tier for messages.")
@click.option("--kind", type=click.Choice(MEMORY_KINDS), default="archived", help="The kind for messages.")
@click.option("--key", metavar="KEY", help="The key for messages; an entry with this key is replaced.")
@click.option("--reason", default="promoted by the user", metavar="TEXT", help="A reason, shown with the entry.")
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
    """Keep an entry beyond its session, or create entries from messages.

    ID is a number as printed by inspector memory ls. MESSAGE is a number as printed by inspector show, a range, or an
    id.
    """
    if len(words) == 1:
        number = _number_of(words[0])
        _change(db, as_json, "Promoted", lambda store: [store.entries.promote(number)])
        return
    with open_session(words[0], db, required=True) as session:
        if not session.bench.store_id:
            raise CommandError(f"{words[0]} is not in the store. Import it with inspector import.")
        ids = [name for word in words[1:] for name in _ids_of(session.bench.session, word)]
        store = session.library.required_store
        try:
            with report_on_output_error(_UNCHANGED), store.atomic():
                entries = promote_messages(session.bench, store, ids, tier, kind, key, reason)
                _say_entries(entries, as_json, f"Added to the {tier} tier")
        except MemoryMoveError as error:
            raise CommandError(str(error)) from error


@click.command()
@click.argument("number", type=int, metavar="ID")
@click.option("--session", metavar="SESSION", help="The stored session to move it to. Default: its own session.")
@common
def demote(number: int, session: str | None, db: Path | None, as_json: bool) -> None:
    """Move an entry into the session tier, where it is deleted with its session."""

    def move(store: Store) -> list[Memory]:
        return [store.entries.demote(number, store.find(session) if session else None)]

    _change(db, as_json, "Demoted", move)


@click.command()
@click.argument("numbers", type=int, nargs=-1, required=True, metavar="ID…")
@click.option("--off", is_flag=True, help="Unpin them instead.")
@common
def pin(numbers: Sequence[int], off: bool, db: Path | None, as_json: bool) -> None:
    """Pin entries: they do not expire, and are kept when plans are undone or many entries are forgotten."""

    def mark(store: Store) -> list[Memory]:
        return [store.entries.unpin(number) if off else store.entries.pin(number) for number in numbers]

    _change(db, as_json, "Unpinned" if off else "Pinned", mark)


def _change(db: Path | None, as_json: bool, verb: str, change: Callable[[Store], list[Memory]]) -> None:
    """Change all of the entries, or none if one does not exist."""
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
        raise UsageError(f"{word!r} is not the number of an entry. For a message of a session, use SESSION MESSAGE.")
    return int(word)


def _ids_of(session: Session, word: str) -> list[str]:
    """Return the messages of a log for an id, a number or a range. Raises UsageError."""
    ids = [message.id for message in session.messages]
    if word in ids:
        return [word]
    match = RANGE.fullmatch(word)
    if match and 1 <= int(match[1]) <= int(match[2] or match[1]) <= len(ids):
        return ids[int(match[1]) - 1 : int(match[2] or match[1])]
    raise UsageError(f"There is no message {word!r} in the log. inspector show lists messages by number.")


@click.command()
@click.argument("numbers", type=int, nargs=-1, metavar="[ID…]")
@click.option("--session", metavar="SESSION", help="All entries from this stored session.")
@click.option("--kind", type=click.Choice(MEMORY_KINDS), help="All entries of this kind.")
@click.option("--expired", is_flag=True, help="All expired entries.")
@click.option("--yes", is_flag=True, help="Do not ask before forgetting entries that are not given by number.")
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

    The logs of sessions are not changed. Pinned entries are only forgotten by number.
    """
    chooses = session is not None or kind is not None
    if bool(numbers) + chooses + expired != 1:
        raise UsageError("Nothing to forget. Give numbers of entries, or --session and --kind, or --expired.")
    with open_library(db, required=True) as lib:
        store = lib.required_store
        if expired:
            output = _forgotten(store, store.entries.sweep_expired())
        elif numbers:
            entries = [store.entries.get(number) for number in dict.fromkeys(numbers)]
            output = _forgotten(store, store.entries.forget(*numbers), entries)
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
    """Forget all unpinned entries after a confirmation."""
    doomed = [entry for entry in entries if not entry.is_pinned]
    if doomed and not yes:
        confirm_change(f"forget {len(doomed):,} {'entry' if len(doomed) == 1 else 'entries'}")
    return _forgotten(store, store.entries.forget(*(entry.id for entry in doomed)), doomed, len(entries) - len(doomed))


def _forgotten(store: Store, count: int, entries: Sequence[Memory] = (), pinned: int = 0) -> MemoryForgetOutput:
    """Return the report on forgotten entries."""
    sessions = {entry.session_id for entry in entries if entry.session_id and entry.message_ids}
    return MemoryForgetOutput(forgotten=count, pinned=pinned, in_logs=len(sessions), in_wal=store.entries.has_traces)


def _forget_text(output: MemoryForgetOutput) -> str:
    count = output.forgotten
    text = f"Forgot {count:,} {'entry' if count == 1 else 'entries'}."
    if output.pinned:
        text += f" {output.pinned:,} pinned kept."
    if output.in_logs:
        text += f" The logs of {plural(output.in_logs, 'session')} are not changed."
    if output.in_wal:
        text += (
            " Another program is reading the store. The text is deleted from the file next to it when that "
            "program exits."
        )
    return text
