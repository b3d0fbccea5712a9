"""`bookmarks`: messages to find again, each with a note, in the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.tool_activity import Actions, row_words
from inspector.cli.arguments import open_library, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.options import common, redact_option, target
from inspector.cli.output import echo, echo_json, paint, report_on_output_error, whole, width
from inspector.cli.redacted_rows import redacted_rows, sessions_of
from inspector.cli.schema.values import json_output
from inspector.core.text import clip, lines_of, plural
from inspector.library import OpenSession
from inspector.store import Bookmark, Store

_UNCHANGED = "Nothing was changed."


@json_output(inline="mark")
class BookmarkOutput:
    """A bookmarked message."""

    session: Annotated[str, "the session's id in the store"]
    title: Annotated[str, "the session's"]
    message: Annotated[str, "the message's id"]
    number: Annotated[int, "place in the log, from 1"]
    says: Annotated[str, "the tool activity, or the first words, on one line"]
    mark: Bookmark


@json_output()
class BookmarksLsOutput:
    """Bookmarks, in the order of the log."""

    bookmarks: Sequence[BookmarkOutput]


@json_output()
class BookmarksChangeOutput:
    """The bookmarks of a session after a change."""

    session: Annotated[str, "its id in the store"]
    changed: Annotated[Sequence[int], "numbers of the messages whose bookmarks were set or removed"]
    bookmarks: Sequence[BookmarkOutput]


@click.group()
def bookmarks() -> None:
    """List, add and remove bookmarks of messages."""


@bookmarks.command()
@click.argument("target", metavar="[SESSION]", required=False)
@redact_option
@common
def ls(target: str | None, db: Path | None, as_json: bool) -> None:
    """List the bookmarks of a session, or all bookmarks."""
    if target is None:
        with open_library(db, required=True) as library:
            store = library.required_store
            rows = _outputs(store, store.bookmarks.all())
            rows = redacted_rows(rows, sessions_of((row.session for row in rows), store))
    else:
        with open_session(target, db, required=True) as session:
            store, store_id = session.library.required_store, session.bench.store_id
            rows = _outputs(store, store.bookmarks.of(store_id) if store_id else [])
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
    """Bookmark a message, or change the note of its bookmark.

    NUMBER is the message's number as printed by inspector show. The session is imported first if it is not stored.
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
    """Remove bookmarks, and delete their notes from the store's file."""
    with open_session(target, db, required=True) as session:
        messages = {number: _message_id(session, number) for number in numbers}
        store, store_id = session.library.required_store, session.bench.store_id
        with report_on_output_error(_UNCHANGED), session.transaction():
            names = messages.items() if store_id else ()
            changed = [number for number, message in names if store.bookmarks.remove(store_id, message)]
            _say_change(session, changed, as_json, f"{plural(len(changed), 'bookmark')} removed")


def _say_change(session: OpenSession, numbers: list[int], as_json: bool, sentence: str) -> None:
    store, store_id = session.library.required_store, session.bench.store_id
    rest = store.bookmarks.of(store_id) if store_id else []
    if as_json:
        rows = _outputs(store, rest)
        echo_json(BookmarksChangeOutput(session=session.bench.id, changed=numbers, bookmarks=rows))
    else:
        echo(f"{sentence}; {plural(len(rest), 'bookmark')} in this session.")


def _message_id(session: OpenSession, number: int) -> str:
    """Return the id of the message with a number. Raises UsageError if it does not exist."""
    messages = session.bench.session.messages
    if number > len(messages):
        raise UsageError(f"There is no message {number:,}: this session has {len(messages):,}.")
    return messages[number - 1].id


def _outputs(store: Store, marks: Sequence[Bookmark]) -> list[BookmarkOutput]:
    sessions = {key: store.load(key) for key in dict.fromkeys(mark.session_id for mark in marks)}
    actions = {key: Actions(session.messages) for key, session in sessions.items()}
    return [
        BookmarkOutput(
            session=mark.session_id,
            title=sessions[mark.session_id].title,
            message=mark.message_id,
            number=mark.position + 1,
            says=row_words(sessions[mark.session_id].messages[mark.position], actions[mark.session_id]),
            mark=mark,
        )
        for mark in marks
    ]


def _bookmark_lines(rows: Sequence[BookmarkOutput]) -> Iterator[str]:
    if not rows:
        yield "No bookmarks. Add one with inspector bookmarks add SESSION NUMBER NOTE."
        return
    session = None
    for row in rows:
        if row.session != session:
            session = row.session
            yield paint(clip(row.title, width()), "strong")
            yield paint(f"  {whole(session)}", "dim")
        yield f"{row.number:>9}  {clip(row.says, width() - 12)}".rstrip()
        yield from (paint(f"{'':>9}  {line}", "warn") for line in lines_of(row.mark.note, width() - 12) if line.strip())
