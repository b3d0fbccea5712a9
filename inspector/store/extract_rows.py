"""Gists and facts of stored messages. They are removed with their message, and can be computed again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from inspector.core.extraction_cache import ExtractKind
from inspector.store.connections import transaction
from inspector.store.serialization import column

_CHUNK = 500
"""Messages that are asked for in one statement."""
TABLES: Mapping[ExtractKind, str] = {"gist": "message_gist", "facts": "message_facts"}


def message_keys(connection: sqlite3.Connection, session_id: str) -> list[tuple[int, bytes, int]]:
    """Return the key, the digest and the number of characters of each message, in order."""
    query = "SELECT key, digest, chars FROM message WHERE session_id = ? ORDER BY position"
    return connection.execute(query, (column(session_id),)).fetchall()


def load_extracts(
    connection: sqlite3.Connection, kind: ExtractKind, rules: bytes, keys: Sequence[int]
) -> dict[int, str]:
    """Return the extracts of messages by key.

    Args:
        connection: Connection to the store.
        kind: Kind of the extracts.
        rules: Digest of the rules that made them.
        keys: Keys of the messages.
    """
    texts: dict[int, str] = {}
    for start in range(0, len(keys), _CHUNK):
        chunk = keys[start : start + _CHUNK]
        marks = ", ".join("?" * len(chunk))
        query = f"SELECT key, content FROM {TABLES[kind]} WHERE key IN ({marks}) AND rules = ?"
        query += " AND typeof(content) = 'text'"
        texts.update(connection.execute(query, (*chunk, rules)).fetchall())
    return texts


def keys_without(connection: sqlite3.Connection, kind: ExtractKind, rules: bytes, session_id: str) -> set[int]:
    """Return the keys of a session's messages without an extract.

    Args:
        connection: Connection to the store.
        kind: Kind of the extracts.
        rules: Digest of the rules that made them.
        session_id: Id of the session.
    """
    query = f"""
        SELECT key FROM message WHERE session_id = ?
        EXCEPT SELECT key FROM {TABLES[kind]} WHERE rules = ? AND typeof(content) = 'text'"""
    return {key for (key,) in connection.execute(query, (column(session_id), rules))}


def save_extracts(
    connection: sqlite3.Connection, kind: ExtractKind, rules: bytes, rows: Iterable[tuple[int, bytes, str]]
) -> None:
    """Save extracts, except those of messages that were removed or changed since.

    Args:
        connection: Connection to the store.
        kind: Kind of the extracts.
        rules: Digest of the rules that made them.
        rows: Key and digest of each message, and its extract as JSON.
    """
    insert = f"INSERT OR REPLACE INTO {TABLES[kind]} SELECT key, ?, ? FROM message WHERE key = ? AND digest = ?"
    with transaction(connection):
        connection.executemany(insert, [(rules, content, key, digest) for key, digest, content in rows])
