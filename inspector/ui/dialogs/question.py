"""One question before something that cannot be taken back."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.core.text import clipped, one_line
from inspector.ui.dialogs.overlay import Dialog

_QUOTED = 160
"""Characters of what is asked about that are shown."""


class Confirmation(Dialog[bool]):
    """Gives back whether the person agreed; None where the dialog was closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "dismiss(True)", "Yes"),
        Binding("escape,n,q", "dismiss(False)", "No"),
    ]

    def __init__(self, question: str, subject: str, consequence: str, yes: str) -> None:
        """`yes` says what enter does, as a verb."""
        super().__init__()
        self.question = question
        self.subject = subject
        self.consequence = consequence
        self.yes = yes

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="question"):
            yield Static(one_line(self.question), classes="heading", markup=False)
            yield Static(clipped(one_line(self.subject), _QUOTED), id="subject", markup=False)
            yield Static(self.consequence, id="consequence", markup=False)
            yield Static(f"y or enter {self.yes}   esc leaves it", classes="hint", markup=False)
