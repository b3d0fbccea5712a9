"""The two lanes: a line for each turn, with both windows as bars to one scale and the turn between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from inspector.text import LOSSY, REGRETTED, REVERSIBLE
from inspector.ui.screens.compare.halves import Sight
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.scrubber import compact

INKS = ("primary", "section-memory")
"""The colours of the left and the right side."""
_SAME, OTHER = "=", "≠"
BAR, HALF = "━", "╸"
ROOMY = 60
"""Cells from which on tokens are written out."""


def middle(sight: Sight) -> int:
    """Cells between the lanes: the turn, and whether the windows differ."""
    return max(4, len(f"{sight.count:,}")) + 6


class LaneList(LineList):
    """One turn a line; where both windows say the same, both bars are dim."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "screen.open", "Open", show=False)]

    @dataclass
    class Touched(Message):
        """A click on the half of one side."""

        side: int

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.sight: Sight | None = None

    @property
    def count(self) -> int:
        return self.sight.count if self.sight else 0

    def show(self, sight: Sight) -> None:
        self.sight = sight
        self.renew()

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Touched(int(event.x > self.size.width // 2)))
        super().on_click(event)

    def show_cursor(self) -> None:
        """Keep some turns before and behind the cursor's in sight."""
        height = self.scrollable_content_region.height
        margin = height // 3
        lowest, highest = self.cursor - height + 1 + margin, self.cursor - margin
        at = min(max(self.scroll_offset.y, lowest), max(highest, 0))
        self.scroll_to(y=min(at, max(0, self.count - height)), animate=False, force=True, immediate=True)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        assert self.sight is not None
        pair, palette = self.sight.found.turns[line], self.palette
        turn = "now" if pair.turn == self.sight.count else f"{pair.turn:,}"
        first = self.sight.found.first
        begins = first is not None and first.turn == pair.turn
        room = (width - middle(self.sight)) // 2
        sign = palette.faint if pair.same else palette.ink("warning", bold=begins)
        return [
            *self.bar(0, line + 1, room, pair.same),
            (f"  {turn:>{middle(self.sight) - 6}}", palette.strong if begins else palette.dim),
            (f" {_SAME if pair.same else OTHER}  ", sign),
            *self.bar(1, line + 1, room, pair.same),
            (" " * (width - 2 * room - middle(self.sight)), palette.faint),
        ]

    def bar(self, side: int, turn: int, room: int, same: bool) -> list[Span]:
        """A window as its tokens, what was compressed before it, and how large it is on the common scale."""
        assert self.sight is not None
        palette = self.palette
        frame = self.sight.frame(side, turn)
        if frame is None:
            return [(" " * room, palette.faint)]
        wide = self.size.width >= ROOMY
        number = f"{frame.total:>8,} " if wide else f"{compact(frame.total):>5} "
        space = max(0, room - len(number) - 3)
        halves = max(1 if frame.total else 0, round(2 * space * frame.total / self.sight.scale))
        bar = (BAR * (halves // 2) + HALF * (halves % 2)).ljust(space)[:space]
        ink = palette.faint if same else palette.ink(INKS[side])
        return [(number, palette.dim if same else palette.ink()), self.mark(side, turn), (f" {bar} ", ink)]

    def mark(self, side: int, turn: int) -> tuple[str, Style]:
        """What happened at a turn: a compression that lost something or nothing, or something lost that was needed."""
        assert self.sight is not None
        if made := self.sight.compaction(side, turn):
            sign = REVERSIBLE if made.reversible else LOSSY
            return sign, self.palette.ink("success" if made.reversible else "warning")
        if turn in self.sight.regretted[side]:
            return REGRETTED, self.palette.ink("error", bold=True)
        return " ", self.palette.faint
