"""`bookmarks`: messages to be found again, each with a note, kept in the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from inspector.analysis.tool_activity import Actions, row_words
from inspector.cli.arguments import open_library, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.options import common, target
from inspector.cli.output import echo, echo_json, paint, report_on_output_error, whole, width
from inspector.cli.schema import record
from inspector.cli.schema.finding import BookmarkRecord, BookmarksChangeOutput, BookmarksLsOutput
from inspector.core.text import clip, lines_of, plural
from inspector.library import OpenSession
from inspector.store import Bookmark, Store

_UNCHANGED = "Nothing was changed."


@click.group()
def bookmarks() -> None:
    """List the bookmarks of messages; add and remove some."""


@bookmarks.command()
@click.argument("target", metavar="[SESSION]", required=False)
@common
def ls(target: str | None, db: Path | None, as_json: bool) -> None:
    """List the bookmarks of a session, or all."""
    if target is None:
        with open_library(db, required=True) as library:
            rows = _records(library.required_store, library.required_store.bookmarks.all())
    else:
        with open_session(target, db, required=True) as session:
            store, store_id = session.library.required_store, session.bench.store_id
            rows = _records(store, store.bookmarks.of(store_id) if store_id else [])
    if as_json:
        echo_json(BookmarksLsOutput(bookmarks=rows))
    else:
        echo("\n".join(_bookmark_lines(rows)))


@bookmarks.command()
@target
@click.argument("number", type=click.IntRange(1), metavar="NUMBER")
@click.argument("note", nargs=-1, metavar="[NOTE]…")
@common
def add(target: str, number: int, note: Sequence[str], db: Path | None, as_json: bool) -> None:
    """Bookmark a message, or give its bookmark another note.

    NUMBER is that of the message, as inspector show prints it. A session that is not stored yet is stored first.
    """
    with open_session(target, db, required=True) as session:
        message = _message_id(session, number)
        with report_on_output_error(_UNCHANGED), session.transaction():
            store_id = session.keep()
            session.library.required_store.bookmarks.put(store_id, message, " ".join(note))
            _say_change(session, [number], as_json, f"Bookmarked: message {number:,}")


@bookmarks.command()
@target
@click.argument("numbers", type=click.IntRange(1), nargs=-1, required=True, metavar="NUMBER…")
@common
def rm(target: str, numbers: Sequence[int], db: Path | None, as_json: bool) -> None:
    """Take bookmarks away; their notes leave the store's file."""
    with open_session(target, db, required=True) as session:
        messages = {number: _message_id(session, number) for number in numbers}
        store, store_id = session.library.required_store, session.bench.store_id
        with report_on_output_error(_UNCHANGED), session.transaction():
            names = messages.items() if store_id else ()
            changed = [number for number, message in names if store.bookmarks.remove(store_id, message)]
            _say_change(session, changed, as_json, f"{plural(len(changed), 'bookmark')} taken away")


def _say_change(session: OpenSession, numbers: list[int], as_json: bool, sentence: str) -> None:
    store, store_id = session.library.required_store, session.bench.store_id
    rest = store.bookmarks.of(store_id) if store_id else []
    if as_json:
        rows = _records(store, rest)
        echo_json(BookmarksChangeOutput(session=session.bench.id, changed=numbers, bookmarks=rows))
    else:
        echo(f"{sentence}; {plural(len(rest), 'bookmark')} in this session.")


def _message_id(session: OpenSession, number: int) -> str:
    """The id of the message with a number. Raises UsageError."""
    messages = session.bench.session.messages
    if number > len(messages):
        raise UsageError(f"There is no message {number:,}: this session has {len(messages):,}.")
    return messages[number - 1].id


def _records(store: Store, marks: Sequence[Bookmark]) -> list[BookmarkRecord]:
    sessions = {key: store.load(key) for key in dict.fromkeys(mark.session_id for mark in marks)}
    actions = {key: Actions(session.messages) for key, session in sessions.items()}
    return [
        record(
            BookmarkRecord,
            mark,
            session=mark.session_id,
            title=sessions[mark.session_id].title,
            message=mark.message_id,
            number=mark.position + 1,
            says=row_words(sessions[mark.session_id].messages[mark.position], actions[mark.session_id]),
        )
        for mark in marks
    ]


def _bookmark_lines(rows: Sequence[BookmarkRecord]) -> Iterator[str]:
    if not rows:
        yield "There are no bookmarks. Set one: inspector bookmarks add SESSION NUMBER NOTE, or b in the app."
        return
    session = None
    for row in rows:
        if row["session"] != session:
            session = row["session"]
            yield paint(clip(row["title"], width()), "strong")
            yield paint(f"  {whole(session)}", "dim")
        yield f"{row['number']:>9}  {clip(row['says'], width() - 12)}".rstrip()
        yield from (paint(f"{'':>9}  {line}", "warn") for line in lines_of(row["note"], width() - 12) if line.strip())
