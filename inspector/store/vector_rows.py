"""Vectors of the entries: rows of the table memory_vector, which go with the text that they were made of."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from inspector.store.damage import decoding
from inspector.store.serialization import column, text_of


def save_vectors(connection: sqlite3.Connection, model: str, rows: Iterable[tuple[int, str, bytes]]) -> None:
    """Save vectors, except those of entries that were removed or changed since.

    Args:
        connection: Connection to the store.
        model: Name of the model that made the vectors.
        rows: Number of the entry, its text, and the vector as 32-bit floats.
    """
    connection.executemany(
        """
        INSERT OR REPLACE INTO memory_vector (memory_id, model, vector)
        SELECT id, :model, :vector FROM memory WHERE id = :id AND text = :text""",
        (
            {"id": number, "text": column(text), "model": column(model), "vector": vector}
            for number, text, vector in rows
        ),
    )


def vectors(connection: sqlite3.Connection, model: str, after: int = 0) -> list[tuple[int, bytes]]:
    """Return the vectors of a model by the numbers of their entries.

    Args:
        connection: Connection to the store.
        model: Name of the model.
        after: Return vectors of entries with larger numbers only.
    """
    query = "SELECT memory_id, vector FROM memory_vector WHERE model = ? AND memory_id > ? ORDER BY memory_id"
    rows = connection.execute(query, (column(model), after)).fetchall()
    return [(number, vector) for number, vector in rows if isinstance(vector, bytes)]


def vector_state(connection: sqlite3.Connection, model: str) -> tuple[int, int]:
    """Return the number of a model's vectors and the number of the newest, which is never reused."""
    query = "SELECT count(*), coalesce(max(id), 0) FROM memory_vector WHERE model = ?"
    number, newest = connection.execute(query, (column(model),)).fetchone()
    return number, newest


def without_vector(connection: sqlite3.Connection, model: str, limit: int) -> list[tuple[int, str]]:
    """Return entries without a vector of a model, with their texts, the newest first.

    Args:
        connection: Connection to the store.
        model: Name of the model.
        limit: Maximum number of entries.
    """
    rows = connection.execute(
        """
        SELECT id, text FROM memory WHERE kind <> 'retrieval' AND NOT EXISTS (
            SELECT 1 FROM memory_vector v WHERE v.model = ? AND v.memory_id = memory.id
        ) ORDER BY id DESC LIMIT ?""",
        (column(model), limit),
    ).fetchall()
    with decoding("a memory"):
        return [(number, text_of(text)) for number, text in rows]
