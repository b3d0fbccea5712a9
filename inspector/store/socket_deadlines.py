"""Deadlines on the sockets of PostgreSQL connections."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Any

PsycopgConnection = Any
"""A connection of psycopg, which is imported only where a database is opened."""
_TICK = 0.25
"""Seconds between two looks at the deadlines."""
_IDLE_TICKS = 20
"""Looks without a deadline until the thread that takes them ends."""


@dataclass(eq=False)
class _SocketInUse:
    connection: PsycopgConnection
    deadline: float
    has_expired: bool = False


class _DeadlineWatch:
    """Connections in use, and the one thread that looks at their deadlines. A thread for each use takes longer."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watched = set[_SocketInUse]()
        self._thread: Thread | None = None

    def add(self, watched: _SocketInUse) -> None:
        with self._lock:
            self._watched.add(watched)
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="socket-deadlines", daemon=True)
                self._thread.start()

    def remove(self, watched: _SocketInUse) -> None:
        with self._lock:
            self._watched.discard(watched)

    def _run(self) -> None:
        idle, never = 0, Event()
        while True:
            never.wait(_TICK)
            with self._lock:
                idle = 0 if self._watched else idle + 1
                if idle > _IDLE_TICKS:
                    self._thread = None
                    return
                now = time.monotonic()
                for watched in self._watched:
                    if now >= watched.deadline and not watched.has_expired:
                        watched.has_expired = True
                        _shut_down(watched.connection)


_WATCH = _DeadlineWatch()


@contextmanager
def socket_deadline(connection: PsycopgConnection, seconds: float) -> Iterator[None]:
    """Shut a connection down that is still in use after some seconds, so that nothing waits for its server longer."""
    watched = _SocketInUse(connection, time.monotonic() + seconds)
    _WATCH.add(watched)
    try:
        yield
    except Exception as error:
        if not watched.has_expired:
            raise
        raise OSError(f"the server did not answer within {seconds:g} seconds") from error
    finally:
        _WATCH.remove(watched)


def _shut_down(connection: PsycopgConnection) -> None:
    """Shut the socket of a connection down, unless the server has done so."""
    if not connection.closed:
        with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as duplicate:
            duplicate.shutdown(socket.SHUT_RDWR)
