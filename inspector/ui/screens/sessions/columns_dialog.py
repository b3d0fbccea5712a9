"""The dialog that chooses the columns of the list of sessions, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector import library
from inspector.core.text import clipped_words
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.screens.sessions.list_columns import OFFERED, USUAL
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.lines import LineList, Span

_AROUND = 7
"""Lines of the dialog that do not belong to the list."""


class ColumnChoice(LineList):
    """All columns, one per line: the chosen ones in their order, then the others."""

    def __init__(self, chosen: Sequence[str], id: str | None = None) -> None:
        super().__init__(id=id)
        self.names = [*chosen, *(name for name in OFFERED if name not in chosen)]
        self.chosen = set(chosen)

    @property
    def count(self) -> int:
        return len(self.names)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        name = self.names[line]
        is_chosen = name in self.chosen
        return [
            (" ✓ " if is_chosen else "   ", self.palette.ink("primary", bold=True)),
            (f"{name:<14}", self.palette.strong if is_chosen else self.palette.ink()),
            (clipped_words(library.SESSION_COLUMNS[name].about, max(0, width - 18)), self.palette.dim),
        ]


class ColumnsDialog(Dialog[tuple[str, ...]]):
    """Returns the chosen columns in order, or an empty tuple for the usual ones."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("columns")
    AUTO_FOCUS = "#column-choice"

    def __init__(self, chosen: Sequence[str]) -> None:
        """Create the dialog for the columns that are shown."""
        super().__init__()
        self.initial = tuple(chosen)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Columns of the list", classes="heading")
            yield ColumnChoice(self.initial, id="column-choice")
            yield Static("Cost and re-reads are counted in the background.", classes="hint", markup=False)
            yield key_line("{toggle}: show or hide   {move_up} {move_down}: move   {reset_all}: usual   {back}: close")

    def on_mount(self) -> None:
        self.fit()

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        rows = self.query_one(ColumnChoice)
        rows.styles.height = max(2, min(rows.count, self.app.size.height * 9 // 10 - _AROUND))

    @on(LineList.Opened)
    def action_switch(self) -> None:
        rows = self.query_one(ColumnChoice)
        rows.chosen ^= {rows.names[rows.cursor]}
        rows.renew()

    def action_shift(self, lines: int) -> None:
        """Move the column under the cursor up or down."""
        rows = self.query_one(ColumnChoice)
        place = min(max(rows.cursor + lines, 0), rows.count - 1)
        rows.names.insert(place, rows.names.pop(rows.cursor))
        rows.renew()
        rows.cursor = place

    def action_reset(self) -> None:
        self.dismiss(())

    def action_close(self) -> None:
        rows = self.query_one(ColumnChoice)
        names = tuple(name for name in rows.names if name in rows.chosen)
        self.dismiss(None if names == self.initial else () if names == USUAL else names)
