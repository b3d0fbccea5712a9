"""The journal of a running agent's memory: one small row for each message, plan and change of state.

A message is in the file before the agent continues, at the cost of one row. The next reader of the store moves it to
the tables of the log and adds it to the search (`fold`). A process that is killed leaves every message complete.

One memory at a time writes a session. Another one that opens the session takes it over, and the next row of the first
one is refused.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import threading
import time
import uuid
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.store.connections import (
    LOCK_TIMEOUT,
    MEMORY,
    Connection,
    Connections,
    connect,
    primary_code,
    store_errors,
    transaction,
)
from inspector.store.damage import StoreError, json_list
from inspector.store.serialization import column, to_json

_INSERT = """
    INSERT INTO journal (session_id, event)
    SELECT session_id, ? FROM agent_session WHERE session_id = ? AND owner = ?"""
_PAGE = 4_096
"""Bytes of a page. A row writes the pages that it fills, and the last one again."""
_CHECKPOINT = 256
"""Pages after which what was written is moved from the write-ahead log into the file, in a thread."""
_OPEN: weakref.WeakValueDictionary[str, Journal] = weakref.WeakValueDictionary()
"""The journals of this process by their owners' tokens."""


class Journal:
    """The pen of one memory: appends events to the journal of its session. Threads may share it."""

    def __init__(self, connections: Connections, session_id: str, owner: str) -> None:
        self.session_id = session_id
        self._connections = connections
        self._owner = owner
        self._guard = threading.RLock()
        self._pages = 0
        """Pages that were written to the log since it was moved."""
        self._own: Connection | None = None
        self._mover: threading.Thread | None = None
        """Moves the log into the file."""
        if connections.path != MEMORY:
            with store_errors(connections.path):
                self._own = connect(connections.path)
                self._own.execute("PRAGMA busy_timeout = 0")
                self._own.execute("PRAGMA wal_autocheckpoint = 0")
        _OPEN[owner] = self

    def write(self, event: Mapping[str, Any], *, waits: bool = True) -> bool:
        """Append an event.

        Args:
            event: The event as JSON values.
            waits: Wait while another program writes.

        Returns:
            False if another program is writing and `waits` is False; nothing is written then.

        Raises:
            StoreError: The session was removed, another memory has taken it over, or the file cannot be written.
        """
        row = (to_json(event, "the event of an agent's memory"), column(self.session_id), self._owner)
        deadline = time.monotonic() + (LOCK_TIMEOUT if waits else 0)
        with store_errors(self._connections.path):
            while True:
                try:
                    with self._connection() as connection:
                        if connection.execute(_INSERT, row).rowcount != 1:
                            raise StoreError(_refusal(connection, self.session_id))
                        break
                except sqlite3.OperationalError as error:
                    if primary_code(error) != sqlite3.SQLITE_BUSY or (waits and time.monotonic() > deadline):
                        raise
                    if not waits:
                        return False
                    time.sleep(0.002)
        self._note_pages(1 + len(row[0]) // _PAGE)
        return True

    def write_all(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Append several events, all of them or none. Raises StoreError as `write` does."""
        with self._connections.use() as connection, transaction(connection):
            for event in events:
                row = (to_json(event, "the event of an agent's memory"), column(self.session_id), self._owner)
                if connection.execute(_INSERT, row).rowcount != 1:
                    raise StoreError(_refusal(connection, self.session_id))

    def close(self) -> None:
        """Put the pen down, so that others need not take it."""
        _OPEN.pop(self._owner, None)
        with self._connections.use() as connection, transaction(connection):
            release = "UPDATE agent_session SET owner = '', process = '' WHERE session_id = ? AND owner = ?"
            connection.execute(release, (column(self.session_id), self._owner))
        with self._guard:
            if self._own is not None:
                self._own.close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if self._own is None:
            with self._connections.use() as connection:
                yield connection
            return
        with self._guard:
            self._connections.require_open()
            yield self._own

    def _note_pages(self, pages: int) -> None:
        self._pages += pages
        if self._own is None:
            return
        if self._mover is None:
            if self._pages >= _CHECKPOINT:
                self._pages = 0
                self._mover = threading.Thread(target=_move_log, args=(self._connections,), daemon=True)
                self._mover.start()
        elif not self._mover.is_alive():
            self._mover = None
            self._restart_log(self._own)

    def _restart_log(self, connection: Connection) -> None:
        """Move the rest of the log into the file, so that the next row is written to its beginning.

        Only the writer can do that while it writes. The thread has moved most of the log, so it takes little time.
        """
        with self._guard, suppress(sqlite3.OperationalError):  # busy: the next time
            connection.execute("PRAGMA wal_checkpoint(RESTART)")


def _move_log(connections: Connections) -> None:
    """Move what was written into the file. It syncs the disk, so no agent waits for it."""
    with suppress(StoreError), connections.use() as connection:  # whoever comes next does it
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _refusal(connection: sqlite3.Connection, session_id: str) -> str:
    """Return the reason why a memory may no longer write to a session, in one sentence."""
    query = "SELECT process FROM agent_session WHERE session_id = ?"
    row = connection.execute(query, (column(session_id),)).fetchone()
    if row is None:
        return f"the session {session_id!r} is no longer in the store, so this memory can write nothing to it"
    process = Process.parse(row[0])
    if process is None:
        return f"the session {session_id!r} was closed, so this memory can write nothing to it: resume it"
    return (
        f"the session {session_id!r} was taken over by another memory ({process}), so this one can write nothing to it"
    )


@dataclass(frozen=True, slots=True)
class Process:
    """A process, identified across reboots and reused process ids as far as the system allows."""

    host: str
    id: int
    start: str
    """When it began: numbers are given again. Empty where the system does not tell."""

    @classmethod
    def this(cls) -> Process:
        return cls(platform.node(), os.getpid(), _start_of(os.getpid()))

    @classmethod
    def parse(cls, text: Any) -> Process | None:
        """Return the process in a text from `json`, or None for any other text."""
        try:
            host, number, start = json_list(text)
        except (ValueError, TypeError):
            return None
        return cls(host, number, start) if isinstance(host, str) and type(number) is int else None

    @property
    def json(self) -> str:
        return to_json([self.host, self.id, self.start], "a process")

    @property
    def runs(self) -> bool:
        """True if the process is known to be running."""
        return self.host == platform.node() and self.start != "" and _start_of(self.id) == self.start

    def __str__(self) -> str:
        return f"process {self.id}" if self.host == platform.node() else f"process {self.id} on {self.host}"


def _start_of(process: int) -> str:
    """Return the start time of a process; empty if it does not exist or the system does not report it."""
    with suppress(OSError, IndexError):
        return Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()[19]
    return ""


def claim(connection: sqlite3.Connection, session_id: str, owner: str, take_over: bool) -> None:
    """Make an owner the only writer of a session, inside the caller's transaction.

    Args:
        connection: Connection to the store.
        session_id: Id of the session.
        owner: Token of the new owner.
        take_over: True to take the session over from a running program.

    Raises:
        StoreError: No memory wrote the session, or another one is writing it.
    """
    row = connection.execute(
        "SELECT owner, process FROM agent_session WHERE session_id = ?", (column(session_id),)
    ).fetchone()
    if row is None:
        raise StoreError(f"no agent's memory has written a session {session_id!r} to this store")
    process = Process.parse(row[1])
    if row[0] and process and not take_over:
        this = Process.this()
        if row[0] in _OPEN if process == this else process.runs:
            raise StoreError(
                f"the session {session_id!r} is being written by {process}: close that memory first, or take it over"
            )
    change = "UPDATE agent_session SET owner = ?, process = ? WHERE session_id = ?"
    connection.execute(change, (owner, Process.this().json, column(session_id)))


def new_owner() -> str:
    """Return a unique token for an owner."""
    return uuid.uuid4().hex
