"""Totals of a team's sessions, read from tables that have them by project and day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspector.store.rollup_totals import (
    GroupSession,
    RollupGroup,
    RollupPeriod,
    StatsRow,
    group_rows,
    group_sessions,
    total_row,
)
from inspector.store.team_connection import TeamConnection

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
