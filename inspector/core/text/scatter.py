"""Scatter plot of tokens sent against facts kept, with the Pareto front as a stair, in terminal cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

ON, OFF, UNFIT, BEST, HASTY = "●", "○", "✗", "★", "»"
"""Symbols of points: Pareto-optimal, dominated, invalid, best, and removed content right after it was read."""


@dataclass(frozen=True, slots=True)
class Point:
    """A row of the comparison table as a point in the plot."""

    name: str
    tokens: int
    retention: float
    front: bool = False
    best: bool = False
    sendable: bool = True
    has_name: bool = True

    @property
    def sign(self) -> str:
        return BEST if self.best else UNFIT if not self.sendable else ON if self.front else OFF


Cellular = tuple[int, int]


@dataclass(frozen=True)
class Plane:
    """Layout of points in a grid of cells, which are (column, row) from the upper left."""

    points: tuple[Point, ...]
    columns: int
    rows: int
    cells_of: Callable[[str], int] = len
    """Returns the width of a name in cells."""

    @cached_property
    def most(self) -> int:
        """Tokens at the right edge."""
        return max((point.tokens for point in self.points), default=0) or 1

    @cached_property
    def fewest(self) -> int:
        """Tokens at the left edge: 0, or a round number below all points if they are far from 0."""
        low = min((point.tokens for point in self.points), default=0)
        span = self.most - low
        step = 10 ** max(0, len(str(span)) - 1)
        left = max(0, low - span // 4) // step * step
        return left if span and 2 * left > self.most else 0

    @property
    def is_one(self) -> bool:
        """True if all points coincide."""
        return len({(point.tokens, point.retention) for point in self.points}) == 1

    @cached_property
    def least(self) -> float:
        """Share of facts at the lower edge: a round number below all points, at most 0.9."""
        lowest = min((point.retention for point in self.points), default=0.0)
        return max(0.0, min(0.9, int(lowest * 10 - 0.3) / 10))

    def cell(self, point: Point) -> Cellular:
        """Return the cell of a point."""
        across = round((self.columns - 1) * (point.tokens - self.fewest) / (self.most - self.fewest))
        return across, round((self.rows - 1) * (1 - (point.retention - self.least) / (1 - self.least)))

    @cached_property
    def line(self) -> dict[Cellular, str]:
        """Pareto front as a stair of line-drawing characters, by cell."""
        stops = sorted({self.cell(point) for point in self.points if point.front})
        return {cell: char for one, other in pairwise(stops) for cell, char in _stair(*one, *other)}

    def names(self, current: str, busy: Iterable[Cellular]) -> Iterator[tuple[Cellular, Point]]:
        """Yield the cell of each name that fits, and its point: the current one first, then the best and the front.

        Args:
            current: Name of the current point.
            busy: Cells that are already occupied.
        """
        full = {*busy, *self.line}
        points = [point for point in self.points if point.has_name or point.name == current or point.best]
        for point in sorted(points, key=lambda point: (point.name != current, not point.best, not point.front)):
            column, row = self.cell(point)
            length = self.cells_of(point.name)
            places = ((column + 2, row), (column - length - 1, row), (column + 1, row - 1), (column + 1, row + 1))
            for start, at in places:
                cells = {(x, at) for x in range(start - 1, start + length + 1)} - {(column, row)}
                if 0 <= at < self.rows and start >= 0 and start + length <= self.columns and not cells & full:
                    full |= cells
                    yield (start, at), point
                    break


def _stair(start: int, low: int, right: int, high: int) -> Iterator[tuple[Cellular, str]]:
    """Yield the line from one point of the front to the next: horizontally, then up."""
    yield from (((column, low), "─") for column in range(start, right))
    yield from (((right, row), "│") for row in range(high, low))
    yield (right, low), "╯" if right > start else "│"


def share_at(plane: Plane, row: int) -> str:
    """Return the label of the vertical axis at a row, which is empty except at the edges."""
    return "100%" if row == 0 else f"{plane.least:.0%}" if row == plane.rows - 1 else ""
