"""The question before an import of many sessions: all of them, the one under the cursor, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.core.text import clipped, one_line, plural
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.key_remaps import with_keys
from inspector.ui.widgets.key_bar import key_line

if TYPE_CHECKING:
    from inspector.library import Entry

FEW = 12
"""Maximum number of sessions that are imported without a question."""
_QUOTED = 160
"""Maximum characters of the title to show."""
_CONSEQUENCE = (
    "Each one is read and stored whole, which takes a while. The files stay unchanged.\n"
    "To import fewer, press {back} and filter the list with {find}."
)


class ImportDialog(Dialog[Sequence[str]]):
    """Dismissed with the paths to import, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("import")

    def __init__(self, entries: Sequence[Entry], current: Entry | None) -> None:
        """Ask about `entries`, which are not stored yet; `current` is the one under the cursor."""
        super().__init__()
        self.paths = tuple(dict.fromkeys(entry.path for entry in entries))
        self.count = len(entries)
        self.current = current if current in entries else None
        self.beside = sum(entry.path == current.path for entry in entries) - 1 if current else 0
        """Number of other sessions in the file of the current one, which are imported together with it."""

    def compose(self) -> ComposeResult:
        one = f"this one{f' and {self.beside:,} more of its file' if self.beside > 0 else ''}" if self.current else ""
        keys = [f"{{apply}}: all {self.count:,}", "{back}: none"]
        if one:
            keys.insert(0, f"{{open}}: {one}")
        title = f"Under the cursor: {one_line(self.current.title) or 'untitled'}" if self.current else ""
        with Vertical(id="dialog", classes="question"):
            yield Static(f"Import {plural(self.count, 'session')} into the store?", classes="heading", markup=False)
            yield Static(clipped(title, _QUOTED), id="subject", markup=False)
            yield Static(with_keys(_CONSEQUENCE), id="consequence", markup=False)
            yield key_line("   ".join(keys))

    def action_take_one(self) -> None:
        if self.current is not None:
            self.dismiss((self.current.path,))

    def action_take_all(self) -> None:
        self.dismiss(self.paths)
