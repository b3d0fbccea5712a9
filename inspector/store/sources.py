"""The files that sessions were imported from, by name and content: one that has not changed need not be read again."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from inspector.conversation import Problem
from inspector.store.columns import column, text_of, to_json
from inspector.store.connections import transaction
from inspector.store.damage import decoding, json_list
from inspector.store.reading import problem_of


@dataclass(frozen=True, slots=True)
class ImportedSession:
    """A stored session as the list of an import shows it."""

    id: str
    title: str
    format: str
    messages: int
    path: str
    """Of its source when it was last imported."""
    problems: tuple[Problem, ...]
    """What of the source could not be read."""


def note_source(connection: sqlite3.Connection, path: str, digest: bytes, ids: Sequence[str]) -> None:
    """Keep in mind that a file with this content has given these sessions, in place of what it gave before."""
    with transaction(connection):
        values = (column(path), digest, to_json(list(ids), "the sessions of a file"))
        connection.execute("INSERT OR REPLACE INTO source VALUES (?, ?, ?)", values)


def imported(connection: sqlite3.Connection, path: str, digest: bytes) -> list[ImportedSession] | None:
    """The sessions that a file with this content has given; None unless all of them are stored. Raises StoreError."""
    query = "SELECT sessions FROM source WHERE path = ? AND digest = ?"
    row = connection.execute(query, (column(path), digest)).fetchone()
    if row is None:
        return None
    try:
        ids = json_list(row[0])
    except (TypeError, ValueError):  # then it is read once more, which puts this right
        return None
    query = "SELECT id, title, format, messages, path, problems FROM session WHERE id = ? AND tokens IS NOT NULL"
    rows = [connection.execute(query, (column(str(key)),)).fetchone() for key in ids]
    if not all(rows):
        return None
    with decoding(f"a session of the file {path!r}"):
        return [
            ImportedSession(
                text_of(key), text_of(title), text_of(kind), messages, text_of(place), _problems_of(problems)
            )
            for key, title, kind, messages, place, problems in rows
        ]


def _problems_of(text: str) -> tuple[Problem, ...]:
    return tuple([problem_of(problem) for problem in json_list(text)])
