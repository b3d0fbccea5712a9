"""Make room between the stored messages of a session for others."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from inspector.store.damage import decoding, json_list
from inspector.store.serialization import column, ids_of, ranges, text_of, to_json


def make_room(connection: sqlite3.Connection, session_id: str, places: Sequence[int]) -> None:
    """Move the messages of a session to later positions, with the bookmarks and plans that refer to them.

    Args:
        connection: Connection in a transaction.
        session_id: Id of the session.
        places: New position of each message, in increasing order.
    """
    moves = [(new, old) for old, new in enumerate(places) if new != old]
    if not moves:
        return
    session = column(session_id)
    _move_plans(connection, session_id, places)
    for table in ("message", "bookmark"):
        update = f"UPDATE {table} SET position = ? WHERE session_id = ? AND position = ?"
        connection.executemany(update, [(-1 - new, session, old) for new, old in moves])
        connection.execute(
            f"UPDATE {table} SET position = -1 - position WHERE session_id = ? AND position < 0", (session,)
        )


def _move_plans(connection: sqlite3.Connection, session_id: str, places: Sequence[int]) -> None:
    key = (column(session_id),)
    with decoding(f"the session {session_id!r}"):
        rows = connection.execute("SELECT id FROM message WHERE session_id = ? ORDER BY position", key)
        ids = [text_of(name) for (name,) in rows]
        new = dict(zip(ids, places, strict=True))
        plans = connection.execute("SELECT id, covers FROM plan WHERE session_id = ?", key).fetchall()
        changed = [(to_json(ranges(ids_of(json_list(covers), ids), new), "a plan"), plan) for plan, covers in plans]
    connection.executemany("UPDATE plan SET covers = ? WHERE id = ?", changed)
