"""Replies of models to contexts of a session. They belong to their session, and are removed with it."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import orjson

from inspector.core.text import plain_dumps
from inspector.store.connections import transaction
from inspector.store.damage import decoding, json_object
from inspector.store.serialization import column, text_of
from inspector.store.session_reader import require

_MAX_REQUEST = 64 << 20
"""Bytes of a request that is read back."""
_ROWS = "SELECT id, session_id, digest, sample, about, reply, created_at FROM experiment"


@dataclass(frozen=True, slots=True)
class Experiment:
    """A model's reply to a context."""

    session_id: str
    digest: str
    """SHA-256 of the request, its endpoint and its API, in hexadecimal digits."""
    sample: int
    """Number of the reply among those to the same request, from 1."""
    about: Mapping[str, Any]
    """Facts about the request: model, host, API, turn, agent and name of the context."""
    reply: Mapping[str, Any]
    """Text, calls, usage, cost, seconds and stop reason."""
    created_at: str = ""
    number: int = 0
    """Number in the store; 0 before it is stored."""


class Experiments:
    """The experiments of a store. Every method raises StoreError, one sentence, when the file cannot be used."""

    def __init__(
        self, settled: Callable[[], AbstractContextManager[sqlite3.Connection]], clock: Callable[[], str]
    ) -> None:
        """Create the experiments of a store.

        Args:
            settled: Opens a connection with all journals moved to the log.
            clock: Returns the current time as ISO text.
        """
        self._settled = settled
        self._clock = clock

    def of(self, session_id: str) -> list[Experiment]:
        """Return the experiments of a session, the oldest first. Raises DamagedError."""
        with self._settled() as connection, decoding("an experiment"):
            rows = connection.execute(f"{_ROWS} WHERE session_id = ? ORDER BY id", (column(session_id),))
            return [_experiment_of(row) for row in rows]

    def find(self, session_id: str, digest: str, sample: int) -> Experiment | None:
        """Return a reply to a request; None if it was never asked.

        Args:
            session_id: Id of the session.
            digest: Digest of the request.
            sample: Number of the reply, from 1.
        """
        key = (column(session_id), bytes.fromhex(digest), sample)
        with self._settled() as connection, decoding("an experiment"):
            query = f"{_ROWS} WHERE session_id = ? AND digest = ? AND sample = ?"
            row = connection.execute(query, key).fetchone()
            return _experiment_of(row) if row else None

    def put(self, experiment: Experiment, request: Mapping[str, Any] | None = None) -> None:
        """Store an experiment. One with the same request and sample is kept unchanged.

        Args:
            experiment: The experiment.
            request: The request, for export; None to keep only its digest.

        Raises:
            StoreError: There is no such session.
        """
        packed = zlib.compress(plain_dumps(request).encode("utf-8", "backslashreplace")) if request else None
        texts = [column(plain_dumps(value)) for value in (experiment.about, experiment.reply)]
        key = (column(experiment.session_id), bytes.fromhex(experiment.digest), experiment.sample)
        with self._settled() as connection, transaction(connection):
            require(connection, experiment.session_id)
            connection.execute(
                """
                INSERT OR IGNORE INTO experiment (session_id, digest, sample, about, reply, request, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (*key, *texts, packed, self._clock()),
            )

    def request(self, number: int) -> Mapping[str, Any] | None:
        """Return the request of an experiment; None if only its digest is kept, or if it cannot be read."""
        with self._settled() as connection:
            row = connection.execute("SELECT request FROM experiment WHERE id = ?", (number,)).fetchone()
        if row is None or not isinstance(row[0], bytes):
            return None
        try:
            value = orjson.loads(zlib.decompressobj().decompress(row[0], _MAX_REQUEST))
        except (zlib.error, ValueError):
            return None
        return value if isinstance(value, dict) else None


def _experiment_of(row: tuple[Any, ...]) -> Experiment:
    """Return the experiment of a row. Raises AttributeError or ValueError for invalid values."""
    number, session_id, digest, sample, about, reply, created_at = row
    return Experiment(
        text_of(session_id),
        bytes(digest).hex(),
        int(sample),
        json_object(text_of(about)),
        json_object(text_of(reply)),
        text_of(created_at),
        number,
    )
