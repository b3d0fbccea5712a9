"""Rollups of sessions: one row of totals for each agent of a session, and its parts by model, day, tool and file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

from inspector.store.connections import transaction
from inspector.store.damage import decoding
from inspector.store.rollup_totals import (
    GroupSession,
    RollupGroup,
    RollupPeriod,
    StatsRow,
    day_costs,
    group_rows,
    group_sessions,
    total_row,
)
from inspector.store.serialization import column, text_of

ROLLUP_KEYS = {"rollup": "session_id, agent", "rollup_part": "kind, name, session_id, agent"}
"""The tables of rollups, with the columns of their primary keys."""


@dataclass(frozen=True, slots=True)
class RollupPart:
    """A part of a rollup: calls to a model, of a day or of a tool, reads of a file, or losses by a cause."""

    kind: str
    """`model`, `day`, `tool`, `server`, `file`, `cause` or `preset`."""
    name: str
    count: int = 0
    tokens: int = 0
    defined: int = 0
    """Tokens of a tool's definition in each request; of a day, the calls whose usage or price is not known."""
    cost: float | None = None
    """Dollars; None if unknown."""


@dataclass(frozen=True, slots=True)
class Rollup:
    """Totals of one agent of a session. The columns of the table have the same names, in this order."""

    agent: str
    place: int
    """Place of the agent among those of the session, from 0."""
    rules: int
    logged: int
    """Messages of the session, of all agents."""
    title: str
    path: str
    project: str
    folder: str
    format: str
    model: str
    machine: str
    person: str
    started: str
    """UTC; empty if no times are recorded."""
    ended: str
    turns: int
    messages: int
    calls: int
    unreported: int = 0
    """Calls whose usage or price is not known; `cost` does not include them."""
    sent: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    cost: float | None = None
    peak: int = 0
    compactions: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    rereads: int = 0
    reread_tokens: int = 0
    reread_cost: float | None = None
    prompt: int = 0
    tools: int = 0
    cache_lost: int = 0
    cache_cost: float | None = None
    parts: tuple[RollupPart, ...] = ()


ROLLUP_COLUMNS = ("session_id", *(field.name for field in fields(Rollup) if field.name != "parts"))
_INSERT = f"INSERT INTO rollup ({', '.join(ROLLUP_COLUMNS)}) VALUES ({', '.join('?' * len(ROLLUP_COLUMNS))})"
_INSERT_PART = """
    INSERT INTO rollup_part (session_id, agent, is_first, ended, kind, name, count, tokens, defined, cost)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


_PRESETS = """
    INSERT INTO rollup_part (session_id, agent, is_first, ended, kind, name, count, tokens, defined)
    SELECT session_id, agent, row_number() OVER (PARTITION BY preset ORDER BY place) = 1, ended, 'preset', preset,
        plans, 0, 0
    FROM (SELECT preset, agent, count(*) AS plans FROM plan WHERE session_id = ?1 AND preset <> '' GROUP BY 1, 2)
        JOIN rollup USING (agent)
    WHERE session_id = ?1
    ON CONFLICT DO NOTHING"""
"""Adds a part for each preset that the plans of a session were made with."""


class Rollups:
    """The rollups of a store. Every method raises StoreError, one sentence, when the file cannot be used."""

    def __init__(self, settled: Callable[[], AbstractContextManager[sqlite3.Connection]]) -> None:
        """Create the rollups of a store.

        Args:
            settled: Opens a connection with all journals moved to the log.
        """
        self._settled = settled

    def put(self, session_id: str, rollups: Sequence[Rollup]) -> None:
        """Store the rollups of a session, in place of earlier ones."""
        key = column(session_id)
        with self._settled() as connection, transaction(connection):
            connection.execute("DELETE FROM rollup WHERE session_id = ?", (key,))
            connection.execute("DELETE FROM rollup_part WHERE session_id = ?", (key,))
            seen: set[tuple[str, str]] = set()
            for rollup in rollups:
                values = [getattr(rollup, name) for name in ROLLUP_COLUMNS[1:]]
                connection.execute(_INSERT, (key, *map(_stored, values)))
                self._put_parts(connection, session_id, rollup, rollup.parts, seen)
            connection.execute(_PRESETS, (key,))

    @staticmethod
    def _put_parts(
        connection: sqlite3.Connection,
        session_id: str,
        rollup: Rollup,
        parts: Sequence[RollupPart],
        seen: set[tuple[str, str]],
    ) -> None:
        head = column(session_id), column(rollup.agent)
        rows = []
        for part in parts:
            is_first = (part.kind, part.name) not in seen
            seen.add((part.kind, part.name))
            rows.append((*head, int(is_first), rollup.ended, *map(_stored, astuple(part))))
        connection.executemany(_INSERT_PART, rows)

    def of_session(self, session_id: str) -> list[Rollup]:
        """Return the rollups of a session, in the order of its agents."""
        key = (column(session_id),)
        parts: dict[str, list[RollupPart]] = {}
        query = "SELECT agent, kind, name, count, tokens, defined, cost FROM rollup_part WHERE session_id = ?"
        rows = f"SELECT {', '.join(ROLLUP_COLUMNS[1:])} FROM rollup WHERE session_id = ? ORDER BY place"
        with self._settled() as connection, decoding("the totals of a session"):
            for agent, kind, name, *numbers in connection.execute(query, key):
                parts.setdefault(text_of(agent), []).append(RollupPart(kind, text_of(name), *numbers))
            rollups = [Rollup(*map(_text_or_number, row)) for row in connection.execute(rows, key)]
        return [replace(rollup, parts=tuple(parts.get(rollup.agent, ()))) for rollup in rollups]

    def stale(self, rules: int) -> list[str]:
        """Return the stored sessions without rollups by these rules and of all their messages, newest first."""
        query = """
            SELECT id FROM session LEFT JOIN rollup ON place = 0 AND session_id = id
            WHERE id IN (
                SELECT session_id FROM rollup_due
                UNION ALL SELECT session_id FROM rollup WHERE place = 0 AND rules < ?1
                UNION ALL SELECT session_id FROM rollup WHERE place = 0 AND rules > ?1
            ) AND (rollup.session_id IS NULL OR rules <> ?1 OR logged < session.messages)
            ORDER BY changed DESC, id"""
        with self._settled() as connection, decoding("the ids of the sessions"):
            return [text_of(key) for (key,) in connection.execute(query, (rules,))]

    def stored(self) -> int:
        """Return the number of stored sessions."""
        with self._settled() as connection:
            return int(connection.execute("SELECT count(*) FROM session").fetchone()[0])

    def every(self) -> Iterator[tuple[str, Rollup]]:
        """Yield the rollups of all sessions with their parts and the ids of the sessions, by id."""
        parts_of = "SELECT kind, name, count, tokens, defined, cost FROM rollup_part WHERE session_id = ? AND agent = ?"
        with self._settled() as connection, decoding("the totals of the sessions"):
            for key, *values in connection.execute(f"SELECT {', '.join(ROLLUP_COLUMNS)} FROM rollup ORDER BY 1, place"):
                rollup = Rollup(*map(_loaded, values))
                rows = connection.execute(parts_of, (key, values[0]))
                yield text_of(key), replace(rollup, parts=tuple(RollupPart(*map(_loaded, row)) for row in rows))

    def is_alone(self, session_id: str) -> bool:
        """Return True if there are rollups of a session that is not stored."""
        key = column(session_id)
        query = "SELECT 1 FROM rollup WHERE session_id = ? AND NOT EXISTS (SELECT 1 FROM session WHERE id = ?)"
        with self._settled() as connection:
            return connection.execute(query, (key, key)).fetchone() is not None

    def drop(self, session_id: str) -> None:
        """Remove the rollups of a session."""
        with self._settled() as connection, transaction(connection):
            drop_rollups(connection, session_id)

    def total(self, period: RollupPeriod) -> StatsRow:
        """Return the totals of all sessions in a period."""
        with self._settled() as connection, decoding("the totals of the sessions"):
            return total_row(connection.execute, period)

    def rows(self, group: RollupGroup, period: RollupPeriod, limit: int = -1) -> list[StatsRow]:
        """Return totals by group, the most expensive first; days and weeks in their order.

        Args:
            group: What the totals are grouped by.
            period: Times of the sessions.
            limit: Maximum number of rows; -1 for all.
        """
        with self._settled() as connection, decoding("the totals of the sessions"):
            return group_rows(connection.execute, group, period, limit)

    def day_costs(self, period: RollupPeriod) -> dict[tuple[str, str], float]:
        """Return the dollars of each project and day in a period."""
        with self._settled() as connection, decoding("the totals of the sessions"):
            return day_costs(connection.execute, period)

    def sessions(self, group: RollupGroup, name: str, period: RollupPeriod, limit: int) -> list[GroupSession]:
        """Return sessions of a group, the most expensive first.

        Args:
            group: Key of the groups, such as "project".
            name: Name of the group.
            period: Times of the sessions.
            limit: Maximum number of sessions.
        """
        with self._settled() as connection, decoding("the totals of the sessions"):
            return group_sessions(connection.execute, group, name, period, limit)


def count_presets(connection: sqlite3.Connection, session_id: str) -> None:
    """Count the plans of a session by preset in its rollups, inside the caller's transaction."""
    key = (column(session_id),)
    connection.execute("DELETE FROM rollup_part WHERE session_id = ? AND kind = 'preset'", key)
    connection.execute(_PRESETS, key)


def drop_rollups(connection: sqlite3.Connection, session_id: str) -> None:
    """Remove the rollups of a session, inside the caller's transaction."""
    key = (column(session_id),)
    connection.execute("DELETE FROM rollup_part WHERE session_id = ?", key)
    connection.execute("DELETE FROM rollup WHERE session_id = ?", key)


def blank_rollups(connection: sqlite3.Connection, session_id: str) -> None:
    """Remove the title and the path from the rollups of a session, inside the caller's transaction."""
    connection.execute("UPDATE rollup SET title = '', path = '' WHERE session_id = ?", (column(session_id),))


def _stored(value: str | float | None) -> str | bytes | float | None:
    return column(value) if isinstance(value, str) else value


def _text_or_number(value: Any) -> Any:
    return text_of(value) if isinstance(value, bytes) else value


def _loaded(value: Any) -> Any:
    return text_of(value) if isinstance(value, str | bytes) else value
