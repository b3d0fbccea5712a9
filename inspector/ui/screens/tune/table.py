"""The table of Tune: a line for each preset, and what its columns are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from textual.binding import Binding, BindingType

from inspector.money import rounded
from inspector.replay.frames import Kept
from inspector.replay.tuning import Row
from inspector.ui.fitting import clipped
from inspector.ui.palette import Palette
from inspector.ui.screens.tune.entries import Entry, Table
from inspector.ui.widgets.kept import share_spans
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.pareto import BEST, OFF, ON, UNFIT
from inspector.ui.widgets.scrubber import compact
from inspector.visible import one_line

Column = tuple[str, int, int]
COLUMNS: Sequence[Column] = (
    ("compr.", 7, 62),
    ("peak", 9, 70),
    ("sent", 8, 0),
    ("cost", 9, 30),
    ("uncached", 10, 92),
    ("kept", 6, 0),
    ("regrets", 9, 50),
    ("valid", 10, 78),
)
BAR = 14
"""Cells of the bar that shows what is kept of all facts, where there is room for it."""
"""Name, cells, and the width of the list from which on it is shown."""
NAME = 16


def shown_columns(width: int) -> list[Column]:
    return [column for column in COLUMNS if width >= column[2]]


def name_room(width: int) -> int:
    """Cells for the name, the sign before it taken off."""
    return max(6, min(26, width - 4 - sum(cells for _, cells, _ in shown_columns(width))))


def heading(width: int, order: str, worst: bool) -> Iterator[tuple[str, bool]]:
    """(text, whether it is the one sorted by) of the line over the table."""
    arrow = "▴" if worst else "▾"
    yield f"   {set_cell_size('preset' + (arrow if order == 'name' else ''), name_room(width))}", order == "name"
    for name, cells, _ in shown_columns(width):
        yield f"{name + (arrow if order == name else ''):>{cells}}", order == name


class RowList(LineList):
    """One preset a line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.open", "Replay it", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.table = Table()
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
        spans: list[Span] = [(f" {sign(row, best)} ", sign_ink(row, best, palette)), (name, ink)]
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
            spans += share_spans(together(row), BAR, palette)
        return spans


def together(row: Row) -> Kept:
    """The facts of all classes."""
    each = row.retention.values()
    return Kept(sum(k.retained for k in each), sum(k.recoverable for k in each), sum(k.lost for k in each))


def sign(row: Row | None, best: bool) -> str:
    if row is None:
        return " "
    return BEST if best else UNFIT if not row.sendable else ON if row.pareto else OFF


def sign_ink(row: Row | None, best: bool, palette: Palette) -> Style:
    colour = "success" if best else "error" if row and not row.sendable else "ink-muted"
    return palette.ink(colour, bold=best)


def cell(column: str, row: Row, judged: bool) -> tuple[str, str]:
    """What a cell says, and its colour where it has one."""
    match column:
        case "compr.":
            return f"{row.compressions:,}", ""
        case "peak":
            return f"{row.peak:,}" if row.peak < 1_000_000 else compact(row.peak), "" if row.fits else "error"
        case "sent":
            return compact(row.tokens_sent), ""
        case "cost":
            return money(row.cost), ""
        case "uncached":
            return money(row.cost_uncached), "ink-muted"
        case "kept":
            return (f"{row.retained:.0%}", "") if judged else ("–", "ink-faint")
        case "regrets":
            return (f"{row.regrets:,}", "error" if row.regrets else "success") if judged else ("–", "ink-faint")
        case _:
            return validity(row)


def money(amount: float) -> str:
    return rounded(amount) if amount < 1000 else f"${amount:,.0f}"


def validity(row: Row) -> tuple[str, str]:
    if not row.valid:
        return "✗ invalid", "error"
    return ("✓", "success") if row.fits else ("✗ too big", "error")
