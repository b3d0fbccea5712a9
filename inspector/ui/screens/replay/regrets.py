"""What was lost and needed after all, a line for each: when, what, when it was lost, and where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import set_cell_size
from textual.binding import Binding, BindingType

from inspector.replay import Regret
from inspector.text import REGRETTED, clipped, one_line
from inspector.ui.widgets.lines import LineList, Span

_WIDE = 100


class RegretList(LineList):
    """The keys of the screen go through it; its line is lit only while it is gone through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.open", "Open", show=False),
        Binding("space", "screen.play", "Play", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.regrets: Sequence[Regret] = ()
        self.in_hand = False
        """Whether the person went through the list right before, so that enter is meant for it."""

    @property
    def count(self) -> int:
        return len(self.regrets)

    @property
    def current(self) -> Regret | None:
        return self.regrets[self.cursor] if 0 <= self.cursor < len(self.regrets) else None

    @property
    def shows_cursor(self) -> bool:  # type: ignore[override]  # here it comes and goes
        return self.in_hand

    def show(self, regrets: Sequence[Regret], empty: str) -> None:
        """Other regrets; `empty` is said where there are none."""
        self.regrets, self.empty = regrets, empty
        self.renew()

    def by_hand(self) -> None:
        self.take(True)

    def take(self, in_hand: bool) -> None:
        if self.in_hand is not in_hand:
            self.in_hand = in_hand
            self.strips.clear()
            self.refresh()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        regret, palette = self.regrets[line], self.palette
        spans = [
            (f" {REGRETTED} ", palette.ink("error", bold=True)),
            (f"{regret.turn:>6,}  ", palette.ink()),
            (set_cell_size(clipped(regret.cls, 10), 12), palette.dim),
        ]
        tail = (
            f"  {regret.lost_at:>9,} {regret.turn - regret.lost_at:>12,} "
            if width >= _WIDE
            else f"  {regret.lost_at:>7,} "
        )
        room = max(4, width - 23 - len(tail))
        return [
            *spans,
            (set_cell_size(clipped(one_line(regret.fact), room), room), palette.strong),
            (tail, palette.dim),
        ]


def heading(width: int) -> str:
    """What the columns are."""
    tail = f"  {'lost at':>9} {'turns later':>12} " if width >= _WIDE else f"  {'lost at':>7} "
    what = "needed after it was lost"
    room = max(4, width - 23 - len(tail))
    return f"   {'turn':>6}  {'':12}{set_cell_size(clipped(what, room), room)}{tail}"
