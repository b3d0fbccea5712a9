"""What there is to say of a preset in a line: the columns that Tune and Compare share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.cells import set_cell_size
from rich.style import Style

from inspector.analysis.experiments import TrialResult
from inspector.analysis.replay import RetainedFact
from inspector.core.text import HASTY, dollars, percent
from inspector.llm.tokens import mark
from inspector.ui.palette import Palette
from inspector.ui.widgets.retention_bars import retention_bar
from inspector.ui.widgets.scrubber import compact

_Column = tuple[str, int, int]
_COLUMNS: Sequence[_Column] = (
    ("compr.", 7, 62),
    ("peak", 9, 70),
    ("sent", 8, 50),
    ("cost", 9, 30),
    ("uncached", 10, 92),
    ("kept", 6, 0),
    ("regrets", 9, 0),
    ("valid", 10, 78),
)
"""Name, cells, and the width of the list from which on it is shown."""
_NAME = 26
"""Cells of a name, where it is no longer and there is room for it."""
_BAR, _MAX_BAR_LENGTH = 14, 72
"""Cells of the bar that shows what is kept, at the least and at the most."""
_GAP = 3
"""Cells before the bar."""


def shown_columns(width: int) -> list[_Column]:
    return [column for column in _COLUMNS if width >= column[2]]


def name_room(width: int, longest: int = 0) -> int:
    """Cells for the name, the sign before it taken off: of a `longest` one, what the numbers and the bar leave."""
    free = width - 4 - _numbers_width(width)
    return max(6, min(_NAME, free), min(longest, free - _GAP - _BAR))


def bar_room(width: int, longest: int = 0) -> int:
    """Cells for the bar of what is kept, beside names of at most `longest`; 0 where it has no place."""
    free = width - 4 - _numbers_width(width) - name_room(width, longest) - _GAP
    return min(free, _MAX_BAR_LENGTH) if free >= _BAR else 0


def _numbers_width(width: int) -> int:
    return sum(cells for _, cells, _ in shown_columns(width))


def heading(width: int, order: str, worst: bool, longest: int = 0) -> Iterator[tuple[str, bool]]:
    """(text, whether it is the one sorted by) of the line over the table."""
    arrow, names = "▴" if worst else "▾", name_room(width, longest)
    yield f"   {set_cell_size('preset' + (arrow if order == 'name' else ''), names)}", order == "name"
    for name, cells, _ in shown_columns(width):
        yield f"{name + (arrow if order == name else ''):>{cells}}", order == name
    if bar_room(width, longest):
        yield f"{'':{_GAP}}facts kept", False


def kept_bar(row: TrialResult, width: int, palette: Palette, longest: int = 0) -> list[tuple[str, Style]]:
    """What a row keeps, as runs of a bar with a gap before it; none where there is no room, or nothing is known."""
    room = bar_room(width, longest)
    if not room or not row.retention:
        return []
    return [(" " * _GAP, palette.ink()), *retention_bar(_weighted(row), room, palette)]


def _weighted(row: TrialResult) -> RetainedFact:
    """What the column of what is kept says, in thousandths of all facts by their weight."""
    retained, reach = round(1000 * row.retained), round(1000 * max(row.retained, row.reach))
    return RetainedFact(retained, reach - retained, 1000 - reach)


_Cell = tuple[str, str]
"""The text of a cell, and the name of its colour; empty for the ordinary one."""


def cell(column: str, row: TrialResult, judged: bool) -> _Cell:
    """A cell of the table. `judged` says whether facts were looked at, so that it is known what is kept."""
    if column in _FACT_COLUMNS and not judged:
        return "–", "ink-faint"
    return _CELL_TEXTS[column](row)


def _peak(row: TrialResult) -> _Cell:
    peak = f"{row.peak:,}" if row.peak < 1_000_000 else compact(row.peak)
    return f"{mark(row.peak_how)}{peak}", "" if row.fits else "error"


def _misses(row: TrialResult) -> str:
    """Regrets, and recalls behind a plus sign."""
    return f"{row.regrets:,}" + (f"+{row.recalls:,}" if row.recalls else "")


def _validity(row: TrialResult) -> _Cell:
    if not row.fits:
        return "✗ too big", "error"
    if not row.sendable:
        return "✗ invalid", "error"
    return (f"{HASTY} hasty", "warning") if row.haste else ("✓", "success")


_CELL_TEXTS: Mapping[str, Callable[[TrialResult], _Cell]] = {
    "compr.": lambda row: (f"{row.compressions:,}", ""),
    "peak": _peak,
    "sent": lambda row: (f"{mark(row.certainty)}{compact(row.tokens_sent)}", ""),
    "cost": lambda row: (dollars(row.cost), ""),
    "uncached": lambda row: (dollars(row.cost_uncached), "ink-muted"),
    "kept": lambda row: (percent(row.retained), ""),
    "regrets": lambda row: (_misses(row), "error" if row.misses else "success"),
    "valid": _validity,
}
_FACT_COLUMNS = ("kept", "regrets")
"""Columns that are known only once facts were looked at."""
