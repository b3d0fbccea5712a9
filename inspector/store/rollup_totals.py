"""Totals over the rollups of many sessions, by SQL that SQLite and PostgreSQL run alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.store.rollup_schema import DAILY_KINDS
from inspector.store.serialization import column, text_of

RollupGroup = Literal["project", "day", "week", "model", "tool", "agent", "file", "server", "format", "cause", "preset"]
"""What totals are grouped by. `file` has files that were read again after a compaction, `cause` the causes of cache
losses, `preset` the presets that plans of the sessions were made with."""
ROLLUP_GROUPS: tuple[RollupGroup, ...] = get_args(RollupGroup)
_OF_ROLLUP = ("project", "agent", "format")
Execute = Callable[[str, Sequence[Any]], Iterable[tuple[Any, ...]]]
"""Runs a query with a `?` for each value, and returns its rows."""


@dataclass(frozen=True, slots=True)
class RollupPeriod:
    """Days of sessions: those whose last message is in the period."""

    since: str = ""
    """Beginning of the first UTC day, as 2026-03-01T00:00:00Z; empty for all sessions, also those without times."""

    @property
    def first_day(self) -> str:
        return self.since[:10]


@json_object(
    "Totals",
    "name sessions calls unreported tokens cached output cost compacted compactions rereads reread_tokens reread_cost"
    " cache_lost cache_cost defined unused last",
)
@dataclass(frozen=True, slots=True)
class StatsRow:
    """Totals of a group of sessions. Numbers that a group does not have are null."""

    name: Annotated[str, "of the group; a week has the date of its Monday; empty if it is not recorded"]
    sessions: int
    calls: Annotated[int, "to models; of tools, files and causes: calls of the tool, reads of the file, losses"]
    tokens: Annotated[
        Tokens, "sent in all requests; of tools and files: of their results; of causes: sent again although cached"
    ]
    cost: Annotated[Dollars | None, "without `unreported` calls; null if no price is known"]
    unreported: Annotated[int | None, "calls whose usage or price is not known"] = None
    cached: Annotated[Tokens | None, "part of `tokens` that was read from the cache"] = None
    output: Annotated[Tokens | None, "of all replies"] = None
    compacted: Annotated[int | None, "sessions whose first agent was compacted"] = None
    compactions: int | None = None
    rereads: Annotated[int | None, "reads of files and pages that a compaction had dropped"] = None
    reread_tokens: Annotated[Tokens | None, "of their results"] = None
    reread_cost: Annotated[Dollars | None, "of sending these results once, without a cache"] = None
    cache_lost: Annotated[Tokens | None, "sent again although they had been in the cache"] = None
    cache_cost: Annotated[Dollars | None, "of that, in addition to reading them from the cache"] = None
    defined: Annotated[Tokens | None, "of a tool's or server's definitions in each request, mean of its sessions"] = (
        None
    )
    unused: Annotated[int | None, "sessions whose requests define the tool or server but never call it"] = None
    last: Annotated[str, "UTC time of the last message; for models, tools, servers and causes the day; or empty"] = ""


@dataclass(frozen=True, slots=True)
class GroupSession:
    """A session of a group."""

    id: str
    title: str
    path: str
    is_stored: bool
    ended: str
    tokens: int
    cost: float | None
    compactions: int
    part: int
    """Calls, reads or losses of the group in it."""


_TOTAL_SUMS = """
    sum({sessions}) AS sessions, sum(calls) AS calls, sum(sent) AS sent, sum(cost) AS dollars, sum(unreported),
    sum(cached), sum(output), coalesce(sum(compacted), 0), sum(compactions), sum(rereads), sum(reread_tokens),
    sum(reread_cost), sum(cache_lost), sum(cache_cost), NULL AS mean, NULL, max(ended)
    FROM rollup_total WHERE day >= ?"""
_TIME = """
    SELECT name, sum(sessions) AS sessions, sum(count) AS calls, sum(tokens) AS sent, sum(cost) AS dollars,
        sum(unreported), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL AS mean, NULL, max(ended)
    FROM rollup_time WHERE kind = '{group}' AND name >= ? GROUP BY name"""
_PRESETS = """
    SELECT name, count(*) FILTER (WHERE place = 0) AS sessions, sum(calls) AS calls, sum(sent) AS sent,
        sum(cost) AS dollars, sum(unreported), sum(cached), sum(output),
        count(*) FILTER (WHERE place = 0 AND compactions > 0), sum(compactions), sum(rereads), sum(reread_tokens),
        sum(reread_cost), sum(cache_lost), sum(cache_cost), NULL AS mean, NULL, max(ended)
    FROM (SELECT DISTINCT session_id, name FROM rollup_part WHERE kind = 'preset') AS used
        JOIN rollup USING (session_id)
    WHERE ended >= ? GROUP BY name"""
_PART_SUMS = """
    {sessions} AS sessions, sum(count) AS calls, sum(tokens) AS sent, {cost} AS dollars, {unreported}, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, {defined}, {last}"""
_DAY_COST = "CASE WHEN sum(priced) > 0 THEN sum(cost) END"
_DEFINED = """
    CAST(round(sum(defined) * 1.0 / CASE WHEN sum(definers) > 1 THEN sum(definers) ELSE 1 END) AS BIGINT) AS mean,
    sum(unused)"""
_UNDEFINED = "NULL AS mean, NULL"
SQLITE_WEEK = "date(name, 'weekday 0', '-6 days')"
"""The Monday of a day, in SQL."""
ALL = 1 << 62
"""Number of rows of a query without a limit."""
_WEIGHTS: Mapping[str, str] = {"tool": "mean * sessions", "server": "mean * sessions"}
"""Numbers by which the worst groups come first, in SQL; of other groups, the cost."""


def total_row(execute: Execute, period: RollupPeriod) -> StatsRow:
    """Return the totals of all sessions in a period."""
    [row] = execute(f"SELECT '', {_TOTAL_SUMS.format(sessions='sessions')}", (period.first_day,))
    return _stats_row(row)


def group_rows(
    execute: Execute,
    group: RollupGroup,
    period: RollupPeriod,
    limit: int = -1,
    week: str = SQLITE_WEEK,
    faster: str = "",
) -> list[StatsRow]:
    """Return the totals by group, the most expensive first; days and weeks in order. See `Rollups.rows`.

    Args:
        execute: Runs a query.
        group: Key of the groups, such as "project".
        period: Times of the sessions.
        limit: Maximum number of rows; -1 for all.
        week: The Monday of the day `name`, in SQL.
        faster: Query with the same columns whose parameter is the first day; empty for the one that every store has.
    """
    query, value = (faster, period.first_day) if faster else _group_query(group, period, week)
    weight = _WEIGHTS.get(group, "dollars")
    order = "name" if group in ("day", "week") else f"{weight} DESC NULLS LAST, sent DESC, name"
    rows = execute(f"SELECT * FROM ({query}) AS totals ORDER BY {order} LIMIT ?", (value, limit if limit >= 0 else ALL))
    return [_stats_row(row) for row in rows]


def _group_query(group: RollupGroup, period: RollupPeriod, week: str) -> tuple[str, str]:
    """Return a query of totals by group, and the value of its parameter."""
    if group in _OF_ROLLUP:
        sums = _TOTAL_SUMS.format(sessions="agents" if group == "agent" else "sessions")
        return f"SELECT {group} AS name, {sums} GROUP BY 1", period.first_day
    if group == "day" or (group == "week" and not period.since):  # a period may begin within a week
        return _TIME.format(group=group), period.first_day
    if group == "week":
        sums = _part_sums("count(DISTINCT session_id)", unreported="sum(defined)")
        where = "WHERE kind = 'day' AND name >= ?"
        return f"SELECT coalesce({week}, '') AS name, {sums} FROM rollup_part {where} GROUP BY 1", period.first_day
    if group == "preset":
        return _PRESETS, period.since
    if group in DAILY_KINDS:
        defined = _DEFINED if group in _WEIGHTS else _UNDEFINED
        sums = _part_sums("sum(sessions)", defined, cost=_DAY_COST, last="max(day)")
        return (
            f"SELECT name, {sums} FROM rollup_day WHERE kind = '{group}' AND day >= ? GROUP BY name",
            period.first_day,
        )
    where = f"WHERE kind = '{group}' AND ended >= ?"
    return f"SELECT name, {_part_sums('sum(is_first)')} FROM rollup_part {where} GROUP BY name", period.since


def _part_sums(
    sessions: str,
    defined: str = _UNDEFINED,
    unreported: str = "NULL",
    cost: str = "sum(cost)",
    last: str = "max(ended)",
) -> str:
    return _PART_SUMS.format(sessions=sessions, defined=defined, unreported=unreported, cost=cost, last=last)


def day_costs(execute: Execute, period: RollupPeriod) -> dict[tuple[str, str], float]:
    """Return the dollars of each project and day in a period."""
    query = """
        SELECT rollup.project, name, coalesce(sum(part.cost), 0)
        FROM rollup_part AS part JOIN rollup USING (session_id, agent)
        WHERE kind = 'day' AND name >= ? GROUP BY 1, 2"""
    rows = execute(query, (period.first_day,))
    return {(text_of(project), text_of(day)): float(cost) for project, day, cost in rows}


def group_sessions(
    execute: Execute,
    group: RollupGroup,
    name: str,
    period: RollupPeriod,
    limit: int,
    week: str = SQLITE_WEEK,
    stored: str = "EXISTS (SELECT 1 FROM session WHERE session.id = members.id)",
) -> list[GroupSession]:
    """Return sessions of a group, the most expensive first. See `Rollups.sessions`.

    Args:
        execute: Runs a query.
        group: Key of the groups, such as "project".
        name: Name of the group.
        period: Times of the sessions.
        limit: Maximum number of sessions.
        week: The Monday of the day `name`, in SQL.
        stored: SQL that is true if the session `members.id` can be opened.
    """
    if group in _OF_ROLLUP:
        members = f"SELECT DISTINCT session_id AS id, 0 AS part FROM rollup WHERE {group} = ?"
    else:
        kind, wanted = ("day", week) if group == "week" else (group, "name")
        members = f"SELECT session_id AS id, sum(count) AS part FROM rollup_part WHERE kind = '{kind}' AND {wanted} = ?"
        members += " GROUP BY session_id"
    query = f"""
        WITH members AS MATERIALIZED ({members})
        SELECT members.id, max(CASE place WHEN 0 THEN title ELSE '' END), max(path), {stored}, max(ended),
            sum(sent) AS tokens, sum(cost) AS dollars, sum(compactions), max(part) AS part
        FROM members CROSS JOIN rollup WHERE session_id = members.id GROUP BY members.id HAVING max(ended) >= ?
        ORDER BY part DESC, dollars DESC NULLS LAST, tokens DESC, members.id LIMIT ?"""
    rows = execute(query, (column(name), period.since if group not in ("day", "week") else "", limit))
    return [
        GroupSession(text_of(key), text_of(title), text_of(path), bool(stored), *rest)
        for key, title, path, stored, *rest in rows
    ]


def _stats_row(row: tuple[Any, ...]) -> StatsRow:
    """Return the totals in a row of a query."""
    name, sessions, calls, tokens, *rest, last = row
    known: list[Any] = [text_of(name), sessions or 0, calls or 0, tokens or 0, *rest, text_of(last or "")]
    return StatsRow(*known)
