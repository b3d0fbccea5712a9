"""`ls`: list sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import open_library
from inspector.cli.command_errors import BAD_INPUT, UsageError, did_you_mean
from inspector.cli.options import common, redact_option
from inspector.cli.output import (
    Ink,
    echo,
    echo_json,
    note,
    paint,
    progress,
    warn,
    whole,
    width,
)
from inspector.cli.redacted_rows import redacted_rows
from inspector.cli.schema.values import Errors, json_output
from inspector.cli.text.listing_text import totals_text
from inspector.core.text import clip, dollars, one_line, pad
from inspector.library import (
    SESSION_COLUMNS,
    Entry,
    Library,
    ListingTotals,
    detailed_entry,
    is_due,
    list_entries,
    needs_details,
    shared_text,
    sort_entries,
    target_entries,
    totals_of,
)
from inspector.store import MAX_LISTED

_CELLS: Mapping[str, int] = {
    "project": 13,
    "model": 18,
    "format": 16,
    "agents": 6,
    "messages": 8,
    "turns": 6,
    "size": 10,
    "peak": 6,
    "compactions": 11,
    "re-reads": 8,
    "cost": 9,
    "state": 8,
    "left": 5,
    "when": 16,
}
"""Terminal columns of each column of a list."""
_LEFT = ("project", "model", "format", "state", "when")
"""Columns with left-aligned text."""
_USUAL = ("project", "messages", "size", "peak", "when")
_WIDE = 100
"""Minimum terminal columns for the format, unless columns are chosen."""
_DAMAGED = "damaged: a part is unreadable; inspector show FILE names the lines."
_MIN_TITLE = 12
_DATE = 10
"""Characters of a date."""


@json_output()
class ListingOutput:
    """Sessions, as listed by `inspector ls`."""

    sessions: Sequence[Entry]
    totals: Annotated[ListingTotals, "of the sessions whose messages were counted"]
    errors: Errors


def _check_columns(names: Sequence[str]) -> None:
    """Raise UsageError if there is no column of one of some names."""
    for name in names:
        if name not in SESSION_COLUMNS:
            columns = ", ".join(SESSION_COLUMNS)
            raise UsageError(f"There is no column {name!r}. Columns: {columns}.{did_you_mean(name, SESSION_COLUMNS)}")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option(
    "--columns",
    default="",
    metavar="NAME,…",
    help=f"Columns to print after the title: {', '.join(list(SESSION_COLUMNS)[1:])}.",
)
@click.option("--sort", "order", default="", metavar="NAME", help="Sort by a column: numbers and times descending.")
@click.option("--reverse", is_flag=True, help="Sort in the opposite order, by time without --sort.")
@redact_option
@common
def ls(
    paths: Sequence[str],
    columns: str,
    order: str,
    reverse: bool,
    db: Path | None,
    as_json: bool,
) -> int:
    """List the sessions of files, of folders, or of this machine.

    Without PATH, lists stored sessions and those that agents have recorded on this machine.

    The columns cost and re-reads are computed for stored and named sessions if --columns or --sort names them. A "?"
    marks values that were not counted.
    """
    chosen = list(filter(None, map(str.strip, columns.split(","))))
    used = [*chosen, order or "when"]
    _check_columns(used)
    entries, warning, is_refused = library_entries(paths, db, detailed=needs_details(used))
    if order or reverse:
        entries = sort_entries(entries, order or "when", reverse)
    entries = redacted_rows(entries)
    if as_json:
        echo_json(listing(entries, warning))
    elif not entries or not all(entry.problem for entry in entries):
        echo("\n".join(list_text(entries, chosen)))
    return trouble(entries) or (BAD_INPUT if is_refused and not paths else 0)


def trouble(entries: Sequence[Entry]) -> int:
    """Return the exit code for a list: 1 if a named path, or everything, is unusable."""
    wrong = [entry for entry in entries if entry.problem and not Path(entry.target).is_dir()]
    return BAD_INPUT if wrong or (entries and all(entry.problem for entry in entries)) else 0


def library_entries(paths: Sequence[str], db: Path | None, detailed: bool = False) -> tuple[list[Entry], str, bool]:
    """Return the entries of the named paths, or all entries, and the reason if the store cannot be opened.

    The third value is True if a store is there that cannot be used. Problems are printed on standard error.

    Args:
        paths: Files, folders and stored ids.
        db: Path of the store. None for the default path.
        detailed: True to compute the costs and repeated reads of named and stored sessions.
    """
    with open_library(db) as lib, progress() as on_progress:
        entries = []
        rows = target_entries(paths, lib.sessions, detailed) if paths else list_entries((), lib.sessions)
        for entry, share in rows:
            on_progress("reading", round(100 * (share or 0)), 100)
            is_incomplete = detailed and entry.origin == "stored" and not entry.is_detailed
            entries.append(detailed_entry(entry, lib.sessions) if is_incomplete else entry)
        _note_limit(lib, entries)
    for entry in entries:
        if entry.problem:
            warn(entry.problem)
    return entries, lib.warning if lib.sessions is None else "", lib.is_refused


def _note_limit(lib: Library, entries: Sequence[Entry]) -> None:
    """Print a note if a team's store may have more sessions than are listed."""
    if lib.team and len(entries) == MAX_LISTED:
        note(f"The newest {MAX_LISTED:,} sessions of the team's store; search and stats read all.")


def listing(entries: Sequence[Entry], warning: str = "") -> ListingOutput:
    """Return a list for JSON output, with a warning besides its entries."""
    errors = [*(entry.problem for entry in entries), warning]
    return ListingOutput(sessions=entries, totals=totals_of(entries), errors=[error for error in errors if error])


def list_text(entries: Sequence[Entry], columns: Sequence[str] = ()) -> Iterator[str]:
    """Yield sessions as a table by source, each followed by its full path. `columns` follow the title."""
    rows = [entry for entry in entries if not entry.problem]
    if not rows:
        yield "No sessions. To open one: inspector FILE. To import some: inspector import PATH…"
        return
    names = [name for name in columns or _usual_columns(rows) if name != "session"]
    head = " ".join(_aligned(name, name) for name in names)
    yield paint(f"{pad('session', _title_room(names))}  {head}".rstrip(), "dim")
    for origin, group in groupby(rows, lambda entry: entry.origin):
        if origin == "found":
            yield paint("\non this machine, not imported", "dim")
        for path, same in groupby(group, lambda entry: _file_of(entry)):
            yield from _file_lines(path, list(same), names)
    yield from (paint(words, "dim") for words in filter(None, (totals_text(rows), _damage_note(rows, names))))


def _damage_note(rows: Sequence[Entry], names: Sequence[str]) -> str:
    return _DAMAGED if "state" in names and any(entry.damage for entry in rows) else ""


def _file_lines(path: str, entries: Sequence[Entry], names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the sessions of one file, with its path or their targets.

    Args:
        path: Path of a file with several sessions; empty for others.
        entries: Its sessions, or a single session.
        names: Columns after the title.
    """
    if path and len(entries) > 1:
        yield paint(f"  {whole(path)}, as FILE#1 and so on", "dim")
    for entry in entries:
        yield _entry_line(entry, names)
        if not path or len(entries) == 1:
            place = f"  {whole(entry.path)}" if entry.path not in ("", entry.target) else ""
            yield paint(f"  {whole(entry.target)}{place}", "dim")
        if words := shared_text(entry, whole):
            yield paint(f"  {words}", "dim")


def _file_of(entry: Entry) -> str:
    """Return the file of a session if it has several sessions, else an empty string."""
    return entry.path if entry.number else ""


def _usual_columns(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the usual columns, with the format if there is room, and the state if a session is not in order."""
    for name in _USUAL:
        yield name
        if name == "project" and width() >= _WIDE:
            yield "format"
    if any(entry.is_over or entry.damage or is_due(entry) for entry in entries):
        yield "state"


def _title_room(names: Sequence[str]) -> int:
    return max(width() - 1 - sum(_cells_of(name) + 1 for name in names), _MIN_TITLE)


def _cells_of(name: str) -> int:
    """Return the terminal columns of a column. On narrow terminals, times are dates."""
    return _DATE if name == "when" and width() < _WIDE else _CELLS[name]


def _aligned(name: str, text: str) -> str:
    room = _cells_of(name)
    return pad(clip(text, room), room) if name in _LEFT else f"{text:>{room}}"


def _entry_line(entry: Entry, names: Sequence[str]) -> str:
    title = pad(f"{entry.number} {entry.title}".strip(), _title_room(names))
    cells = [_aligned(name, _cell(entry, name)) for name in names]
    while cells and not cells[-1].strip():
        cells.pop()
    if cells:
        cells[-1] = cells[-1].rstrip()
    inks: Mapping[str, Ink | None] = {
        "peak": "bad" if entry.is_over else None,
        "state": "bad" if entry.is_over else "warn",
    }
    line = " ".join(paint(cell, inks.get(name)) for name, cell in zip(names, cells, strict=False))
    return f"{paint(title, 'strong')}  {line}"


def _cell(entry: Entry, name: str) -> str:
    """Return the text of a cell: "?" if the value has not been counted, and an empty string if it is not recorded."""
    value = SESSION_COLUMNS[name].value(entry)
    if value is None:
        is_counted = entry.is_detailed if SESSION_COLUMNS[name].is_detail else entry.messages is not None
        return "" if is_counted or name in (*_LEFT, "left") else "?"
    return _TEXTS[name](entry) if name in _TEXTS else f"{value:,}"


def _state(entry: Entry) -> str:
    if entry.is_over:
        return f"{'≈' if entry.peak_estimated else ''}over"
    if entry.damage:
        return "damaged"
    return f"{entry.days_left} d left" if is_due(entry) else ""


_TEXTS: Mapping[str, Callable[[Entry], str]] = {
    "project": lambda entry: one_line(entry.project),
    "model": lambda entry: one_line(entry.model),
    "format": lambda entry: entry.format,
    "size": lambda entry: f"{'≈' if entry.estimated else ''}{entry.tokens:,}",
    "peak": lambda entry: f"{'≈' if entry.peak_estimated else ''}{entry.peak_share:.0%}",
    "cost": lambda entry: dollars(entry.cost or 0),
    "state": _state,
    "left": lambda entry: f"{entry.days_left} d",
    "when": lambda entry: one_line(entry.changed[: _cells_of("when")].replace("T", " ")),
}
"""Texts of known values. Those of the other columns are whole numbers."""
