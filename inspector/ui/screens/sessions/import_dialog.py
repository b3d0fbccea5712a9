"""Before many files are imported: all of them, the one under the cursor, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.text import clipped, one_line
from inspector.ui.dialogs.overlay import Dialog

FEW = 12
"""Files that are imported without a question."""
_QUOTED = 160
"""Characters of a title that are shown."""


class ImportDialog(Dialog[Sequence[str]]):
    """Gives back the paths that are to be imported; None for none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take(False)", "Only the one under the cursor"),
        Binding("a", "take(True)", "All"),
        Binding("escape,n,q", "dismiss(None)", "None"),
    ]

    def __init__(self, paths: Sequence[str], path: str, title: str) -> None:
        """`path` is that of the session under the cursor, "" where it is stored already; `title` its title."""
        super().__init__()
        self.paths = paths
        self.path = path
        self.session_title = title

    def compose(self) -> ComposeResult:
        count = f"{len(self.paths):,}"
        one = f"Under the cursor: {clipped(one_line(self.session_title) or 'untitled', _QUOTED)}" if self.path else ""
        keys = ("enter this one" if self.path else "", f"a all {count}", "esc none")
        with Vertical(id="dialog", classes="question"):
            yield Static(f"Import {count} files into the store?", classes="heading", markup=False)
            yield Static(one, id="subject", markup=False)
            yield Static(
                "Each is read and kept whole, which takes a while; the files stay as they are. "
                "A filter (/) leaves out what you do not want.",
                id="consequence",
                markup=False,
            )
            yield Static("   ".join(filter(None, keys)), classes="hint", markup=False)

    def action_take(self, every: bool) -> None:
        if every or self.path:
            self.dismiss(self.paths if every else (self.path,))
