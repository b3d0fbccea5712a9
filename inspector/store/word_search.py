"""Searches for words in the messages of all sessions.

A query is words, not a query language: each word is quoted, so no query is invalid.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.store.damage import MAX_COUNT, ROLES, decoding
from inspector.store.serialization import column, text_of

MAX_WORDS = 64
"""Words of a query that are looked for; a whole message may be given as one."""
MIN_START_LENGTH = 4
"""Two letters and their quotes: one letter alone begins a word of nearly every message."""
_MAX_RANKED = 10_000
"""Hits among which the best are looked for, the newest: to rank all that hold a frequent word takes a second."""
SNIPPET = 240
"""Characters of a snippet, at most."""
_OPEN, _CLOSE = "\x02", "\x03"
_MARK = re.compile(f"([{_OPEN}{_CLOSE}])")
_TOKEN = re.compile(r"[^\W_]+")
MIN_STEM = 3
"""Characters of a word that are compared, at least: the index has its stem."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A message of the log that holds the words."""

    session_id: str
    session: str
    """The session's title."""
    message_id: str
    position: int
    agent: str
    role: str
    snippet: str
    """One line around the words; raw text, to be cleaned before it is shown."""
    spans: tuple[tuple[int, int], ...]
    """Positions of the words in the snippet, as (start, end)."""


def _quote_words(words: str) -> list[str]:
    """Return the words of a query as FTS5 strings, without those that have no letter or digit and so match nothing."""
    clean = words.replace("\0", " ").encode("utf-8", "replace").decode()
    terms = dict.fromkeys(word for word in clean.split() if any(map(str.isalnum, word)))
    return ['"' + word.replace('"', '""') + '"' for word in list(terms)[:MAX_WORDS]]


def search(connection: sqlite3.Connection, words: str, limit: int, session_id: str | None) -> list[Hit]:
    """Return messages that contain all the words, the best match of the newest messages first.

    Args:
        connection: Connection to the store.
        words: The words. The last one may be the beginning of a word.
        limit: Maximum number of messages.
        session_id: Session to search in, or None for all.
    """
    terms = _quote_words(words)
    if not terms:
        return []
    query = " ".join(terms) + (" *" if len(terms[-1]) >= MIN_START_LENGTH else "")
    only = "" if session_id is None else "AND m.session_id = :session"
    oldest, newest = (
        (_oldest_ranked(connection, query), MAX_COUNT) if session_id is None else _keys_of(connection, session_id)
    )
    rows = connection.execute(
        f"""
        SELECT m.session_id, s.title, m.id, m.position, m.agent, m.role,
            CAST(snippet(message_search, 0, char(2), char(3), '…', 24) AS BLOB)
        FROM message_search CROSS JOIN message m ON m.key = message_search.rowid
        CROSS JOIN session s ON s.id = m.session_id
        WHERE message_search MATCH :words AND message_search.rowid BETWEEN :oldest AND :newest {only}
        ORDER BY message_search.rank LIMIT :limit""",
        {
            "words": query,
            "oldest": oldest,
            "newest": newest,
            "limit": limit,
            "session": column(session_id or ""),
        },
    ).fetchall()
    with decoding("a message that was looked for"):
        return [_hit_of(row) for row in rows]


def _oldest_ranked(connection: sqlite3.Connection, query: str) -> int:
    """Return the key of the oldest message that is ranked for a query."""
    newest = "SELECT rowid FROM message_search WHERE message_search MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?"
    row = connection.execute(newest, (query, _MAX_RANKED - 1)).fetchone()
    return int(row[0]) if row else 0


def _keys_of(connection: sqlite3.Connection, session_id: str) -> tuple[int, int]:
    """Return the first and the last key of a session. Keys of other sessions may be between them."""
    keys = "SELECT coalesce(min(key), 0), coalesce(max(key), 0) FROM message WHERE session_id = ?"
    first, last = connection.execute(keys, (column(session_id),)).fetchone()
    return int(first), int(last)


def _hit_of(row: Sequence[Any]) -> Hit:
    """Return the hit of a row. Raises AttributeError or ValueError for invalid values of a message."""
    session_id, session, message_id, position, agent, role, snippet = row
    if type(position) is not int or role not in ROLES:
        raise ValueError("a message has a position or a role that there is not")
    session_id, session, message_id, agent = map(text_of, (session_id, session, message_id, agent))
    return Hit(session_id, session, message_id, position, agent, role, *_parse_snippet(snippet))


def _parse_snippet(snippet: bytes) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return a snippet as one line of plain text, and the positions of the marked words."""
    line = ""
    spans: list[tuple[int, int]] = []
    for piece in _MARK.split(snippet.decode("utf-8", "replace")):
        if piece == _OPEN:
            spans.append((len(line), len(line)))
        elif piece == _CLOSE and spans:
            spans[-1] = (spans[-1][0], len(line))
        elif piece not in (_OPEN, _CLOSE):
            line += _SPACE.sub(" ", piece)
    start = max(0, min(spans[0][0] - SNIPPET // 4, len(line) - SNIPPET)) if spans else 0
    excerpt = line[start : start + SNIPPET]
    inside = ((max(0, a - start), min(b - start, len(excerpt))) for a, b in spans)
    return excerpt, tuple((a, b) for a, b in inside if a < b)


def snippet_around(text: str, words: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return one line of a text around the first of some words, and the positions of words that begin like them.

    Args:
        text: The text.
        words: Lower-case words without accents.
    """
    stems = tuple(word[: max(MIN_STEM, len(word) - 2)] for word in words)
    places = [token.span() for token in _TOKEN.finditer(text) if token[0].lower().startswith(stems)]
    start = max(0, places[0][0] - SNIPPET // 4) if places else 0
    marked, at = "", start
    for first, last in places:
        if at <= first and last <= start + SNIPPET:
            marked += f"{text[at:first]}{_OPEN}{text[first:last]}{_CLOSE}"
            at = last
    marked += text[at : start + SNIPPET]
    return _parse_snippet(marked.encode("utf-8", "replace"))
