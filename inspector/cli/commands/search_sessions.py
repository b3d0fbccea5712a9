"""`search`: find messages in stored sessions and in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from inspector.cli.arguments import open_library
from inspector.cli.commands.library import trouble
from inspector.cli.options import common, redact_option
from inspector.cli.output import Ink, echo, echo_json, note, paint, progress, warn, width
from inspector.cli.redacted_rows import redacted_hits
from inspector.cli.schema.values import Errors, json_output
from inspector.core.text import cells, clip, head
from inspector.library import SearchProgress, SessionHit, place_of, search_sessions, target_entries

_MATCH: Ink = "accent"


@json_output(inline="scope")
class SearchOutput:
    """Messages that contain all words: those of the store first, best match first, then file by file."""

    scope: SearchProgress
    hits: Sequence[SessionHit]
    errors: Errors


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="WORDS… [PATH…]")
@click.option(
    "--limit", "most", type=click.IntRange(1), default=20, metavar="N", help="Maximum number of messages to print."
)
@redact_option
@common
def search(words: Sequence[str], most: int, db: Path | None, as_json: bool) -> int:
    """Find messages in stored sessions, and in the files and folders given after the words.

    A message matches if it contains all words; the last word may be a prefix. To search for a word that is also the
    name of a file, quote it together with another word.
    """
    text, paths = _words_and_paths(words)
    with open_library(db, required=not paths) as lib, progress() as on_progress:
        entries = [entry for entry, _ in target_entries(paths, lib.sessions)]
        hits: list[SessionHit] = []
        step = SearchProgress()
        for step in search_sessions(text, lib.sessions, entries, most):
            on_progress("searching", step.listed, max(1, len(entries)))
            hits += step.hits
        hits = redacted_hits(hits, lib.sessions)
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
