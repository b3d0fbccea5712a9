"""Checks one stored session: its messages, its contexts and its plans."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from inspector.core.conversation import InMemoryBody, parts_of
from inspector.llm.providers import count_characters
from inspector.store.connections import cause
from inspector.store.damage import DamagedError, StoreError
from inspector.store.importing import contexts
from inspector.store.plans import stack
from inspector.store.serialization import column, text_of
from inspector.store.session_reader import body_of, content_digest, digest_rules, digests, session_of
from inspector.store.working import ConnectionBody, working_rows

_PROBLEMS_PER_KIND = 5
"""How many problems of one kind are listed; of the others only the number is given."""


def first_problems(problems: Iterator[str]) -> Iterator[str]:
    """Yield the first problems, and the number of further ones. An error of SQLite becomes the last problem."""
    more = 0
    try:
        for number, problem in enumerate(problems):
            if number < _PROBLEMS_PER_KIND:
                yield problem
            else:
                more += 1
    except DamagedError as error:
        yield error.what
    except StoreError as error:
        yield str(error)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        yield cause(error)
    if more:
        yield f"and {more:,} more like this"


def session_problems(connection: sqlite3.Connection, id: str) -> list[str]:
    """Return problems of a session: of its messages, its contexts and its plans."""

    def find() -> Iterator[str]:
        session, keys = session_of(connection, id, lambda key: ConnectionBody(connection, key))
        rules = connection.execute("SELECT digested_by FROM session WHERE id = ?", (column(id),)).fetchone()
        stored = digests(connection, id) if rules == (digest_rules(),) else [None] * len(keys)
        for position, (message, key, digest) in enumerate(zip(session, keys, stored, strict=True)):
            raw, record = body_of(connection, key)
            whole = replace(message, body=InMemoryBody(raw, record))
            chars = sum(map(count_characters, parts_of(raw, message.dialect)))
            if chars != message.chars or digest not in (None, content_digest(whole)):
                yield f"the message at position {position} has another content than was stored"
        context = "SELECT session_id, agent, position FROM context WHERE session_id = ?"
        rows = set(connection.execute(context, (column(id),)))
        if rows != {(column(id), *place) for place in contexts(session)}:
            yield "its contexts do not match its messages"
        yield from _plan_problems(connection, id)

    return list(first_problems(find()))


def _plan_problems(connection: sqlite3.Connection, id: str) -> Iterator[str]:
    """Yield problems of the stacks of a session's agents and of their windows. Raises DamagedError."""
    agents = connection.execute("SELECT DISTINCT agent FROM plan WHERE session_id = ?", (column(id),)).fetchall()
    for (agent,) in agents:
        place = (column(id), agent)
        plans = stack(connection, id, text_of(agent))
        query = "SELECT position FROM plan WHERE session_id = ? AND agent = ? ORDER BY position"
        if [position for (position,) in connection.execute(query, place)] != list(range(1, len(plans) + 1)):
            yield f"plans of {text_of(agent)} are missing"
        query = "SELECT key, version, fate_of FROM working_message WHERE session_id = ? AND agent = ? ORDER BY place"
        if connection.execute(query, place).fetchall() != list(working_rows(connection, id, text_of(agent), plans)):
            yield f"the window of {text_of(agent)} does not match its plans"
