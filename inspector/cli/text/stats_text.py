"""Totals over many sessions as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.cli.output import paint, whole, width
from inspector.core.text import cells, clip, dollars, lines_of, pad, plural
from inspector.library import (
    MAX_WORST,
    FleetStats,
    columns_of_group,
    fleet_sentence,
    group_name,
    short_tokens,
    stats_cell,
    trend_line,
)
from inspector.store import RollupGroup, StatsRow

_TREND = 52
"""Maximum weeks of the trend."""
_MIN_NAME = 16
_TITLES: dict[RollupGroup, str] = {
    "project": "projects by cost",
    "file": "read again after compactions: put stable ones into CLAUDE.md or AGENTS.md",
    "server": "MCP servers that fill every window",
    "tool": "tools that fill every window",
    "cause": "prompt cache lost",
}


def stats_text(stats: FleetStats) -> Iterator[str]:
    """Yield the totals, the trend by week, and the ten worst of each kind."""
    for line in lines_of(fleet_sentence(stats), width()):
        yield paint(line, "strong")
    if stats.is_empty:
        return
    yield from _total_lines(stats)
    for group, rows in stats.worst.items():
        worst = [row for row in rows if _is_bad(group, row)]
        if worst:
            yield ""
            yield paint(_TITLES[group], "strong")
            yield from group_text(worst[:MAX_WORST], group)


def _is_bad(group: RollupGroup, row: StatsRow) -> bool:
    return bool(row.defined) if group in ("tool", "server") else True


def _total_lines(stats: FleetStats) -> Iterator[str]:
    total = stats.total
    cost = "cost unknown" if total.cost is None else dollars(total.cost)
    words = [
        plural(total.sessions, "session"),
        plural(total.calls, "call"),
        f"{short_tokens(total.tokens)} tokens",
        cost,
    ]
    yield clip(" · ".join(words), width())
    if total.unreported:
        yield paint(f"{plural(total.unreported, 'call')} of unknown cost not included", "dim")
    if total.cache_cost:
        yield f"{dollars(total.cache_cost)} because the prompt cache was lost"
    if len(stats.weeks) > 1:
        costs = [row.cost for row in stats.weeks]
        values = costs if any(costs) else [float(row.tokens) for row in stats.weeks]
        name = "cost" if any(costs) else "tokens"
        first = stats.weeks[-_TREND:][0].name
        yield f"{name} per week since {first}  {paint(trend_line(values, min(_TREND, width() - 34)), 'accent')}"
    if stats.missing:
        yield paint(f"{plural(stats.missing, 'stored session')} not added up yet: inspector stats --backfill", "warn")


def group_text(rows: Sequence[StatsRow], group: RollupGroup) -> Iterator[str]:
    """Yield totals by group as a table.

    Args:
        rows: The totals.
        group: Key of the groups, such as "project".
    """
    if not rows:
        yield f"No {group} is recorded in these sessions."
        return
    names = columns_of_group(group)
    table = [[stats_cell(name, row) for name in names] for row in rows]
    rooms = [max(cells(name), *(cells(line[place]) for line in table)) for place, name in enumerate(names)]
    longest = max(cells(whole(group_name(group, row))) for row in rows)
    name_room = max(_MIN_NAME, min(width() - sum(rooms) - 2 * len(rooms), longest))
    head = "  ".join(f"{name:>{room}}" for name, room in zip(names, rooms, strict=True))
    yield paint(f"{pad(group, name_room)}  {head}", "dim")
    for row, line in zip(rows, table, strict=True):
        text = "  ".join(f"{cell:>{room}}" for cell, room in zip(line, rooms, strict=True))
        yield f"{paint(pad(whole(group_name(group, row)), name_room), 'strong')}  {text}".rstrip()
