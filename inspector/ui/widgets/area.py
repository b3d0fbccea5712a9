"""The window over all turns as stacked areas, one colour for each section, in characters that every terminal has.

A cell is a block of eighths, so it shows one boundary between two sections, or between a section and nothing. Letters
in the areas say what the colours say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.replay import Compaction, Frame
from inspector.text import LETTERS, LOSSY, REGRETTED, REVERSIBLE
from inspector.ui.palette import Palette
from inspector.ui.widgets.scrubber import compact
from inspector.window import SECTIONS

_LABEL = 6
_EIGHTHS = " ▁▂▃▄▅▆▇█"
EMPTY = -1
_WIDEST = 8
"""Columns that one turn may take."""
_FADED = 0.62
"""How far turns that are still to come fade into the background."""
INK = "#10131a"


@dataclass(frozen=True, slots=True)
class Cell:
    """What one character shows: `eighths` of `lower`, and `upper` over it; sections by number, `EMPTY` for none."""

    eighths: int
    lower: int
    upper: int


_NOTHING = Cell(0, EMPTY, EMPTY)


@dataclass(frozen=True)
class Picture:
    """What there is to draw of a replay, and how many frames there will be in the end."""

    frames: tuple[Frame, ...]
    count: int
    threshold: int = 0
    """Tokens above which it compresses; 0 for never."""
    limit: int = 0
    """The context window of the model."""
    compactions: tuple[Compaction, ...] = ()
    regretted: frozenset[int] = frozenset()
    """Turns whose reply needed something that was lost."""

    @cached_property
    def peak(self) -> int:
        return max((frame.total for frame in self.frames), default=0)

    @cached_property
    def scale(self) -> int:
        """Tokens at the upper edge."""
        return max(round(max(self.peak, self.threshold if self.peak > self.threshold // 3 else 0) * 1.04), 1)

    @cached_property
    def lines(self) -> tuple[tuple[int, str, str], ...]:
        """(tokens, what it is, colour) of the lines across, the trigger last."""
        lines = [(self.limit, "limit", "error")] if 0 < self.limit < self.scale else []
        return (*lines, *([(self.threshold, "trigger", "warning")] if 0 < self.threshold < self.scale else []))


def _columns_of(count: int, width: int) -> int:
    """How many columns so many turns take in a width."""
    return max(1, min(width, count * _WIDEST))


def turn_range(column: int, count: int, columns: int) -> tuple[int, int]:
    """The first turn of a column, from 0, and the one behind its last."""
    first = column * count // columns
    return first, max(first + 1, (column + 1) * count // columns)


def column_of(turn: int, count: int, columns: int) -> int:
    """The first column that shows a turn (from 1)."""
    if columns > count:
        return min(columns - 1, -(-(turn - 1) * columns // count))
    return min(columns - 1, (turn * columns - 1) // count)


def stacked(sections: Sequence[int], scale: int, rows: int) -> list[Cell]:
    """One column of cells, the lowest first. What is less than half of an eighth is left out."""
    seen = 8 * rows / scale
    tops = [round(seen * top) for top in accumulate(tokens if seen * tokens >= 0.5 else 0 for tokens in sections)]
    return [cell_of(tops, 8 * row) for row in range(rows)]


def cell_of(tops: Sequence[int], base: int) -> Cell:
    """The cell that begins `base` eighths above the floor, where each section ends at its top."""
    parts: list[tuple[int, int]] = []
    below = base
    for section, top in enumerate(tops):
        if (share := min(top, base + 8) - below) > 0:
            parts.append((share, section))
            below += share
    if below < base + 8:
        parts.append((base + 8 - below, EMPTY))
    if len(parts) > 2:
        kept = sorted(sorted(range(len(parts)), key=lambda place: -parts[place][0])[:2])
        parts = [parts[place] for place in kept]
    if len(parts) == 1:
        return Cell(8, parts[0][1], parts[0][1]) if parts[0][1] != EMPTY else _NOTHING
    (low, lower), (high, upper) = parts
    return Cell(min(7, max(1, round(8 * low / (low + high)))), lower, upper)


@dataclass(frozen=True)
class Grid:
    """All cells of a picture for a size: `cells[column][row]`, the lowest row first."""

    picture: Picture
    columns: int
    rows: int

    @cached_property
    def cells(self) -> list[list[Cell]]:
        return [self.column(number) for number in range(self.columns)]

    def column(self, number: int) -> list[Cell]:
        """The largest window of the column's turns; nothing where no frame has come yet."""
        first, last = turn_range(number, self.picture.count, self.columns)
        frames = self.picture.frames[first:last]
        if not frames:
            return [_NOTHING] * self.rows
        return stacked(max(frames, key=lambda frame: frame.total).sections, self.picture.scale, self.rows)

    @cached_property
    def lines(self) -> dict[int, tuple[str, str]]:
        """What the lines across are and their colour, by row."""
        picture = self.picture
        return {
            min(self.rows - 1, self.rows * tokens // picture.scale): (name, colour)
            for tokens, name, colour in picture.lines
        }

    @cached_property
    def letters(self) -> dict[tuple[int, int], str]:
        """Where a section's letter stands, by (column, row): in the middle of its longest stretch."""
        found: dict[int, tuple[int, int, int]] = {}
        for row in range(self.rows):
            if row not in self.lines:
                for length, start, section in self.stretches(row):
                    if length >= 3 and length > found.get(section, (0, 0, 0))[0]:
                        found[section] = (length, start + length // 2, row)
        return {(column, row): LETTERS[SECTIONS[section]] for section, (_, column, row) in found.items()}

    def stretches(self, row: int) -> list[tuple[int, int, int]]:
        """(length, first column, section) of the runs of whole cells in a row."""
        runs: list[tuple[int, int, int]] = []
        for column in range(self.columns):
            cell = self.cells[column][row]
            if cell.eighths != 8:
                continue
            if runs and runs[-1][2] == cell.lower and sum(runs[-1][:2]) == column:
                runs[-1] = (runs[-1][0] + 1, runs[-1][1], cell.lower)
            else:
                runs.append((1, column, cell.lower))
        return runs

    def marks(self) -> list[str]:
        """A sign for each column: what was compacted there, and how."""
        marks = [""] * self.columns
        for made in self.picture.compactions:
            place = column_of(made.turn, self.picture.count, self.columns)
            marks[place] = REVERSIBLE if made.reversible and marks[place] != LOSSY else LOSSY
        return marks

    def regretted(self) -> set[int]:
        return {column_of(turn, self.picture.count, self.columns) for turn in self.picture.regretted}


class Area(Widget):
    """Areas over a line of marks and a line with the turn. A click goes to a turn."""

    picture: reactive[Picture | None] = reactive(None)
    turn: reactive[int] = reactive(1)

    @dataclass
    class Picked(Message):
        turn: int

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.drawn: Grid | None = None

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    @property
    def rows(self) -> int:
        return max(1, self.size.height - 2)

    @property
    def columns(self) -> int:
        return _columns_of(self.picture.count, self.size.width - _LABEL) if self.picture else 1

    def grid(self, picture: Picture) -> Grid:
        """The cells, worked out anew only where what they show or their size has changed."""
        drawn = self.drawn
        if drawn is None or drawn.picture is not picture or (drawn.columns, drawn.rows) != (self.columns, self.rows):
            drawn = self.drawn = Grid(picture, self.columns, self.rows)
        return drawn

    def span(self) -> range:
        """The columns of the turn under the cursor."""
        assert self.picture is not None
        count, columns = self.picture.count, self.columns
        first = column_of(self.turn, count, columns)
        return range(first, max(first + 1, column_of(self.turn + 1, count, columns) if self.turn < count else columns))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self.picture is None or not self.picture.count:
            return Strip.blank(width, self.rich_style)
        grid = self.grid(self.picture)
        if y < self.rows:
            segments = self.area_line(grid, self.rows - 1 - y)
        else:
            segments = self.mark_line(grid) if y == self.rows else self.turn_line()
        base = self.rich_style
        return Strip(Segment.apply_style(segments, base)).crop_extend(0, width, base)

    def area_line(self, grid: Grid, row: int) -> list[Segment]:
        segments = [self.label(grid, row)]
        here, palette, line = self.span(), self.palette, grid.lines.get(row)
        for column in range(grid.columns):
            when = "future" if column >= here.stop else "now" if column in here else "past"
            cell = grid.cells[column][row]
            letter = grid.letters.get((column, row), "")
            segments.append(Segment(*_painted(cell, letter, line, when, palette)))
        return segments

    def label(self, grid: Grid, row: int) -> Segment:
        """The number beside a row, at most `_LABEL` wide: lines across first, then the edges."""
        palette, picture = self.palette, grid.picture
        if line := grid.lines.get(row):
            tokens = picture.threshold if line[0] == "trigger" else picture.limit
            return Segment(f"{compact(tokens):>{_LABEL - 1}} ", palette.ink(line[1]))
        text = compact(picture.scale) if row == grid.rows - 1 else "0" if row == 0 and grid.rows > 1 else ""
        return Segment(f"{text:>{_LABEL - 1}} ", palette.faint)

    def mark_line(self, grid: Grid) -> list[Segment]:
        palette = self.palette
        segments = [Segment(" " * _LABEL)]
        regretted = grid.regretted()
        for column, mark in enumerate(grid.marks()):
            if mark:
                segments.append(Segment(mark, palette.ink("warning" if mark == LOSSY else "success")))
            elif column in regretted:
                segments.append(Segment(REGRETTED, palette.ink("error", bold=True)))
            else:
                segments.append(Segment("┈", palette.ink("line")))
        return segments

    def turn_line(self) -> list[Segment]:
        """The cursor with its turn beside it, on the side where there is room."""
        assert self.picture is not None
        at = self.span().start
        now = self.turn >= self.picture.count
        label = "now" if now else f"turn {self.turn:,}"
        room = self.columns - at - 1 > len(label)
        before = f"{'':{_LABEL + at}}▲ {label}" if room else f"{label + ' ▲':>{_LABEL + at + 1}}"
        return [Segment(before, self.palette.strong)]

    def on_click(self, event: events.Click) -> None:
        if self.picture is None or not _LABEL <= event.x < _LABEL + self.columns:
            return
        first, _ = turn_range(event.x - _LABEL, self.picture.count, self.columns)
        self.post_message(self.Picked(min(first + 1, len(self.picture.frames))))


def _painted(cell: Cell, letter: str, line: tuple[str, str] | None, when: str, palette: Palette) -> tuple[str, Style]:
    """The character of a cell and its style."""
    background = palette.solid("background")
    if line and cell.eighths in (0, 8):
        main = _ink_of(cell.lower, when, palette) if cell.lower != EMPTY else ""
        return "╌", Style(color=INK, bgcolor=main) if main else palette.ink(line[1])
    if cell.eighths == 8:
        return letter or " ", Style(color=INK, bgcolor=_ink_of(cell.lower, when, palette), bold=bool(letter))
    if cell.eighths == 0:
        return " ", Style(bgcolor=palette.colour("trough")) if when == "now" else Style()
    lower = _ink_of(cell.lower, when, palette) if cell.lower != EMPTY else background
    upper = _ink_of(cell.upper, when, palette) if cell.upper != EMPTY else None
    return _EIGHTHS[cell.eighths], Style(color=lower, bgcolor=upper)


def _ink_of(section: int, when: str, palette: Palette) -> str:
    colour = palette.section(SECTIONS[section])
    if when == "past":
        return colour
    return _mixed(colour, palette.solid("background" if when == "future" else "foreground"), when == "future")


@lru_cache(maxsize=256)
def _mixed(colour: str, other: str, far: bool) -> str:
    return Color.parse(colour).blend(Color.parse(other), _FADED if far else 0.35).hex
