"""The window over all turns as a grid of cells with one stacked area per section, independent of any widget.

A cell is divided into eighths, so it shows one boundary between two sections, or between a section and empty space.
Letters in the areas distinguish the sections without colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from inspector.analysis.replay import CompactionEvent, Frame
from inspector.core.text import FELL, LETTERS, LOSSY, REGRETTED, REVERSIBLE
from inspector.engine.window import SECTIONS, Fall
from inspector.ui.mark_lines import free_cells

EMPTY = -1
"""Section number of an empty part of a cell."""
_WIDEST = 8
"""Maximum columns of one turn."""


@dataclass(frozen=True, slots=True)
class ChartCell:
    """One character: `eighths` of section `lower` with section `upper` above it; `EMPTY` for no section."""

    eighths: int
    lower: int
    upper: int

    @property
    def whole(self) -> ChartCell:
        """The cell filled with the larger of its two sections, for patterns, which need a full cell."""
        if EMPTY in (self.lower, self.upper):
            return self
        section = self.lower if self.eighths >= 4 else self.upper
        return ChartCell(8, section, section)


_BLANK = ChartCell(0, EMPTY, EMPTY)


@dataclass(frozen=True)
class ChartData:
    """The frames of a replay, and the marks among them."""

    frames: tuple[Frame, ...]
    count: int
    """Number of frames of the finished replay."""
    threshold: int = 0
    """Tokens above which the preset compresses; 0 for never."""
    limit: int = 0
    """Context window of the model, in tokens; 0 if unknown."""
    compactions: tuple[CompactionEvent, ...] = ()
    regret_turns: frozenset[int] = frozenset()
    """Turns whose reply needed a lost fact."""
    falls: tuple[Fall, ...] = ()
    """Unexplained falls of the reported size in the recording."""

    @cached_property
    def peak(self) -> int:
        return max((frame.total for frame in self.frames), default=0)

    @cached_property
    def scale(self) -> int:
        """Tokens at the upper edge."""
        return max(round(max(self.peak, self.threshold if self.peak > self.threshold // 3 else 0) * 1.04), 1)

    @cached_property
    def lines(self) -> tuple[tuple[int, str, str], ...]:
        """Tokens, name and colour of the lines across the chart, the trigger last."""
        lines = [(self.limit, "limit", "error")] if 0 < self.limit < self.scale else []
        return (*lines, *([(self.threshold, "trigger", "warning")] if 0 < self.threshold < self.scale else []))


def column_count(count: int, width: int) -> int:
    """Return the number of columns for `count` turns in a width of `width` cells."""
    return max(1, min(width, count * _WIDEST))


def turn_range(column: int, count: int, columns: int) -> tuple[int, int]:
    """Return the first turn of a column, from 0, and the turn after its last one.

    Args:
        column: Index of the column.
        count: Number of turns.
        columns: Number of columns.
    """
    first = column * count // columns
    return first, max(first + 1, (column + 1) * count // columns)


def column_of(turn: int, count: int, columns: int) -> int:
    """Return the index of the first column that shows a turn.

    Args:
        turn: Turn, counted from 1.
        count: Number of turns.
        columns: Number of columns.
    """
    if columns > count:
        return min(columns - 1, -(-(turn - 1) * columns // count))
    return min(columns - 1, (turn * columns - 1) // count)


def stacked_cells(sections: Sequence[int], scale: int, rows: int) -> list[ChartCell]:
    """Return one column of cells, lowest first. Sections below half an eighth are omitted.

    Args:
        sections: Tokens of each section, from bottom to top.
        scale: Tokens at the upper edge.
        rows: Number of cells.
    """
    eighths = 8 * rows / scale
    tops = [round(eighths * top) for top in accumulate(tokens if eighths * tokens >= 0.5 else 0 for tokens in sections)]
    return [chart_cell(tops, 8 * row) for row in range(rows)]


def chart_cell(tops: Sequence[int], base: int) -> ChartCell:
    """Return the cell that begins `base` eighths above the bottom, given the top of each section in eighths."""
    parts: list[tuple[int, int]] = []
    below = base
    for section, top in enumerate(tops):
        if (share := min(top, base + 8) - below) > 0:
            parts.append((share, section))
            below += share
    if below < base + 8:
        parts.append((base + 8 - below, EMPTY))
    if len(parts) > 2:
        largest = sorted(sorted(range(len(parts)), key=lambda place: -parts[place][0])[:2])
        parts = [parts[place] for place in largest]
    if len(parts) == 1:
        return ChartCell(8, parts[0][1], parts[0][1]) if parts[0][1] != EMPTY else _BLANK
    (low, lower), (high, upper) = parts
    return ChartCell(min(7, max(1, round(8 * low / (low + high)))), lower, upper)


@dataclass(frozen=True)
class ChartGrid:
    """All cells of a chart of one size as `cells[column][row]`, lowest row first."""

    data: ChartData
    columns: int
    rows: int

    @cached_property
    def cells(self) -> list[list[ChartCell]]:
        return [self.column(number) for number in range(self.columns)]

    def column(self, number: int) -> list[ChartCell]:
        """Return the cells of the largest window among the column's turns; blank if no frame is ready."""
        first, last = turn_range(number, self.data.count, self.columns)
        frames = self.data.frames[first:last]
        if not frames:
            return [_BLANK] * self.rows
        return stacked_cells(max(frames, key=lambda frame: frame.total).sections, self.data.scale, self.rows)

    @cached_property
    def lines(self) -> dict[int, tuple[str, str]]:
        """Name and colour of each line across, by row."""
        data = self.data
        return {
            min(self.rows - 1, self.rows * tokens // data.scale): (name, colour) for tokens, name, colour in data.lines
        }

    @cached_property
    def letters(self) -> dict[tuple[int, int], str]:
        """Letter of each section, by column and row, in the middle of its longest run."""
        longest: dict[int, tuple[int, int, int]] = {}
        for row in range(self.rows):
            if row not in self.lines:
                for length, start, section in self.stretches(row):
                    if length >= 3 and length > longest.get(section, (0, 0, 0))[0]:
                        longest[section] = (length, start + length // 2, row)
        return {(column, row): LETTERS[SECTIONS[section]] for section, (_, column, row) in longest.items()}

    def stretches(self, row: int) -> list[tuple[int, int, int]]:
        """Return length, first column and section of each run of full cells in a row."""
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
        """Return a mark for each column: its compaction, or a turn that needed a lost fact.

        A turn with both has both marks in adjacent columns. If the neighbours have marks too, the lost fact wins.
        """
        marks = [""] * self.columns
        for fall in self.data.falls:
            marks[column_of(fall.turn, self.data.count, self.columns)] = FELL
        for compaction in self.data.compactions:
            place = column_of(compaction.turn, self.data.count, self.columns)
            marks[place] = REVERSIBLE if compaction.reversible and marks[place] != LOSSY else LOSSY
        needs = {column_of(turn, self.data.count, self.columns) for turn in self.data.regret_turns}
        taken = {place for place, mark in enumerate(marks) if mark}
        for place in free_cells(needs, taken, self.columns):
            marks[place] = REGRETTED
        return marks
