"""Points on a plane: tokens sent to the right, facts kept upward. Those that nobody beats are joined by a stair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from rich.cells import cell_len
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.ui.fitting import clipped
from inspector.ui.palette import Palette
from inspector.ui.widgets.scrubber import compact

LEFT = 6
"""Cells of the scale at the left."""
ON, OFF, UNFIT, BEST = "●", "○", "✗", "★"


@dataclass(frozen=True, slots=True)
class Point:
    """A row of the table as the plane shows it."""

    name: str
    tokens: int
    kept: float
    front: bool = False
    best: bool = False
    sendable: bool = True
    named: bool = True

    @property
    def sign(self) -> str:
        return BEST if self.best else UNFIT if not self.sendable else ON if self.front else OFF


Cellular = tuple[int, int]


@dataclass(frozen=True)
class Plane:
    """Points on a field of cells. Cells are (column, row) from the upper left."""

    points: tuple[Point, ...]
    columns: int
    rows: int

    @cached_property
    def most(self) -> int:
        """Tokens at the right edge."""
        return max((point.tokens for point in self.points), default=0) or 1

    @cached_property
    def least(self) -> float:
        """The share at the lower edge: a round one below all points, never above nine tenths."""
        lowest = min((point.kept for point in self.points), default=0.0)
        return max(0.0, min(0.9, int(lowest * 10 - 0.3) / 10))

    def cell(self, point: Point) -> Cellular:
        across = round((self.columns - 1) * point.tokens / self.most)
        return across, round((self.rows - 1) * (1 - (point.kept - self.least) / (1 - self.least)))

    @cached_property
    def line(self) -> dict[Cellular, str]:
        """The front as a stair, by cell."""
        stops = sorted({self.cell(point) for point in self.points if point.front})
        return {cell: char for one, other in pairwise(stops) for cell, char in stair(*one, *other)}

    def names(self, chosen: str, taken: Iterable[Cellular]) -> Iterator[tuple[Cellular, Point]]:
        """Where names stand that have room: the chosen one first, then the best and the front."""
        full = {*taken, *self.line}
        wanted = [point for point in self.points if point.named or point.name == chosen or point.best]
        for point in sorted(wanted, key=lambda each: (each.name != chosen, not each.best, not each.front)):
            column, row = self.cell(point)
            length = cell_len(point.name)
            places = ((column + 2, row), (column - length - 1, row), (column + 1, row - 1), (column + 1, row + 1))
            for left, at in places:
                cells = {(each, at) for each in range(left - 1, left + length + 1)} - {(column, row)}
                if 0 <= at < self.rows and left >= 0 and left + length <= self.columns and not cells & full:
                    full |= cells
                    yield (left, at), point
                    break


def stair(left: int, low: int, right: int, high: int) -> Iterator[tuple[Cellular, str]]:
    """From one point of the front to the next: along, for nothing is gained yet, then up."""
    yield from (((column, low), "─") for column in range(left, right))
    yield from (((right, row), "│") for row in range(high, low))
    yield (right, low), "╯" if right > left else "│"


class Pareto(Widget):
    """The plane with its two scales."""

    points: reactive[tuple[Point, ...]] = reactive(())
    chosen: reactive[str] = reactive("")

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    def render(self) -> Text:
        columns, rows = self.size.width - LEFT - 1, self.size.height - 2
        if not self.points or columns < 12 or rows < 3:
            return Text()
        plane = Plane(self.points, columns, rows)
        lines = [Text(" facts kept", self.palette.faint, no_wrap=True)] if rows > 5 else []
        plane = Plane(self.points, columns, rows - len(lines))
        lines += self.field(plane)
        lines += [self.floor(plane), self.scale(plane)]
        return Text("\n", no_wrap=True).join(lines)

    def field(self, plane: Plane) -> list[Text]:
        """The rows of the plane, each with its part of the scale before it."""
        cells: dict[Cellular, tuple[str, str]] = {cell: (char, "ink-faint") for cell, char in plane.line.items()}
        spots = {plane.cell(point): point for point in self.in_order()}
        for (left, row), point in plane.names(self.chosen, spots):
            for step, char in enumerate(point.name):
                cells[left + step, row] = (char, self.ink(point))
        for cell, point in spots.items():
            cells[cell] = (point.sign, self.ink(point))
        return [self.field_line(plane, cells, row) for row in range(plane.rows)]

    def field_line(self, plane: Plane, cells: Mapping[Cellular, tuple[str, str]], row: int) -> Text:
        line = Text(f"{share_at(plane, row):>{LEFT - 1}} ", self.palette.faint, no_wrap=True)
        row_cells = (cells.get((column, row), (" ", "")) for column in range(plane.columns))
        for colour, run in groupby(row_cells, key=lambda cell: cell[1]):
            name, _, bold = colour.partition(" ")
            line.append("".join(char for char, _ in run), self.palette.ink(name or "foreground", bold=bool(bold)))
        return line

    def in_order(self) -> Sequence[Point]:
        """What is to be seen where points fall together comes last."""
        return sorted(self.points, key=lambda point: (point.name == self.chosen, point.best, point.front))

    def ink(self, point: Point) -> str:
        if point.name == self.chosen:
            return "primary bold"
        if point.best:
            return "success bold"
        return "error" if not point.sendable else "foreground" if point.front else "ink-muted"

    def floor(self, plane: Plane) -> Text:
        return Text(f"{'':{LEFT}}{'┈' * plane.columns}", self.palette.ink("line"), no_wrap=True)

    def scale(self, plane: Plane) -> Text:
        """What lies to the right, and where it is better."""
        right = f"{compact(plane.most)} tokens sent"
        hint = clipped("↖ better", max(0, plane.columns - len(right) - 3))
        return Text(f"{'':{LEFT}}0  {hint:<{max(0, plane.columns - len(right) - 3)}}{right}", self.palette.faint)


def share_at(plane: Plane, row: int) -> str:
    """What the scale says at a row: the share at the edges."""
    return "100%" if row == 0 else f"{plane.least:.0%}" if row == plane.rows - 1 else ""
