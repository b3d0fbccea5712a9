"""Transcripts of agents that keep them elsewhere too: entries in their order, exactly as they were given."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inspector.store.connections import Connections, transaction
from inspector.store.damage import decoding, json_object
from inspector.store.serialization import column, text_of, to_json


class TranscriptKey(NamedTuple):
    """Name of a transcript: its project, its session, and a path for those of subagents."""

    project: str
    session: str
    subpath: str = ""

    @property
    def columns(self) -> tuple[str | bytes, str | bytes, str | bytes]:
        return column(self.project), column(self.session), column(self.subpath)


class Transcripts:
    """The transcripts of a store. Every method raises StoreError where the file cannot be used."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def append(self, key: TranscriptKey, entries: Sequence[Mapping[str, Any]]) -> int:
        """Append entries, all of them or none, and return the number of new ones. Those with a known `uuid` are not."""
        now = int(time.time() * 1000)
        rows = [
            (*key.columns, _uuid_of(entry), to_json(dict(entry), "an entry of a transcript"), now) for entry in entries
        ]
        with self._connections.use() as connection, transaction(connection):
            before = connection.total_changes
            names = "project, session, subpath, uuid, entry, added_at"
            connection.executemany(f"INSERT OR IGNORE INTO transcript ({names}) VALUES (?, ?, ?, ?, ?, ?)", rows)
            return connection.total_changes - before

    def entries(self, key: TranscriptKey) -> list[dict[str, Any]]:
        """Return the entries of a transcript, oldest first; none for an unknown one."""
        query = "SELECT entry FROM transcript WHERE project = ? AND session = ? AND subpath = ? ORDER BY number"
        with self._connections.use() as connection, decoding(f"the transcript {key.session!r}"):
            return [json_object(entry) for (entry,) in connection.execute(query, key.columns)]

    def sessions(self, project: str) -> list[tuple[str, int]]:
        """Return the sessions of a project, each with the time of its last entry in milliseconds since 1970."""
        query = "SELECT session, max(added_at) FROM transcript WHERE project = ? AND subpath = '' GROUP BY session"
        with self._connections.use() as connection, decoding(f"the transcripts of {project!r}"):
            return [(text_of(name), int(added)) for name, added in connection.execute(query, (column(project),))]

    def subpaths(self, key: TranscriptKey) -> list[str]:
        """Return the paths of the other transcripts of a session, in alphabetical order."""
        query = "SELECT DISTINCT subpath FROM transcript WHERE project = ? AND session = ? AND subpath <> ''"
        with self._connections.use() as connection, decoding(f"the transcripts of {key.session!r}"):
            return sorted(text_of(path) for (path,) in connection.execute(query, key.columns[:2]))

    def remove(self, key: TranscriptKey) -> None:
        """Remove a transcript, and all of its session unless it has a path."""
        where, values = "project = ? AND session = ?", key.columns
        if key.subpath:
            where += " AND subpath = ?"
        with self._connections.use() as connection, transaction(connection):
            connection.execute(f"DELETE FROM transcript WHERE {where}", values if key.subpath else values[:2])


def _uuid_of(entry: Mapping[str, Any]) -> str | bytes | None:
    uuid = entry.get("uuid")
    return column(uuid) if isinstance(uuid, str) else None
