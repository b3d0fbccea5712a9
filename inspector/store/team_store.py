"""A team's store as its readers see it: sessions, words and totals that several machines have pushed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspector.core.conversation import Session
from inspector.store.damage import StoreError, decoding, json_list, require_chain
from inspector.store.rollup_totals import (
    GroupSession,
    RollupGroup,
    RollupPeriod,
    StatsRow,
    group_rows,
    group_sessions,
    total_row,
)
from inspector.store.serialization import message_from_json, settings_of
from inspector.store.session_reader import SessionRow, only_match, problem_of
from inspector.store.team_connection import TeamClient, TeamConnection
from inspector.store.word_search import MAX_WORDS, MIN_START_LENGTH, Hit, snippet_around

_WORD = re.compile(r"[^\W_]+")
_ROW = """
    id, title, format, model, agents, messages, turns, tokens, peak, compactions, changed, '', folder,
    json_array_length(problems::json)"""

_SESSION = """
    SELECT -1 AS position, json_build_array(
        title, format, model, tools, dialect, settings, records_system, problems, line, messages)::text AS data
    FROM session WHERE has_text AND id = %s
    UNION ALL SELECT position, data FROM message WHERE session_id = %s ORDER BY position"""
"""A session and its messages in one answer, which a server far away sends in half the time of two."""
_WEEK = "to_char(date_trunc('week', nullif(name, '')::date), 'YYYY-MM-DD')"
_FILES = """
    SELECT name, sum(sessions) AS sessions, sum(count) AS calls, sum(tokens) AS sent,
        CASE WHEN sum(priced) > 0 THEN sum(cost) END AS dollars,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL AS mean, NULL, max(ended)
    FROM ({rows}) AS months GROUP BY name"""
_EVERY_MONTH = "SELECT * FROM rollup_month WHERE month >= ?"
_MONTHS_SINCE = """
    WITH since AS MATERIALIZED (SELECT ?::text AS day)
    SELECT name, sessions, count, tokens, priced, cost, ended FROM rollup_month
    WHERE month > (SELECT substr(day, 1, 7) FROM since)
    UNION ALL SELECT name, is_first, count, tokens, CASE WHEN cost IS NULL THEN 0 ELSE 1 END, coalesce(cost, 0), ended
    FROM rollup_part
    WHERE kind = 'file' AND ended >= (SELECT day FROM since)
        AND ended <= (SELECT substr(day, 1, 7) || '~' FROM since)"""
"""The months after the one in which the period begins, and the sessions of that month."""


def search_words(text: str) -> list[str]:
    """Return the words of a text as they are indexed: without signs, accents and case."""
    if not text.isascii():
        text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return [word.lower() for word in _WORD.findall(text)]


class TeamStore(TeamClient):
    """Reads a team's store. Every method raises StoreError, one sentence, if the server cannot be used."""

    def __init__(self, address: str) -> None:
        """Open a team's store.

        Args:
            address: Address such as postgresql://user@host/name.

        Raises:
            StoreError: The extra is missing, the server cannot be reached, or the database is no team's store.
        """
        super().__init__(TeamConnection(address))
        self._connection.query("SELECT 1")
        self.rollups = TeamTotals(self._connection)
        """Totals of the sessions."""

    def sessions(self, limit: int = -1) -> list[SessionRow]:
        """Return sessions, newest first. -1 is no limit."""
        order = f"SELECT {_ROW} FROM session WHERE has_text ORDER BY changed DESC, id DESC LIMIT %s"
        return [SessionRow(*row) for row in self._connection.query(order, (limit if limit >= 0 else None,))]

    def row(self, id: str) -> SessionRow:
        """Return the row of one session in `sessions`. Raises StoreError if it is not stored."""
        rows = self._connection.query(f"SELECT {_ROW} FROM session WHERE has_text AND id = %s", (id,))
        if not rows:
            raise StoreError(f"no stored session has the id {id!r}")
        return SessionRow(*rows[0])

    def find(self, id: str) -> str:
        """Return the id of the session with this id or unique prefix. Raises StoreError otherwise."""
        query = "SELECT id FROM session WHERE has_text AND (id = %s OR id > %s AND id < %s) ORDER BY id LIMIT 9"
        rows = self._connection.query(query, (id, id, f"{id}\U0010ffff")) if id else []
        return only_match(id, [key for (key,) in rows])

    def load(self, id: str) -> Session:
        """Return a session with all of its content, which no longer needs the server."""
        rows = self._connection.query(_SESSION, (id, id))
        if not rows or rows[0][0] >= 0:
            raise StoreError(f"no stored session has the id {id!r}")
        with decoding(f"the session {id!r}"):
            title, source, model, tools, dialect, settings, records_system, problems, line, number = json_list(
                rows[0][1]
            )
            messages = tuple([message_from_json(data) for _, data in rows[1:]])
            if len(messages) != number:  # a data server was asked before the session was replaced, another one after it
                raise StoreError(f"the session {id!r} has just changed: open it again")
            require_chain([message.parent for message in messages])
            plain_settings, sizes, capture = settings_of(settings)
            return Session(
                id,
                title,
                source,
                messages,
                model,
                tuple(json_list(tools)),
                dialect,
                plain_settings,
                records_system,
                tuple([problem_of(problem) for problem in json_list(problems)]),
                line=line,
                sizes=sizes,
                capture=capture,
            )

    def search(self, words: str, limit: int = 50, session_id: str | None = None) -> list[Hit]:
        """Return messages that contain all the words, the best match first.

        Args:
            words: The words. The last one may be the beginning of a word.
            limit: Maximum number of messages.
            session_id: Session to search in, or None for all.
        """
        phrases = [phrase for word in words.split()[:MAX_WORDS] if (phrase := search_words(word))]
        if not phrases:
            return []
        terms = [" <-> ".join(phrase) for phrase in phrases]
        if len(phrases[-1][-1]) + 2 >= MIN_START_LENGTH:
            terms[-1] += ":*"
        wanted = " & ".join(f"({term})" for term in terms)
        rows = self._connection.query("SELECT * FROM search(%s, %s, %s)", (wanted, limit, session_id))
        starts = [word for phrase in phrases for word in phrase]
        with decoding("a message that was looked for"):
            return [_hit_of(row, starts) for row in rows]


def _hit_of(row: Sequence[Any], words: Sequence[str]) -> Hit:
    session_id, title, position, data = row
    message = message_from_json(data)
    text, spans = snippet_around(message.text, words)
    return Hit(session_id, title, message.id, position, message.agent, message.role, text, spans)


class TeamTotals:
    """Totals of a team's sessions. Every method raises StoreError if the server cannot be used."""

    def __init__(self, connection: TeamConnection) -> None:
        self._connection = connection

    def _execute(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._connection.query(query.replace("?", "%s"), values)

    def stored(self) -> int:
        """Return the number of sessions, also of those whose totals alone were pushed."""
        return int(self._execute("SELECT coalesce(sum(sessions), 0) FROM rollup_total", ())[0][0])

    def stale(self, rules: int) -> list[str]:
        """Return no sessions: totals are added up before they are pushed."""
        return []

    def total(self, period: RollupPeriod) -> StatsRow:
        """Return the totals of all sessions in a period."""
        return total_row(self._execute, period)

    def rows(self, group: RollupGroup, period: RollupPeriod, limit: int = -1) -> list[StatsRow]:
        """Return totals by group, the most expensive first; days and weeks in their order. See `Rollups.rows`."""
        query = _FILES.format(rows=_MONTHS_SINCE if period.since else _EVERY_MONTH) if group == "file" else ""
        return group_rows(self._execute, group, period, limit, _WEEK, query)

    def day_costs(self, period: RollupPeriod) -> dict[tuple[str, str], float]:
        """Return the dollars of each project and day in a period."""
        query = "SELECT project, name, coalesce(cost, 0) FROM rollup_time WHERE kind = 'day' AND name >= ?"
        rows = self._execute(query, (period.first_day,))
        return {(project, day): float(cost) for project, day, cost in rows}

    def sessions(self, group: RollupGroup, name: str, period: RollupPeriod, limit: int) -> list[GroupSession]:
        """Return sessions of a group, the most expensive first. See `Rollups.sessions`.

        The title is the id, and the session is not stored, if the reader may not open it.
        """
        [(may_open,)] = self._execute("SELECT has_table_privilege('inspector.session', 'SELECT')", ())
        rows = group_sessions(self._execute, group, name, period, limit, _WEEK, "false")
        query = "SELECT id, title FROM session WHERE has_text AND id = ANY (?)"
        titles = dict(self._execute(query, ([row.id for row in rows],))) if may_open else {}
        return [replace(row, title=titles.get(row.id, row.id), is_stored=row.id in titles) for row in rows]
