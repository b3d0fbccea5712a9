"""The table of Tune: a line for each preset, and what its columns are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from textual.binding import Binding, BindingType

from inspector.experiments import TrialResult
from inspector.text import clipped, one_line
from inspector.ui.columns import BAR, cell, name_room, shown_columns, weighted
from inspector.ui.palette import Palette
from inspector.ui.screens.tune.entries import Entry, Table
from inspector.ui.widgets.kept import share_spans
from inspector.ui.widgets.lines import TO_ENDS, LineList, Span
from inspector.ui.widgets.pareto import BEST, OFF, ON, UNFIT

_MARKED = "▸"
"""Before the row that others are compared with."""


class RowList(LineList):
    """One preset a line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.open", "Replay it", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        *TO_ENDS,
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.table = Table()
        self.marked = -1
        """The number of the entry that others are compared with."""
        self.in_hand = False
        """Whether the person has moved the cursor."""

    @property
    def count(self) -> int:
        return len(self.table.entries)

    @property
    def current(self) -> Entry | None:
        return self.table.entries[self.cursor] if 0 <= self.cursor < self.count else None

    def by_hand(self) -> None:
        self.in_hand = True

    def show(self, table: Table, number: int) -> None:
        """Other rows, with the cursor on one of them."""
        self.table = table
        self.renew()
        self.cursor = table.place(number)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        entry = self.table.entries[line]
        row = self.table.marked.get(entry.number)
        palette, best = self.palette, self.table.is_best(entry)
        ink = palette.ink("success", bold=True) if best else palette.strong if entry.simulated else palette.ink()
        name = set_cell_size(clipped(one_line(entry.name), name_room(width)), name_room(width))
        mark = _MARKED if entry.number == self.marked else " "
        spans: list[Span] = [
            (mark, palette.ink("primary", bold=True)),
            (f"{_sign(row, best)} ", _sign_ink(row, best, palette)),
        ]
        spans.append((name, ink))
        if entry.failure:
            return [*spans, (f"  {one_line(entry.failure)}", palette.ink("error"))]
        if row is None:
            return [*spans, ("  …", palette.faint)]
        plain = palette.faint if entry.stale else palette.ink()
        for column, cells, _ in shown_columns(width):
            text, colour = cell(column, row, self.table.judged)
            style = palette.ink(colour) if colour and not entry.stale else plain
            spans.append((f"{text:>{cells}}", style))
        if row.retention and width - sum(cell_len(text) for text, _ in spans) > BAR + 3:
            spans.append(("   ", plain))
            spans += share_spans(weighted(row), BAR, palette)
        return spans


def _sign(row: TrialResult | None, best: bool) -> str:
    if row is None:
        return " "
    return BEST if best else UNFIT if not row.sendable else ON if row.pareto else OFF


def _sign_ink(row: TrialResult | None, best: bool, palette: Palette) -> Style:
    colour = "success" if best else "error" if row and not row.sendable else "ink-muted"
    return palette.ink(colour, bold=best)
