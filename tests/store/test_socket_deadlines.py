"""Deadlines on sockets: one that cannot be shut down does not keep the others from theirs."""

from __future__ import annotations

import socket
from dataclasses import dataclass

import pytest

from inspector.store.socket_deadlines import socket_deadline

PATIENCE = 60.0


@dataclass
class Connected:
    """What a deadline uses of a connection of psycopg."""

    socket: socket.socket
    closed: bool = False

    def fileno(self) -> int:
        return self.socket.fileno()


def test_a_socket_that_cannot_be_shut_down_keeps_no_other_from_its_deadline() -> None:
    ours, theirs = socket.socketpair()
    with socket.socket() as lost, ours, theirs, socket_deadline(Connected(lost), 0.0):
        ours.settimeout(PATIENCE)
        with pytest.raises(OSError, match="did not answer within"), socket_deadline(Connected(ours), 0.6):
            assert ours.recv(1) == b"", "the socket was shut down"
            raise ConnectionError("the connection ended")
