"""Deadlines on the sockets of PostgreSQL connections."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer
from typing import Any

PsycopgConnection = Any
"""A connection of psycopg, which is imported only where a database is opened."""


@contextmanager
def socket_deadline(connection: PsycopgConnection, seconds: float) -> Iterator[None]:
    """Shut a connection down that is still in use after some seconds, so that nothing waits for its server longer."""
    has_expired = Event()
    timer = Timer(seconds, _shut_down, (connection, has_expired))
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception as error:
        if not has_expired.is_set():
            raise
        raise OSError(f"the server did not answer within {seconds:g} seconds") from error
    finally:
        timer.cancel()


def _shut_down(connection: PsycopgConnection, has_expired: Event) -> None:
    """Shut the socket of a connection down."""
    has_expired.set()
    if not connection.closed:
        with socket.socket(fileno=os.dup(connection.fileno())) as duplicate:
            duplicate.shutdown(socket.SHUT_RDWR)
