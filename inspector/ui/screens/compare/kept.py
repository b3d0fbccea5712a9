"""What only one side has at a turn, a line for each: its class, what it says, and the message that told it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual.binding import Binding, BindingType

from inspector.text import REVERSIBLE, clipped, one_line, plural
from inspector.ui.screens.compare.standing import FACT, MESSAGE, OWN, Item
from inspector.ui.widgets.lines import LineList, Span

_KIND = 11


class KeptList(LineList):
    """Facts by class, then messages. What the other side can have again carries the sign of that."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "screen.open", "Read its message", show=False)]

    def __init__(self, side: int, id: str | None = None) -> None:
        super().__init__(id=id)
        self.side = side
        self.items: Sequence[Item] = ()

    @property
    def count(self) -> int:
        return len(self.items)

    @property
    def current(self) -> Item | None:
        return self.items[self.cursor] if 0 <= self.cursor < len(self.items) else None

    @property
    def shows_cursor(self) -> bool:  # type: ignore[override]  # only where the keys go
        return self.has_focus

    def show(self, items: Sequence[Item], empty: str) -> None:
        self.items, self.empty = items, empty
        self.renew()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        item, palette = self.items[line], self.palette
        number = f" {item.number:,}" if item.number else ""
        room = max(4, width - _KIND - 4 - len(number) - 1)
        ink = palette.ink() if item.kind == FACT else palette.dim
        return [
            (f"  {item.label:<{_KIND}}", palette.dim),
            (f"{REVERSIBLE if item.other == 'in reach' else ' '} ", palette.ink("success")),
            (set_cell_size(clipped(one_line(item.text), room), room), ink),
            (number, palette.faint),
        ]


def counted(items: Sequence[Item], cells: int) -> str:
    """How many things of which kind, in words, as many of them as there is room for."""
    messages = sum(item.kind == MESSAGE for item in items)
    own = sum(item.kind == OWN for item in items)
    facts = len(items) - messages - own
    parts = [plural(number, noun) for number, noun in ((facts, "fact"), (messages, "message")) if number]
    said = [*parts, *([f"{own:,} of its own"] if own else [])] or ["nothing"]
    while len(said) > 1 and cell_len(", ".join(said)) > cells:
        said.pop()
    return ", ".join(said)
