"""Show a sentence below an input. It has no height while it is empty."""

from __future__ import annotations

from textual.widgets import Static

from inspector.core.text import one_line


class Remark(Static):
    """The answer of a dialog to what was typed: the effect, or what is wrong."""

    def __init__(self) -> None:
        super().__init__(id="outcome", markup=False)
        self.display = False

    def say(self, text: str) -> None:
        """Show another sentence on one line; "" hides the widget."""
        self.update(one_line(text))
        self.display = bool(text)
