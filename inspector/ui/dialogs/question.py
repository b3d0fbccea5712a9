"""A dialog that asks for confirmation before an action that cannot be undone."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.core.text import clipped, one_line
from inspector.ui.dialogs.overlay import Dialog

_QUOTED = 160
"""Maximum characters of the subject to show."""


class Confirmation(Dialog[bool]):
    """Dismissed with True if the user agreed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "dismiss(True)", "Yes"),
        Binding("escape,n,q", "dismiss(False)", "No"),
    ]

    def __init__(self, question: str, subject: str, consequence: str, yes: str) -> None:
        """Create a question.

        Args:
            question: Heading.
            subject: Item that the question is about.
            consequence: Effect of agreeing, as a sentence.
            yes: Verb for the hint on the key enter.
        """
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
