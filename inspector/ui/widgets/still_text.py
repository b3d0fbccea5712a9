"""Text that is often drawn again and rarely changes."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static


class StillText(Static):
    """Text of a constant size, which is painted only if it differs from what is shown."""

    def redraw(self, text: Text) -> None:
        """Show a text, without changing the layout."""
        before = self.content
        if not (isinstance(before, Text) and before == text and before.style == text.style):
            self.update(text, layout=False)
