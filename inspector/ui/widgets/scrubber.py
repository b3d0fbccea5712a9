"""The turns of a session as a strip: how large the window was at each, where it was compacted, where we are."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from inspector.ui.palette import Palette
from inspector.window.timeline import Timeline

LABEL = 6
HEIGHTS = " ▁▂▃▄▅▆▇█"


class Scrubber(Widget):
    """A strip of bars, one column for one or more turns. A click goes to a turn."""

    timeline: reactive[Timeline | None] = reactive(None)
    turn: reactive[int] = reactive(1)
    plans: reactive[tuple[int, ...]] = reactive(())
    """Turns at which the person has applied a plan."""

    @dataclass
    class Picked(Message):
        turn: int

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    @property
    def columns(self) -> int:
        count = len(self.timeline.totals) if self.timeline else 1
        return max(
            1, min(self.size.width - LABEL - 22 if self.size.width > 100 else self.size.width - LABEL - 1, count * 3)
        )

    def column(self, turn: int) -> int:
        count = len(self.timeline.totals) if self.timeline else 1
        return min(self.columns, (turn - 1) * self.columns // count)

    def render(self) -> Text:
        if self.timeline is None:
            return Text()
        rows = max(1, self.size.height - 1)
        lines = [self.bars(row, rows) for row in range(rows - 1, -1, -1)]
        lines.append(self.marks())
        return Text("\n", no_wrap=True).join(lines)

    def heights(self) -> list[int]:
        """The largest window of each column's turns."""
        assert self.timeline is not None
        totals, columns = self.timeline.totals, self.columns
        count = len(totals)
        heights = []
        for column in range(columns):
            first = column * count // columns
            last = max(first + 1, (column + 1) * count // columns)
            heights.append(max(totals[first:last]))
        return heights

    def bars(self, row: int, rows: int) -> Text:
        assert self.timeline is not None
        peak = max(self.timeline.peak, 1)
        here = range(self.column(self.turn), max(self.column(self.turn + 1), self.column(self.turn) + 1))
        top = row == rows - 1
        label = compact(peak) if top else ("0" if row == 0 else "")
        line = Text(f"{label if rows > 1 else 'turns':>{LABEL - 1}} ", self.palette.faint, no_wrap=True)
        past, future = self.palette.ink("section-history"), self.palette.ink("ink-faint")
        for column, height in enumerate(self.heights()):
            eighths = round(8 * rows * height / peak) - 8 * row
            char = HEIGHTS[min(max(eighths, 1 if height and row == 0 else 0), 8)]
            style = self.palette.strong if column in here else past if column < here.start else future
            line.append(char, style)
        if top and self.size.width > 100:
            line.append("  " + self.legend(), self.palette.faint)
        return line

    def legend(self) -> str:
        assert self.timeline is not None
        found = len(self.timeline.compactions)
        return f"◆ compacted {found} ×" if found else ""

    def marks(self) -> Text:
        assert self.timeline is not None
        cells: list[tuple[str, Style]] = [("┈", self.palette.ink("line"))] * self.columns
        for turn in self.timeline.compactions:
            cells[self.column(turn)] = ("◆", self.palette.ink("warning"))
        for turn in self.plans:
            cells[self.column(turn)] = ("◇", self.palette.ink("section-memory"))
        cells[self.column(self.turn)] = ("▲", self.palette.strong)
        line = Text(f"{'turn':>{LABEL - 1}} ", self.palette.faint, no_wrap=True)
        for char, style in cells:
            line.append(char, style)
        return line

    def on_click(self, event: events.Click) -> None:
        if self.timeline is None or event.x < LABEL:
            return
        count = len(self.timeline.totals)
        turn = (event.x - LABEL) * count // self.columns + 1
        self.post_message(self.Picked(min(max(turn, 1), count)))


def compact(tokens: int) -> str:
    """1,234 as "1k", 1,500,000 as "1.5M"."""
    if tokens >= 1_000_000_000:
        return f"{tokens / 1_000_000_000:.1f}B"
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.1f}M"
    return f"{round(tokens / 1000)}k" if tokens >= 1000 else str(tokens)
