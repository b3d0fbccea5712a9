"""The turns of a session as a strip, with the size of each window, the compactions, and the current turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.events import Click
from textual.reactive import reactive

from inspector.core.text import FELL, NOT_CACHED, REGRETTED
from inspector.ui.mark_lines import free_cells
from inspector.ui.messages import TurnPicked
from inspector.ui.palette import ThemePalette
from inspector.ui.widgets.drawing import Drawing

if TYPE_CHECKING:
    from inspector.engine.window import Timeline

_LABEL = 6
_HEIGHTS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class TurnStrip:
    """The data of a strip. The turns can belong to a longer log than the timeline."""

    timeline: Timeline
    turn: int
    """Turn under the cursor, from 1."""
    plans: tuple[int, ...] = ()
    """Turns at which the user has applied a plan."""
    needs: tuple[int, ...] = ()
    """Turns whose newest reply needed a fact that a compaction had dropped."""
    misses: tuple[int, ...] = ()
    """Turns whose call the prompt cache did not serve."""
    is_partial: bool = False
    """True if the sizes are still being counted."""

    @property
    def count(self) -> int:
        return len(self.timeline.totals)

    def column(self, turn: int, columns: int) -> int:
        """Return the first column that shows a turn; the last one for turns beyond the timeline."""
        last = (turn * columns - 1) // self.count
        return max(0, min(columns - 1, last, -(-(turn - 1) * columns // self.count)))

    def heights(self, columns: int) -> list[int]:
        """Return the largest window of each column's turns, in tokens."""
        heights = []
        for column in range(columns):
            first = column * self.count // columns
            last = max(first + 1, (column + 1) * self.count // columns)
            heights.append(max(self.timeline.totals[first:last]))
        return heights

    def cursor(self, columns: int) -> range:
        """Return the columns of the turn under the cursor."""
        first = self.column(self.turn, columns)
        return range(first, max(min(columns, (self.turn * columns - 1) // self.count + 1), first + 1))


class Scrubber(Drawing):
    """A strip of bars, with one or more turns per column. A click goes to a turn."""

    turns: reactive[TurnStrip | None] = reactive(None)
    _heights: tuple[Timeline, list[int]] | None = None
    """Heights of the columns drawn last, and their timeline: moving the cursor does not change them."""

    palette = ThemePalette()

    def columns(self, turns: TurnStrip) -> int:
        return max(1, self.size.width - _LABEL)

    def render(self) -> Text:
        if self.turns is None:
            return Text()
        rows = max(1, self.size.height - 1)
        heights = self.heights(self.turns)
        lines = [self.bars(self.turns, heights, row, rows) for row in range(rows - 1, -1, -1)]
        lines.append(self.marks(self.turns))
        return Text("\n", no_wrap=True).join(lines)

    def heights(self, turns: TurnStrip) -> list[int]:
        columns = self.columns(turns)
        if self._heights is None or self._heights[0] is not turns.timeline or len(self._heights[1]) != columns:
            self._heights = turns.timeline, turns.heights(columns)
        return self._heights[1]

    def bars(self, turns: TurnStrip, heights: list[int], row: int, rows: int) -> Text:
        """Return one row of the bars.

        Args:
            turns: Data of the strip.
            heights: Largest window of each column, in tokens.
            row: Index of the row, from the bottom.
            rows: Number of rows.
        """
        columns = len(heights)
        peak = max(*heights, 1)
        here = turns.cursor(columns)
        top = row == rows - 1
        label = ("…" if turns.is_partial else compact(peak)) if top else ("0" if row == 0 else "")
        line = Text(f"{label:>{_LABEL - 1}} ", self.palette.faint, no_wrap=True)
        chars = ""
        for height in heights:
            eighths = round(8 * rows * height / peak) - 8 * row
            chars += _HEIGHTS[min(max(eighths, 1 if height and row == 0 else 0), 8)]
        line.append(chars[: here.start], self.palette.ink("section-history"))
        line.append(chars[here.start : here.stop], self.palette.strong)
        return line.append(chars[here.stop :], self.palette.ink("ink-faint"))

    def marks(self, turns: TurnStrip) -> Text:
        """Return the marks of the turns and the cursor, which is next to a mark if its own column is taken."""
        columns = self.columns(turns)
        blank = ("┈", self.palette.ink("line"))
        cells: list[tuple[str, Style]] = [blank] * columns
        for sign, colour, places in self.turn_events(turns):
            for turn in places:
                cells[turns.column(turn, columns)] = (sign, self.palette.ink(colour))
        needs = {turns.column(turn, columns) for turn in turns.needs}
        taken = {place for place, cell in enumerate(cells) if cell != blank}
        for place in free_cells(needs, taken, columns):
            cells[place] = (REGRETTED, self.palette.ink("error", bold=True))
        here = turns.cursor(columns)
        free = [place for place in (*here, here.stop, here.start - 1) if 0 <= place < columns and cells[place] == blank]
        cells[free[0] if free else here.start] = ("▲", self.palette.strong)
        line = Text(f"{'turn':>{_LABEL - 1}} ", self.palette.faint, no_wrap=True)
        for style, run in groupby(cells, itemgetter(1)):
            line.append("".join(char for char, _ in run), style)
        return line

    def turn_events(self, turns: TurnStrip) -> Iterator[tuple[str, str, Iterable[int]]]:
        """Yield the sign, colour and turns of each kind of event, the most important last."""
        yield NOT_CACHED, "warning", turns.misses
        yield "◆", "warning", turns.timeline.compactions
        yield FELL, "warning", [fall.turn for fall in turns.timeline.falls]
        yield "◇", "section-memory", turns.plans

    def on_click(self, event: Click) -> None:
        if self.turns is None or event.x < _LABEL:
            return
        turn = (event.x - _LABEL) * self.turns.count // self.columns(self.turns) + 1
        self.post_message(TurnPicked(min(max(turn, 1), self.turns.count)))


def compact(tokens: int) -> str:
    """Return a token count in short form: "1k" for 1,234, "1.5M" for 1,500,000."""
    if tokens >= 1_000_000_000:
        return f"{tokens / 1_000_000_000:.1f}B"
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.1f}M"
    return f"{round(tokens / 1000)}k" if tokens >= 1000 else str(tokens)
