"""Write the window as a request that a provider would accept, or as a file of another program."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.library import EXPORT_FORMS, Export, Preview, export_form_after
from inspector.providers import DEFAULT_DIALECT
from inspector.text import one_line, plural
from inspector.ui.dialogs.write_dialog import FileWriter, PathInput, Write, WriteDialog, folder_hint, names_line
from inspector.ui.palette import mark_of
from inspector.ui.workers.latest import LatestOnly

_MOST_NOTES = 6
"""Sentences that there is room for."""


class ExportScreen(WriteDialog):
    """Asks for a form and a file. Writes nothing over an existing file without asking."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "switch", "The next form", priority=True),
    ]

    AUTO_FOCUS = "#path"

    to: reactive[str] = reactive(DEFAULT_DIALECT, init=False)

    def __init__(self, preview: Preview) -> None:
        super().__init__()
        self.preview = preview
        self.file = FileWriter(self, preview.session.path)
        self.notes: LatestOnly[list[str]] = LatestOnly(self, "notes", self.show_notes)
        self.set_reactive(ExportScreen.to, preview.recorded.context.dialect)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Export this window", classes="heading")
            yield Static(id="provider", markup=False)
            yield Static(id="notes", markup=False)
            yield PathInput(self.suggestion())
            yield Static(id="outcome", markup=False)
            yield Static(folder_hint(), classes="hint", markup=False)
            yield Static("tab next form   enter writes   esc closes", classes="hint")

    def on_mount(self) -> None:
        self.watch_to()

    def suggestion(self) -> str:
        return Export(self.preview, self.to).suggestion

    def watch_to(self) -> None:
        window = self.preview.after
        size = f"{plural(len(window.messages), 'message')}, {mark_of(window)}{window.total:,} tokens"
        self.query_one("#provider", Static).update(
            Text.assemble(names_line(EXPORT_FORMS, self.to, self), "\n", f"{EXPORT_FORMS[self.to]}, {size}")
        )
        self.query_one(PathInput).suggest(self.suggestion())
        self.notes.ask(Export(self.preview, self.to).notes)

    def show_notes(self, notes: list[str]) -> None:
        """What does not fit into it, and what is put right in it."""
        lines = [one_line(note) for note in notes[:_MOST_NOTES]]
        more = [f"and {len(notes) - len(lines)} more"] if len(notes) > len(lines) else []
        self.query_one("#notes", Static).update("\n".join([*lines, *more]))

    def action_switch(self) -> None:
        self.to = export_form_after(self.to)

    @property
    def target(self) -> str:
        return self.file.target

    def prepare(self) -> Write | None:
        self.say("writing …")
        return self.file.prepare(Export(self.preview, self.to).files)
