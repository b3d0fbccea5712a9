"""The columns in which totals over many sessions are shown, and trends as lines of blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from inspector.core.text import dollars, percent
from inspector.store import RollupGroup, StatsRow

_BLOCKS = "▁▂▃▄▅▆▇█"
_UNNAMED: Mapping[RollupGroup, str] = {
    "project": "unknown folder",
    "model": "unknown model",
    "day": "no time recorded",
    "week": "no time recorded",
    "server": "unnamed",
    "tool": "unnamed",
}
_MEMBERS: tuple[str, ...] = ("sessions", "tokens", "cost", "compacted", "re-read", "cache lost")
_SPENT = ("sessions", "calls", "tokens", "cost")
_DEFINED = ("sessions", "calls", "results", "defined", "never called")
_COLUMNS: Mapping[RollupGroup, tuple[str, ...]] = {
    "project": _MEMBERS,
    "agent": _MEMBERS,
    "format": _MEMBERS,
    "preset": _MEMBERS,
    "day": _SPENT,
    "week": _SPENT,
    "model": _SPENT,
    "tool": _DEFINED,
    "server": _DEFINED,
    "file": ("sessions", "reads", "results", "cost"),
    "cause": ("sessions", "losses", "tokens", "cost"),
}


def columns_of_group(group: RollupGroup) -> tuple[str, ...]:
    """Return the columns of the totals by a group, after the name."""
    return _COLUMNS[group]


def group_name(group: RollupGroup, row: StatsRow) -> str:
    """Return the name of a row, or words for one without a name."""
    return row.name or _UNNAMED.get(group, "not recorded")


def stats_cell(column: str, row: StatsRow) -> str:
    """Return the text of a row in a column."""
    return _CELLS[column](row)


def _compacted(row: StatsRow) -> str:
    return percent((row.compacted or 0) / row.sessions) if row.sessions else ""


def _money(amount: float | None) -> str:
    return "?" if amount is None else f"${amount:,.2f}" if 0.1 <= amount < 1_000 else dollars(amount)


_CELLS: Mapping[str, Callable[[StatsRow], str]] = {
    "sessions": lambda row: f"{row.sessions:,}",
    "calls": lambda row: f"{row.calls:,}",
    "reads": lambda row: f"{row.calls:,}",
    "losses": lambda row: f"{row.calls:,}",
    "tokens": lambda row: short_tokens(row.tokens),
    "results": lambda row: short_tokens(row.tokens),
    "cost": lambda row: _money(row.cost),
    "compacted": _compacted,
    "re-read": lambda row: _money(row.reread_cost) if row.rereads else "",
    "cache lost": lambda row: _money(row.cache_cost) if row.cache_lost else "",
    "defined": lambda row: f"{row.defined:,}" if row.defined else "",
    "never called": lambda row: f"in {row.unused:,}" if row.unused else "",
}


def short_tokens(tokens: int) -> str:
    """Return a number of tokens in millions from one million on: 950,000, 1.2 M, 218 M."""
    if tokens < 1_000_000:
        return f"{tokens:,}"
    millions = tokens / 1_000_000
    return f"{millions:.1f} M" if millions < 100 else f"{millions:,.0f} M"


def trend_line(values: Sequence[float | None], room: int) -> str:
    """Return values as blocks of eight heights, the newest last. Values without an amount are spaces.

    Args:
        values: One value per period, oldest first.
        room: Maximum columns. With more values, the oldest are left out.
    """
    newest = values[-room:] if room > 0 else []
    most = max((value or 0.0 for value in newest), default=0.0)
    if not most:
        return " " * len(newest)
    return "".join(_BLOCKS[min(7, int(8 * value / most))] if value else " " for value in newest)
