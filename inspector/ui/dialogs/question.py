"""A dialog that asks for confirmation before an action that cannot be undone."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.core.text import clipped, one_line
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.widgets.key_bar import key_line

_QUOTED = 160
"""Maximum characters of the subject to show."""


class Confirmation(Dialog[bool]):
    """Dismissed with True if the user agreed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("question")

    def __init__(self, question: str, subject: str, consequence: str, yes: str) -> None:
        """Create a question.

        Args:
            question: Heading.
            subject: Item that the question is about.
            consequence: Effect of agreeing, as a sentence.
            yes: Verb for the hint on the key that agrees.
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
            yield key_line("{yes}: {effect}   {no}, {open} or {back}: cancel", effect=self.yes)
