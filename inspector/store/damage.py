"""Valid values of the columns of a store. A file with any other value is reported as damaged.

SQLite checks its pages, but accepts any value in any column, so values are checked when they are read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, get_args

import orjson

from inspector.core.conversation import Kind, Message, Role
from inspector.core.errors import InspectorError
from inspector.core.text import loads
from inspector.llm.providers import DIALECTS


class StoreError(InspectorError):
    """The store cannot do what was asked. The text is one sentence for a person."""


class UnwritableError(StoreError):
    """The file or folder of the store cannot be entered or written, or the disk is full."""


class LostError(StoreError):
    """The connection to a team's store was lost, or the server cannot be reached."""


class DamagedError(StoreError):
    """The store's file holds what this program cannot have written."""

    def __init__(self, what: str, path: str = "") -> None:
        self.what = what
        super().__init__(f"{path} is damaged ({what}): inspector store check shows what can be recovered")


ROLES, KINDS = frozenset(get_args(Role)), frozenset(get_args(Kind))
MAX_COUNT = 1 << 56
"""No count of tokens or characters is larger; formats believe no number above 2^53, and add up three of them."""


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in sorted(words))


def whole(*columns: str) -> str:
    """Return an SQL condition that is true if columns are valid counts."""
    return " AND ".join(f"typeof({name}) = 'integer' AND {name} BETWEEN 0 AND {MAX_COUNT}" for name in columns)


def _whole_or_null(*columns: str) -> str:
    return " AND ".join(f"({name} IS NULL OR {whole(name)})" for name in columns)


SOUND_SESSION = " AND ".join(
    (
        whole("line", "agents", "messages", "turns", "compactions"),
        _whole_or_null("tokens", "peak"),
        "records_system IN (0, 1)",
        f"dialect IN ({_quoted(DIALECTS)})",
    )
)
"""SQL that holds for a row of the table session, as far as its numbers and fixed words go; see `decoding` for texts."""

SOUND_MESSAGE = " AND ".join(
    (
        whole("position", "chars", "images"),
        f"typeof(parent) = 'integer' AND parent BETWEEN -1 AND {MAX_COUNT}",
        f"role IN ({_quoted(ROLES)}) AND kind IN ({_quoted(KINDS)}) AND dialect IN ({_quoted(DIALECTS)})",
        "is_error IN (0, 1) AND thinks IN (0, 1)",
        "typeof(digest) = 'blob'",
        f"(usage_input IS NULL OR {whole('usage_input', 'usage_output', 'usage_cache_read', 'usage_cache_write')})",
        _whole_or_null("usage_cache_write_1h"),
    )
)
"""The same for a row of the table message."""

SOUND_PLAN = whole("position", "turn")
SOUND_COUNT = whole("tokens")
SOUND_BOOKMARK = whole("position")
SOUND_EXTRACT = "CASE WHEN typeof(content) = 'text' THEN json_valid(content) ELSE 0 END"


@contextmanager
def decoding(what: str) -> Iterator[None]:
    """Raise DamagedError where values of the store turn out to be none that were ever written.

    Only for code that makes objects of columns: an error there can have no other cause.
    """
    try:
        yield
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise DamagedError(f"{what} cannot be read") from error


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object in a column. Raises ValueError or TypeError for anything else."""
    value = _json_value(text)
    if not isinstance(value, dict):
        raise ValueError("this is not a JSON object")
    return value


def json_list(text: str) -> list[Any]:
    """Return the JSON list in a column. Raises ValueError or TypeError for anything else."""
    value = _json_value(text)
    if not isinstance(value, list):
        raise ValueError("this is not a JSON list")
    return value


def _json_value(text: str) -> Any:
    """Return the value of `loads`, faster unless it has half of a surrogate pair or a number that JSON has not."""
    try:
        return orjson.loads(text) if isinstance(text, str) else loads(text)
    except orjson.JSONDecodeError:
        return loads(text)


def refuse(connection: sqlite3.Connection, query: str, values: Sequence[object], what: str) -> None:
    """Raise DamagedError if a query returns a row.

    Args:
        connection: Connection to the store.
        query: SQL query. Its first column identifies the damaged row.
        values: Values of the query's parameters.
        what: Name of the damaged row for the error message.
    """
    row = connection.execute(query, values).fetchone()
    if row is not None:
        raise DamagedError(f"{what} {str(row[0])[:80]!r} holds an impossible value")


def require_chain(parents: Sequence[int]) -> None:
    """Raise ValueError where following messages to the ones before them leaves the log, or comes back.

    `parents` has the position before each message, -1 where a context begins.
    """
    if all(parent < position for position, parent in enumerate(parents)):
        return
    visited = [False] * len(parents)
    for start in range(len(parents)):
        path: list[int] = []
        position = start
        while position >= 0 and not visited[position]:
            visited[position] = True
            path.append(position)
            position = parents[position]
        if position >= 0 and position in set(path):
            raise ValueError(f"the message at {position} comes before itself")


def require_message(message: Message) -> Message:
    """Return a message unchanged. Raises ValueError or TypeError if a value is not valid in a message."""
    texts = [message.id, message.name, message.preview, message.agent, message.time, message.model]
    for call in message.calls:
        texts += (call.id, call.name)
    if message.answers is not None:
        texts.append(message.answers)
    if {*map(type, texts)} != {str}:
        raise TypeError("a text of a message is none")
    if message.role not in ROLES or message.kind not in KINDS or message.dialect not in DIALECTS:
        raise ValueError("a message has a role, a kind or a dialect that there is not")
    numbers = [message.chars, message.images, message.parent + 1]
    if usage := message.usage:
        numbers += (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cache_write_1h)
    if {*map(type, numbers)} != {int} or not 0 <= min(numbers) <= max(numbers) <= MAX_COUNT:
        raise ValueError("a number of a message is none")
    if not all(isinstance(part, Mapping) for part in message.body.load()):
        raise TypeError("a record of a message is none")
    return message
