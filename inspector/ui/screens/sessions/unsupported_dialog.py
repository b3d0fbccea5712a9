"""A dialog with the reasons why files of a folder are not listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.core.text import lines_of, plural
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.message_lines import Line
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.text_view import TextView


class UnsupportedDialog(Dialog[None]):
    """The reasons, one sentence each, as scrollable text."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("unsupported")
    AUTO_FOCUS = "#text"

    def __init__(self, reasons: Sequence[str], others: Sequence[str] = ()) -> None:
        """Show the reasons; `others` are the names of files that were skipped."""
        super().__init__()
        self.reasons = reasons
        self.others = others

    def compose(self) -> ComposeResult:
        count = plural(len(self.reasons), "file")
        with Vertical(id="dialog", classes="tall"):
            yield Static(f"{count} without a readable conversation", classes="heading", markup=False)
            yield TextView(id="text")
            yield key_line("↑↓: scroll   {back}: close")

    def on_mount(self) -> None:
        self.call_after_refresh(self.show_reasons)

    def on_resize(self) -> None:
        if self.is_mounted:
            self.call_after_refresh(self.show_reasons)

    def show_reasons(self) -> None:
        view = self.query_one(TextView)
        view.show(list(self.lines(max(20, view.size.width - 2))), keep_place=True)

    def lines(self, width: int) -> Iterator[Line]:
        for reason in self.reasons:
            yield from (Line(line) for line in lines_of(reason, width))
            yield Line("")
        if self.others:
            was = "was" if len(self.others) == 1 else "were"
            words = f"{', '.join(self.others)} {was} skipped by file name."
            yield from (Line(line, "dim") for line in lines_of(f"{words} To open a file, pass it explicitly.", width))
