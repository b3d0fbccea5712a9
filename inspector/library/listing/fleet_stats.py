"""Totals over all sessions of a store: periods, trends, the worst groups, and one sentence about them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from inspector.analysis.rollups import ROLLUP_RULES
from inspector.core.text import dollars, percent, plural
from inspector.store import RollupGroup, RollupPeriod, SessionStore, StatsRow

WORST_GROUPS: tuple[RollupGroup, ...] = ("project", "file", "server", "tool", "cause")
"""Groups of which the worst are listed."""
MAX_WORST = 10
_AGE = re.compile(r"([1-9][0-9]{0,4})([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
"""Days of each unit of an age."""
BudgetPeriod = Literal["day", "week", "month"]


@dataclass(frozen=True, slots=True)
class FleetStats:
    """Totals over the sessions of a store."""

    total: StatsRow
    worst: Mapping[RollupGroup, Sequence[StatsRow]]
    """The worst rows of each group."""
    weeks: Sequence[StatsRow]
    """All weeks from the first to the last one, also those without sessions."""
    missing: int
    """Stored sessions that are not added up, or whose totals are out of date."""
    stored: int

    @property
    def is_empty(self) -> bool:
        return not self.total.sessions


def fleet_stats(store: SessionStore, period: RollupPeriod) -> FleetStats:
    """Return the totals of the sessions in a period. Raises StoreError."""
    rollups = store.rollups
    projects = rollups.rows("project", period)
    others: dict[RollupGroup, Sequence[StatsRow]] = {
        group: rollups.rows(group, period, MAX_WORST) for group in WORST_GROUPS if group != "project"
    }
    return FleetStats(
        _total_of(projects),
        {"project": projects[:MAX_WORST], **others},
        _all_weeks(rollups.rows("week", period)),
        len(rollups.stale(ROLLUP_RULES)),
        rollups.stored(),
    )


def _total_of(rows: Sequence[StatsRow]) -> StatsRow:
    """Return the sum of rows that have no sessions in common."""

    def total(name: str) -> Any:
        known = [value for row in rows if (value := getattr(row, name)) is not None]
        return sum(known) if known else None

    sums = {field.name: total(field.name) for field in fields(StatsRow) if field.name not in ("name", "last")}
    if not rows:
        return StatsRow("", 0, 0, 0, None)
    return StatsRow("", **sums, last=max(row.last for row in rows))


def days_of_age(text: str) -> int:
    """Return the days of an age such as 30d, 12w, 6m or 1y; 0 for any other text."""
    age = _AGE.fullmatch(text)
    return int(age[1]) * _DAYS[age[2]] if age else 0


def period_of(text: str, now: datetime | None = None) -> RollupPeriod:
    """Return the period since the beginning of a UTC day: that of an age (30d, 12w, 6m, 1y) or a date.

    Args:
        text: The age or date; empty for all sessions.
        now: Current time; None for the time of the system.

    Raises:
        ValueError: The text is neither.
    """
    if not text:
        return RollupPeriod()
    if days := days_of_age(text):
        try:
            first = (now or datetime.now(UTC)) - timedelta(days=days)
        except OverflowError:
            return RollupPeriod()
        return RollupPeriod(first.strftime("%Y-%m-%dT00:00:00Z"))
    return RollupPeriod(f"{date.fromisoformat(text).isoformat()}T00:00:00Z")


def _all_weeks(rows: Sequence[StatsRow]) -> list[StatsRow]:
    """Return the weeks of some rows, filled up with the weeks between them. Sessions without times are left out."""
    by_name = {row.name: row for row in rows if row.name}
    if not by_name:
        return []
    first, last = (date.fromisoformat(name) for name in (min(by_name), max(by_name)))
    names = ((first + timedelta(weeks=number)).isoformat() for number in range((last - first).days // 7 + 1))
    return [by_name.get(name) or StatsRow(name, 0, 0, 0, None) for name in names]


def costs_by_period(days: Sequence[StatsRow], unit: BudgetPeriod) -> dict[str, float]:
    """Return the dollars of each day, week or month, by its first day.

    Args:
        days: Totals by day.
        unit: Length of a period. Weeks begin on Monday.
    """
    costs: dict[str, float] = {}
    for row in days:
        if row.name and row.cost is not None:
            name = first_day(date.fromisoformat(row.name), unit).isoformat()
            costs[name] = costs.get(name, 0.0) + row.cost
    return costs


def first_day(day: date, unit: BudgetPeriod) -> date:
    """Return the first day of the day, week or month that a day lies in."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day


def fleet_sentence(stats: FleetStats) -> str:
    """Return the totals in one sentence; without any, the command that adds them up."""
    if stats.is_empty:
        return _empty_sentence(stats)
    total, files = stats.total, stats.worst["file"]
    share = percent((total.compacted or 0) / total.sessions)
    text = f"{share} of {plural(total.sessions, 'session')} {'was' if total.sessions == 1 else 'were'} compacted"
    if not total.rereads:
        return f"{text}."
    text += f"; reading {plural(total.rereads, 'dropped file')} again took ≈{total.reread_tokens or 0:,} tokens"
    if total.reread_cost:
        text += f" ({dollars(total.reread_cost)})"
    if files:
        text += f", most often {max(files, key=lambda row: row.calls).name}"
    return f"{text}."


def _empty_sentence(stats: FleetStats) -> str:
    if stats.missing:
        return f"{plural(stats.missing, 'stored session')} not added up yet: inspector stats --backfill"
    if stats.stored:
        return "No session of this period. Choose an earlier --since."
    return "No session is stored. To store and add up sessions: inspector import PATH…, or inspector keep --all."
