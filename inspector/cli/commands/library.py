"""`import`, `ls` and `search`: list sessions and import them into the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import click

from inspector.cli.arguments import open_library
from inspector.cli.command_errors import BAD_INPUT
from inspector.cli.options import common
from inspector.cli.output import (
    Ink,
    OutputClosedError,
    OutputError,
    clear_progress,
    echo,
    echo_json,
    note,
    paint,
    progress,
    warn,
    whole,
    width,
)
from inspector.cli.schema.values import Errors, json_output
from inspector.core.text import cells, clip, head, pad, plural
from inspector.library import (
    Entry,
    ImportOutcome,
    SearchProgress,
    SessionHit,
    list_entries,
    place_of,
    search_sessions,
    target_entries,
)

_MATCH: Ink = "accent"
_PROJECT = 13
"""Columns of a project's name."""
_RIGHT = 59
"""Columns to the right of the title, except the format."""
_WITH_FORMAT = 100
"""Minimum columns for the format."""


@json_output()
class ListingOutput:
    """Sessions, as listed by `inspector ls`."""

    sessions: Sequence[Entry]
    errors: Errors


@json_output()
class ImportOutput:
    """The result of an import."""

    sessions: Sequence[ImportOutcome]
    errors: Errors


@json_output(inline="scope")
class SearchOutput:
    """Messages that contain all words: those of the store first, best match first, then file by file."""

    scope: SearchProgress
    hits: Sequence[SessionHit]
    errors: Errors


@click.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@common
def import_(paths: Sequence[str], db: Path | None, as_json: bool) -> int:
    """Import sessions into the store.

    PATH is a file or a folder. Importing a file again adds its new messages. Source files are never written to.
    """
    return import_paths(paths, db, as_json)


def import_paths(paths: Sequence[str], db: Path | None, as_json: bool) -> int:
    """Import files and folders, and print the result of each. Returns the exit code."""
    sessions: list[ImportOutcome] = []
    errors: list[str] = []
    has_failure = False
    try:
        with open_library(db, required=True) as lib, progress() as on_progress:
            for outcome in lib.import_targets(paths, on_progress):
                clear_progress()
                if outcome.problem:
                    has_failure |= not outcome.aside
                    errors.append(outcome.problem)
                    warn(outcome.problem)
                    continue
                sessions.append(outcome)
                if not as_json:
                    echo(_outcome_lines(outcome))
        if as_json:
            echo_json(ImportOutput(sessions=sessions, errors=errors))
    except (OutputClosedError, OutputError):
        count = plural(len(sessions), "session")
        note(f"{count} had already been imported. Importing them again does not duplicate them.")
        raise
    return BAD_INPUT if has_failure or (errors and not sessions) else 0


def _outcome_lines(outcome: ImportOutcome) -> str:
    addition = outcome.addition
    assert addition is not None, "an import without a problem has a session"
    if addition.new:
        effect = f"new, {plural(addition.total, 'message')}"
    elif addition.writes:
        effect = f"{addition.writes:,} more, {plural(addition.total, 'message')}"
    else:
        effect = f"known, {plural(addition.total, 'message')}"
    if outcome.damage:
        effect += f", {plural(len(outcome.damage), 'damaged part')}"
    title = paint(pad(outcome.title, width() - cells(effect) - 2), "strong")
    return f"{title}  {effect}\n{paint(f'  {whole(addition.id)}', 'dim')}"


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@common
def ls(paths: Sequence[str], db: Path | None, as_json: bool) -> int:
    """List the sessions of files, of folders, or of this machine.

    Without PATH, lists stored sessions and those that agents have recorded on this machine.
    """
    entries, warning = library_entries(paths, db)
    if as_json:
        echo_json(listing(entries, warning))
    elif not entries or not all(entry.problem for entry in entries):
        echo("\n".join(list_text(entries)))
    return trouble(entries) or (BAD_INPUT if warning and not paths else 0)


def trouble(entries: Sequence[Entry]) -> int:
    """Return the exit code for a list: 1 if a named path, or everything, is unusable."""
    wrong = [entry for entry in entries if entry.problem and not Path(entry.target).is_dir()]
    return BAD_INPUT if wrong or (entries and all(entry.problem for entry in entries)) else 0


def library_entries(paths: Sequence[str], db: Path | None) -> tuple[list[Entry], str]:
    """Return the entries of the named paths, or all entries, and the reason if the store cannot be read.

    Problems are printed on standard error.
    """
    with open_library(db) as lib, progress() as on_progress:
        entries = []
        for entry, share in target_entries(paths, lib.store) if paths else list_entries((), lib.store):
            on_progress("reading", round(100 * (share or 0)), 100)
            entries.append(entry)
    for entry in entries:
        if entry.problem:
            warn(entry.problem)
    return entries, lib.warning if lib.store is None else ""


def listing(entries: Sequence[Entry], warning: str = "") -> ListingOutput:
    """Return a list for JSON output, with a warning besides its entries."""
    errors = [*(entry.problem for entry in entries), warning]
    return ListingOutput(sessions=entries, errors=[error for error in errors if error])


def list_text(entries: Sequence[Entry]) -> Iterator[str]:
    """Return sessions as a table by source, each followed by the full path that opens it."""
    rows = [entry for entry in entries if not entry.problem]
    if not rows:
        yield "No sessions. To open one: inspector FILE. To import some: inspector import PATH…"
        return
    right = f"{pad('project', _PROJECT)} {_format('format')}{'messages':>8} {'tokens':>10} {'peak':>5}  last change"
    yield paint(f"{'session':<{_title_room()}}  {right}", "dim")
    for origin, group in groupby(rows, lambda entry: entry.origin):
        if origin == "found":
            yield paint("\non this machine, not imported", "dim")
        for path, same in groupby(group, lambda entry: _file_of(entry)):
            sessions = list(same)
            if path and len(sessions) > 1:
                yield paint(f"  {whole(path)}, as FILE#1 and so on", "dim")
            for entry in sessions:
                yield _entry_line(entry)
                if not path or len(sessions) == 1:
                    place = f"  {whole(entry.path)}" if entry.path not in ("", entry.target) else ""
                    yield paint(f"  {whole(entry.target)}{place}", "dim")


def _file_of(entry: Entry) -> str:
    """Return the file of a session if it has several sessions, else an empty string."""
    return entry.path if entry.number else ""


def _title_room() -> int:
    return max(width() - cells(_format("")) - _RIGHT, 12)


def _format(name: str) -> str:
    """Return the column of a format, or an empty string on narrow terminals."""
    return f"{pad(name, 16)} " if width() >= _WITH_FORMAT else ""


def _entry_line(entry: Entry) -> str:
    title = pad(f"{entry.number} {entry.title}".strip(), _title_room())
    messages = "" if entry.messages is None else f"{entry.messages:,}"
    tokens = "" if entry.tokens is None else f"{'≈' if entry.estimated else ''}{entry.tokens:,}"
    peak = "" if entry.peak_share is None else f"{'≈' if entry.peak_estimated else ''}{entry.peak_share:.0%}"
    numbers = f"{messages:>8} {tokens:>10} {peak:>5}  {clip(entry.changed[:16].replace('T', ' '), 16)}".rstrip()
    return f"{paint(title, 'strong')}  {pad(entry.project, _PROJECT)} {_format(entry.format)}{numbers}"


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="WORDS… [PATH…]")
@click.option(
    "--limit", "most", type=click.IntRange(1), default=20, metavar="N", help="Maximum number of messages to print."
)
@common
def search(words: Sequence[str], most: int, db: Path | None, as_json: bool) -> int:
    """Find messages in stored sessions, and in the files and folders given after the words.

    A message matches if it contains all words; the last word may be a prefix. To search for a word that is also the
    name of a file, quote it together with another word.
    """
    text, paths = _words_and_paths(words)
    with open_library(db, required=not paths) as lib, progress() as on_progress:
        entries = [entry for entry, _ in target_entries(paths, lib.store)]
        hits: list[SessionHit] = []
        step = SearchProgress()
        for step in search_sessions(text, lib.store, entries, most):
            on_progress("searching", step.listed, max(1, len(entries)))
            hits += step.hits
    errors = [entry.problem for entry in entries if entry.problem]
    for error in errors:
        warn(error)
    if as_json:
        echo_json(SearchOutput(scope=step, hits=hits, errors=errors))
    elif hits:
        echo("\n".join(line for hit in hits for line in _hit_lines(hit)))
        note(f"Searched: {step.scope}.")
    else:
        echo(f"No matches. Searched: {step.scope}.")
    return trouble(entries)


def _words_and_paths(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Split arguments into words and the paths after them. The first is always a word."""
    first = len(words)
    while first > 1 and place_of(words[first - 1])[0] is not None:
        first -= 1
    return " ".join(words[:first]), words[first:]


def _hit_lines(hit: SessionHit) -> list[str]:
    where = f"{clip(hit.target, width() // 2)} #{hit.number} {hit.role}"
    return [
        f"{paint(where, 'strong')}  {paint(clip(hit.title, width() - cells(where) - 2), 'dim')}",
        f"  {_highlight(hit)}",
    ]


def _highlight(hit: SessionHit) -> str:
    """Return the text around a match on one line, with the match highlighted."""
    room = width() - 2
    words, at = "", 0
    for start, end in (*hit.spans, (len(hit.text), len(hit.text))):
        for text, ink in ((hit.text[at:start], None), (hit.text[start:end], _MATCH)):
            piece = head(text, room)
            words += paint(piece, ink)
            room -= cells(piece)
        at = end
    return words
