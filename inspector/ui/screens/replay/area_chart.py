"""The chart of the window over all turns, above a line of marks and a line with the current turn."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.core.text import FELL, LOSSY, REGRETTED, REVERSIBLE
from inspector.engine.window import SECTIONS
from inspector.ui.messages import TurnPicked
from inspector.ui.palette import CHIP_INK, FILLS, Palette, ThemePalette
from inspector.ui.screens.replay.chart import (
    EMPTY,
    ChartCell,
    ChartData,
    ChartGrid,
    column_count,
    column_of,
    turn_range,
)
from inspector.ui.widgets.scrubber import compact

_LABEL = 6
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_FADED = 0.62
"""Share of the background in the colours of turns that are still to come."""


class AreaChart(Widget):
    """Stacked areas above a line of marks and a line with the turn. A click goes to a turn."""

    data: reactive[ChartData | None] = reactive(None)
    turn: reactive[int] = reactive(1)

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._drawn_grid: ChartGrid | None = None

    palette = ThemePalette()

    @property
    def rows(self) -> int:
        return max(1, self.size.height - 2)

    @property
    def columns(self) -> int:
        return column_count(self.data.count, self.size.width - _LABEL) if self.data else 1

    def grid(self, data: ChartData) -> ChartGrid:
        """Return the cells, which are computed again only if their data or size has changed."""
        grid = self._drawn_grid
        if grid is None or grid.data is not data or (grid.columns, grid.rows) != (self.columns, self.rows):
            grid = self._drawn_grid = ChartGrid(data, self.columns, self.rows)
        return grid

    def span(self) -> range:
        """Return the columns of the current turn."""
        assert self.data is not None
        count, columns = self.data.count, self.columns
        first = column_of(self.turn, count, columns)
        return range(first, max(first + 1, column_of(self.turn + 1, count, columns) if self.turn < count else columns))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self.data is None or not self.data.count:
            return Strip.blank(width, self.rich_style)
        grid = self.grid(self.data)
        if y < self.rows:
            segments = self.area_line(grid, self.rows - 1 - y)
        else:
            segments = self.mark_line(grid) if y == self.rows else self.turn_line()
        base = self.visual_style.rich_style
        return Strip(Segment.apply_style(segments, base)).crop_extend(0, width, base)

    def area_line(self, grid: ChartGrid, row: int) -> list[Segment]:
        segments = [self.label(grid, row)]
        here, palette, line = self.span(), self.palette, grid.lines.get(row)
        for column in range(grid.columns):
            when = "future" if column >= here.stop else "now" if column in here else "past"
            cell = grid.cells[column][row]
            letter = grid.letters.get((column, row), "")
            if self.app.no_color:
                cell = cell.whole
                letter = letter or (FILLS[SECTIONS[cell.lower]] if cell.eighths == 8 else "")
            segments.append(Segment(*_paint(cell, letter, line, when, palette)))
        return segments

    def label(self, grid: ChartGrid, row: int) -> Segment:
        """Return the tokens next to a row, at most `_LABEL` cells wide: those of a line across, or of an edge."""
        palette, data = self.palette, grid.data
        if line := grid.lines.get(row):
            tokens = data.threshold if line[0] == "trigger" else data.limit
            return Segment(f"{compact(tokens):>{_LABEL - 1}} ", palette.ink(line[1]))
        text = compact(data.scale) if row == grid.rows - 1 else "0" if row == 0 and grid.rows > 1 else ""
        return Segment(f"{text:>{_LABEL - 1}} ", palette.faint)

    def mark_line(self, grid: ChartGrid) -> list[Segment]:
        palette = self.palette
        segments = [Segment(" " * _LABEL)]
        inks = {
            LOSSY: palette.ink("warning"),
            REVERSIBLE: palette.ink("success"),
            FELL: palette.ink("warning"),
            REGRETTED: palette.ink("error", bold=True),
        }
        return segments + [Segment(mark or "┈", inks.get(mark, palette.ink("line"))) for mark in grid.marks()]

    def turn_line(self) -> list[Segment]:
        """Return the cursor with its turn, on the side that has room for it."""
        assert self.data is not None
        at = self.span().start
        now = self.turn >= self.data.count
        label = "now" if now else f"turn {self.turn:,}"
        room = self.columns - at - 1 > len(label)
        before = f"{'':{_LABEL + at}}▲ {label}" if room else f"{label + ' ▲':>{_LABEL + at + 1}}"
        return [Segment(before, self.palette.strong)]

    def on_click(self, event: events.Click) -> None:
        if self.data is None or not _LABEL <= event.x < _LABEL + self.columns:
            return
        first, _ = turn_range(event.x - _LABEL, self.data.count, self.columns)
        self.post_message(TurnPicked(min(first + 1, len(self.data.frames))))


def _paint(
    cell: ChartCell, letter: str, line: tuple[str, str] | None, when: str, palette: Palette
) -> tuple[str, Style]:
    """Return the character of a cell and its style."""
    background = palette.solid("background")
    if line and cell.eighths in (0, 8):
        main = _ink_of(cell.lower, when, palette) if cell.lower != EMPTY else ""
        return "╌", Style(color=CHIP_INK, bgcolor=main) if main else palette.ink(line[1])
    if cell.eighths == 8:
        return letter or " ", Style(color=CHIP_INK, bgcolor=_ink_of(cell.lower, when, palette), bold=bool(letter))
    if cell.eighths == 0:
        return " ", Style()
    lower = _ink_of(cell.lower, when, palette) if cell.lower != EMPTY else background
    upper = _ink_of(cell.upper, when, palette) if cell.upper != EMPTY else None
    return _EIGHTHS[cell.eighths], Style(color=lower, bgcolor=upper)


def _ink_of(section: int, when: str, palette: Palette) -> str:
    colour = palette.section(SECTIONS[section])
    if when == "past":
        return colour
    return _mix(colour, palette.solid("background" if when == "future" else "foreground"), when == "future")


@lru_cache(maxsize=256)
def _mix(colour: str, other: str, far: bool) -> str:
    return Color.parse(colour).blend(Color.parse(other), _FADED if far else 0.35).hex
