"""Base of the formats whose sessions are rows of a database."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections.abc import Iterator

from inspector.core.conversation import Session
from inspector.formats.base import Format
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content
from inspector.formats.reading.databases import open_database
from inspector.formats.reading.source import Progress


class DatabaseFormat(Format):
    """A format of sessions in the tables of a database."""

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions: list[Session] = []
        try:
            with open_database(content.source.path) as connection:
                sessions.extend(self.sessions_in(connection, content))
        except sqlite3.Error as error:
            content.problems.add(f"the database could not be read to its end ({error})")
        return unique(sessions) or [LogBuilder().session(content, self.name)]

    @abstractmethod
    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        """Yield the sessions of the tables. Raises sqlite3.Error."""
