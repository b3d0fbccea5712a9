"""Why files of a folder are not listed: a sentence for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.text import lines_of, plural
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.reading import Line
from inspector.ui.widgets.text_view import TextView


class StrangersDialog(Dialog[None]):
    """The sentences, to be scrolled through."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss", "Back")]
    AUTO_FOCUS = "#text"

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__()
        self.reasons = reasons

    def compose(self) -> ComposeResult:
        count = plural(len(self.reasons), "file")
        with Vertical(id="dialog", classes="tall"):
            yield Static(f"{count} without a conversation that can be read", classes="heading", markup=False)
            yield TextView(id="text")
            yield Static("↑↓ scroll   esc closes", classes="hint", markup=False)

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
