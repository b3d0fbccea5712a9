"""A chart of tokens sent (x) and facts kept (y). A stepped line connects the Pareto-optimal points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text
from textual.reactive import reactive

from inspector.core.text import BEST, OFF, ON, UNFIT, Cellular, Plane, Point, clipped, share_at, wrapped
from inspector.ui.palette import ThemePalette
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.scrubber import compact

LEFT = 6
"""Cells of the scale on the left."""
__all__ = ["BEST", "OFF", "ON", "UNFIT", "Pareto", "Plane", "Point"]


class Pareto(Drawing):
    """The plane with its two scales."""

    points: reactive[tuple[Point, ...]] = reactive(())
    current: reactive[str] = reactive("")

    palette = ThemePalette()

    def render(self) -> Text:
        columns, rows = self.size.width - LEFT - 1, self.size.height - 2
        if not self.points or columns < 12 or rows < 3:
            return Text()
        plane = Plane(self.points, columns, rows, cell_len)
        if plane.is_one and len(self.points) > 1:
            return self.one_spot(self.points[0])
        lines = [Text(" facts kept", self.palette.faint, no_wrap=True)] if rows > 5 else []
        plane = Plane(self.points, columns, rows - len(lines), cell_len)
        lines += self.field(plane)
        lines += [self.floor(plane), self.scale(plane)]
        return Text("\n", no_wrap=True).join(lines)

    def one_spot(self, point: Point) -> Text:
        """Return the text shown if all rows have the same result, for which a plane with one spot is useless."""
        count, sent = len(self.points), compact(point.tokens)
        same = f"All {count} rows send {sent} tokens and keep {point.retention:.0%} of the facts."
        return Text("\n".join(f" {line}" for line in wrapped(same, self.size.width - 2)), self.palette.faint)

    def field(self, plane: Plane) -> list[Text]:
        """Return the rows of the plane, each with its part of the scale in front."""
        cells: dict[Cellular, tuple[str, str]] = {cell: (char, "ink-faint") for cell, char in plane.line.items()}
        spots = {plane.cell(point): point for point in self.in_order()}
        for (left, row), point in plane.names(self.current, spots):
            for step, char in enumerate(point.name):
                cells[left + step, row] = (char, self.ink(point))
        for cell, point in spots.items():
            cells[cell] = (point.sign, self.ink(point))
        return [self.field_line(plane, cells, row) for row in range(plane.rows)]

    def field_line(self, plane: Plane, cells: Mapping[Cellular, tuple[str, str]], row: int) -> Text:
        """Return one row of the plane.

        Args:
            plane: Plane with the points.
            cells: Character and colour of each occupied cell.
            row: Index of the row.
        """
        line = Text(f"{share_at(plane, row):>{LEFT - 1}} ", self.palette.faint, no_wrap=True)
        row_cells = (cells.get((column, row), (" ", "")) for column in range(plane.columns))
        for colour, run in groupby(row_cells, key=lambda cell: cell[1]):
            name, _, bold = colour.partition(" ")
            line.append("".join(char for char, _ in run), self.palette.ink(name or "foreground", bold=bool(bold)))
        return line

    def in_order(self) -> Sequence[Point]:
        """Return the points in drawing order: of overlapping points, the last one is visible."""
        return sorted(self.points, key=lambda point: (point.name == self.current, point.best, point.front))

    def ink(self, point: Point) -> str:
        if point.name == self.current:
            return "primary bold"
        if point.best:
            return "success bold"
        return "error" if not point.sendable else "foreground" if point.front else "ink-muted"

    def floor(self, plane: Plane) -> Text:
        return Text(f"{'':{LEFT}}{'┈' * plane.columns}", self.palette.ink("line"), no_wrap=True)

    def scale(self, plane: Plane) -> Text:
        """Return the horizontal scale, with a hint on which direction is better."""
        left, right = compact(plane.fewest), f"{compact(plane.most)} tokens sent"
        room = max(0, plane.columns - len(left) - len(right) - 2)
        return Text(f"{'':{LEFT}}{left}  {clipped('↖ better', room):<{room}}{right}", self.palette.faint)
