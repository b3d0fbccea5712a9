"""Columns that describe a preset on one line, shared by Tune and Compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.cells import set_cell_size
from rich.style import Style

from inspector.analysis.asking import SameSteps
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
    ("state kept", 12, 140),
    ("going on", 10, 156),
    ("revived", 9, 156),
    ("invented", 10, 156),
    ("valid", 10, 78),
)
"""Name, cells, and the smallest width of the list at which the column is shown."""
_NAME = 26
"""Cells for a name, unless a longer one needs more and there is room."""
_BAR, _MAX_BAR_LENGTH = 14, 72
"""Minimum and maximum cells of the bar of retained facts."""
_SIGN = 3
"""Cells before the name."""
_GAP = 3
"""Cells before the bar."""


ASKED_COLUMN: _Column = ("same step", 14, 0)
"""Column of the shares of same steps, which is there once a model has been asked."""


@dataclass(frozen=True)
class ColumnRoom:
    """The columns of a table of presets that fit its width. The one that sorts the rows is always there."""

    width: int = 0
    """Cells of the table."""
    longest: int = 0
    """Cells of the longest name."""
    asked: bool = False
    """True if a model has been asked."""
    order: str = ""
    """Name of the column that the table is sorted by."""

    @cached_property
    def columns(self) -> Sequence[_Column]:
        """The columns of numbers."""
        width = self.width - ASKED_COLUMN[1] * self.asked
        columns = [column for column in _COLUMNS if width >= column[2]]
        if added := [column for column in _COLUMNS if column[0] == self.order and column not in columns]:
            room = sum(cells for _, cells, _ in columns) - added[0][1]
            for column in sorted(columns, key=lambda column: column[2], reverse=True):
                if sum(cells for _, cells, _ in columns) > room:
                    columns.remove(column)
            columns = [column for column in _COLUMNS if column in (*columns, *added)]
        return [*columns, *[ASKED_COLUMN] * self.asked]

    @cached_property
    def hidden(self) -> Sequence[str]:
        """Names of the columns that do not fit."""
        return [column[0] for column in _COLUMNS if column not in self.columns]

    @cached_property
    def names(self) -> int:
        """Cells for the name without its sign.

        A name of `longest` cells gets room that no other column uses, and the room of the bar if it is whole with it.
        """
        free = self._free
        return max(6, min(_NAME, free), self.longest if self.longest <= free else free - _GAP - _BAR)

    @cached_property
    def bar(self) -> int:
        """Cells for the bar of retained facts next to names of at most `longest` cells; 0 if it does not fit."""
        free = self._free - self.names - _GAP
        return min(free, _MAX_BAR_LENGTH) if free >= _BAR else 0

    @property
    def _free(self) -> int:
        return self.width - 4 - sum(cells for _, cells, _ in self.columns)

    def heading(self, worst: bool = False) -> Iterator[tuple[str, bool]]:
        """Yield the parts of the table's heading, each with True if the table is sorted by it.

        Args:
            worst: True if the worst row comes first.
        """
        arrow, order = "▴" if worst else "▾", self.order
        title = "preset" + (arrow if order == "name" else "")
        yield f"{'':{_SIGN}}{set_cell_size(title, self.names)}", order == "name"
        for name, cells, _ in self.columns:
            yield f"{name + (arrow if order == name else ''):>{cells}}", order == name
        if self.bar:
            yield f"{'':{_GAP}}facts kept", False

    def column_at(self, x: int) -> str:
        """Return the name of the column at a cell, counted from 0; the bar of retained facts belongs to "kept"."""
        end = _SIGN + self.names
        if x < end:
            return "name"
        for name, cells, _ in self.columns:
            end += cells
            if x < end:
                return name
        return "kept"

    def kept_bar(self, row: TrialResult, palette: Palette) -> list[tuple[str, Style]]:
        """Return the bar of facts that a row retains, with a gap before it.

        Args:
            row: Result of a preset.
            palette: Colours of the current theme.

        Returns:
            Styled runs; empty if the bar does not fit or retention is unknown.
        """
        if not self.bar or not row.retention:
            return []
        return [(" " * _GAP, palette.ink()), *retention_bar(_weighted(row), self.bar, palette)]

    def describe_hidden(self, row: TrialResult, judged: bool) -> str:
        """Return the columns that do not fit with the values of a row, the last one first; "" if all fit.

        Args:
            row: Result of a preset.
            judged: True if facts were evaluated.
        """
        return ", ".join(f"{name} {cell(name, row, judged)[0]}" for name in reversed(self.hidden))


def _weighted(row: TrialResult) -> RetainedFact:
    """Return the weighted retention of the "kept" column, in thousandths of all facts."""
    retained, reach = round(1000 * row.retained), round(1000 * max(row.retained, row.reach))
    return RetainedFact(retained, reach - retained, 1000 - reach)


_Cell = tuple[str, str]
"""Text of a cell and the name of its colour; an empty name is the default colour."""


def cell(column: str, row: TrialResult, judged: bool, steps: SameSteps | None = None) -> _Cell:
    """Return a cell of the table.

    Args:
        column: Name of the column.
        row: Result of a preset.
        judged: True if facts were evaluated; if not, the fact columns show a dash.
        steps: Share of same steps under the preset; None if a model was not asked.
    """
    if column == ASKED_COLUMN[0]:
        return _steps_cell(steps)
    if column in _FACT_COLUMNS and not judged:
        return "–", "ink-faint"
    return _CELL_TEXTS[column](row)


def _steps_cell(steps: SameSteps | None) -> _Cell:
    """Return a share of same steps with its interval, `7/8 .53–.98`; a dash without a reply."""
    if steps is None or not steps.asked:
        return "–", "ink-faint"
    low, high = (f"{end:.2f}".removeprefix("0") for end in (steps.low, steps.high))
    return f"{steps.same}/{steps.asked} {low}–{high}", ""


def _peak(row: TrialResult) -> _Cell:
    peak = f"{row.peak:,}" if row.peak < 1_000_000 else compact(row.peak)
    return f"{mark(row.peak_how)}{peak}", "" if row.fits else "error"


def _kept_state(row: TrialResult) -> _Cell:
    """Return the share of the state of the work that compressions kept; a dash without a compression."""
    return ("–", "ink-faint") if row.state.share is None else (percent(row.state.share), "")


def _going_on(row: TrialResult) -> _Cell:
    """Return the answered share of the questions for going on; a dash without any."""
    return ("–", "ink-faint") if row.state.going_on is None else (percent(row.state.going_on), "")


def _misses(row: TrialResult) -> str:
    """Return the number of regrets, then of recalls after a plus sign, and of unknown reuse after a question mark."""
    if row.sealed and not (row.misses or row.reused):
        return "–"
    recalls, reused = f"+{row.recalls:,}" if row.recalls else "", f" ?{row.reused:,}" if row.reused else ""
    return f"{row.regrets:,}{recalls}{reused}"


def _validity(row: TrialResult) -> _Cell:
    if not row.fits:
        return "✗ too big", "error"
    if not row.sendable:
        return "✗ invalid", "error"
    if row.is_discouraged:
        return f"{HASTY} {'hasty' if row.haste else 'no fit' if row.misfit else 'unwritten'}", "warning"
    return "✓", "success"


_CELL_TEXTS: Mapping[str, Callable[[TrialResult], _Cell]] = {
    "compr.": lambda row: (f"{row.compressions:,}", ""),
    "peak": _peak,
    "sent": lambda row: (f"{mark(row.certainty)}{compact(row.tokens_sent)}", ""),
    "cost": lambda row: (dollars(row.cost), ""),
    "uncached": lambda row: (dollars(row.cost_uncached), "ink-muted"),
    "kept": lambda row: (percent(row.retained), ""),
    "regrets": lambda row: (_misses(row), "error" if row.misses else "warning" if row.sealed else "success"),
    "state kept": _kept_state,
    "going on": _going_on,
    "revived": lambda row: (f"{row.state.revived:,}", "error" if row.state.revived else ""),
    "invented": lambda row: (row.state.stated, "error" if row.state.invented else ""),
    "valid": _validity,
}
_FACT_COLUMNS = ("kept", "regrets", "state kept", "going on", "revived", "invented")
"""Columns that are unknown until facts are evaluated."""
