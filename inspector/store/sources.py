"""The files that sessions were imported from, and which stored sessions belong to captured requests.

Files are kept by name and content: one that has not changed is not read again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from inspector.core.conversation import ADDITION, Problem
from inspector.store.connections import Connections, transaction
from inspector.store.damage import decoding, json_list
from inspector.store.serialization import column, text_of, to_json
from inspector.store.session_reader import problem_of

_OF_SESSION = "json_valid(sessions) AND EXISTS (SELECT 1 FROM json_each(sessions) WHERE value = ?)"
_CHUNK = 500
"""Ids in one statement."""


@dataclass(frozen=True, slots=True)
class SourceSession:
    """A stored session as the list of an import shows it."""

    id: str
    title: str
    format: str
    messages: int
    path: str
    """Path of its source at the last import."""
    problems: tuple[Problem, ...]
    """Parts of the source that could not be read."""


class SourceFiles:
    """The sources of the sessions in a store. Methods raise StoreError, one sentence, when the file cannot be used."""

    def __init__(
        self, connections: Connections, settled: Callable[[], AbstractContextManager[sqlite3.Connection]]
    ) -> None:
        """Create the sources of a store.

        Args:
            connections: Connections to the store.
            settled: Opens a connection with all journals moved to the log.
        """
        self._connections = connections
        self._settled = settled

    def note(self, path: str, digest: bytes, ids: Sequence[str]) -> None:
        """Record the sessions in a file with this content, replacing earlier ones of the file.

        Args:
            path: Path of the file.
            digest: Digest of its content.
            ids: Ids of the sessions in it, in order.
        """
        with self._connections.use() as connection, transaction(connection):
            values = (column(path), digest, to_json(list(ids), "the sessions of a file"))
            connection.execute("INSERT OR REPLACE INTO source VALUES (?, ?, ?)", values)

    def sessions_in(self, path: str, digest: bytes) -> list[SourceSession] | None:
        """Return the sessions of a file with this content, or None unless all of them are stored and counted."""
        with self._connections.use() as connection:
            query = "SELECT sessions FROM source WHERE path = ? AND digest = ?"
            row = connection.execute(query, (column(path), digest)).fetchone()
            if row is None:
                return None
            try:
                ids = json_list(row[0])
            except (TypeError, ValueError):  # then it is read once more, which puts this right
                return None
            query = (
                "SELECT id, title, format, messages, path, problems FROM session WHERE id = ? AND tokens IS NOT NULL"
            )
            rows = [connection.execute(query, (column(str(key)),)).fetchone() for key in ids]
            if not all(rows):
                return None
            with decoding(f"a session of the file {path!r}"):
                return [
                    SourceSession(
                        text_of(key), text_of(title), text_of(kind), messages, text_of(place), _problems_of(problems)
                    )
                    for key, title, kind, messages, place, problems in rows
                ]

    def joined_with_requests(self, recorded_id: str = "") -> list[str]:
        """Return the ids of the sessions that are joined with their captured requests.

        Args:
            recorded_id: Recorded or stored id of the sessions; "" for all.
        """
        query = "SELECT DISTINCT session_id FROM message WHERE id >= ? AND id < ?"
        values: list[str | bytes] = [ADDITION, ADDITION[:-1] + "."]
        if recorded_id:
            query += " AND session_id IN (SELECT id FROM session WHERE recorded_id = ? OR id = ?)"
            values += [column(recorded_id)] * 2
        return self._ids(query, values)

    def paths_of(self, session_id: str) -> list[str]:
        """Return the paths of the files that a session was imported from."""
        return self._ids(f"SELECT path FROM source WHERE {_OF_SESSION}", [column(session_id)])

    def move(self, session_id: str, to: str) -> None:
        """State that the files of a session are of another one. The next import reads them again."""
        with self._connections.use() as connection, transaction(connection):
            values = (to_json([to], "the sessions of a file"), column(session_id))
            connection.execute(f"UPDATE source SET sessions = ?, digest = x'' WHERE {_OF_SESSION}", values)

    def of_format(self, name: str) -> list[str]:
        """Return the ids of the sessions of a format, the oldest import first."""
        return self._ids("SELECT id FROM session WHERE format = ? ORDER BY rowid", [name])

    def with_replies(self, ids: Iterable[str], without: str, since: str) -> list[str]:
        """Return the ids of the sessions with replies of given ids, or with calls of given ids.

        Args:
            ids: Ids of replies and of their calls.
            without: Format whose sessions are left out.
            since: Oldest time of the last message of a session, in ISO 8601; sessions without a time are included.
        """
        names, sessions = [column(name) for name in ids], dict[str, None]()
        for start in range(0, len(names), _CHUNK):
            some = names[start : start + _CHUNK]
            marks = ", ".join("?" * len(some))
            query = f"""
                SELECT DISTINCT message.session_id FROM session JOIN message ON message.session_id = session.id
                WHERE session.format <> ? AND (session.changed >= ? OR session.changed = '') AND (
                    message.id IN ({marks}) OR message.answers IN ({marks}))"""
            sessions |= dict.fromkeys(self._ids(query, [without, since, *some, *some]))
        return list(sessions)

    def _ids(self, query: str, values: Sequence[str | bytes]) -> list[str]:
        with self._settled() as connection, decoding("the ids of the sessions"):
            return [text_of(key) for (key,) in connection.execute(query, values)]


def _problems_of(text: str) -> tuple[Problem, ...]:
    return tuple([problem_of(problem) for problem in json_list(text)])
