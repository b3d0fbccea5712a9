"""Write the window as a request that a provider would accept."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.conversation import ProviderName
from inspector.library import Preview
from inspector.providers import DEFAULT_DIALECT, PROVIDERS, provider_after
from inspector.text import dumps, slug
from inspector.ui.dialogs.write_dialog import FileWriter, PathInput, Write, WriteDialog
from inspector.ui.palette import mark_of


class ExportScreen(WriteDialog):
    """Asks for a provider and a file. Writes nothing over an existing file without asking."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "switch", "The next provider", priority=True),
    ]

    AUTO_FOCUS = "#path"

    to: reactive[ProviderName] = reactive(DEFAULT_DIALECT, init=False)

    def __init__(self, preview: Preview) -> None:
        super().__init__()
        self.preview = preview
        self.file = FileWriter(self, preview.session.path)
        self.set_reactive(ExportScreen.to, preview.recorded.context.dialect)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Export this window as a request", classes="heading")
            yield Static(id="provider", markup=False)
            yield PathInput(self.suggestion())
            yield Static(id="outcome", markup=False)
            yield Static("tab next provider   enter writes   esc closes", classes="hint")

    def on_mount(self) -> None:
        self.watch_to()

    def suggestion(self) -> str:
        window = self.preview.recorded
        return f"{slug(self.preview.session.title)}-turn-{window.turn}.{self.to}.json"

    def watch_to(self) -> None:
        window = self.preview.after
        size = f"{len(window.messages):,} messages, {mark_of(window)}{window.total:,} tokens"
        self.query_one("#provider", Static).update(f"{PROVIDERS[self.to].title} form, {size}")
        self.query_one(PathInput).suggest(self.suggestion())

    def action_switch(self) -> None:
        self.to = provider_after(self.to)

    @property
    def target(self) -> str:
        return self.file.target

    def prepare(self) -> Write | None:
        self.say("writing …")
        return self.file.prepare(partial(request_text, self.preview, self.to))


def request_text(preview: Preview, to: ProviderName) -> str:
    """The window as the JSON text of a request."""
    wire = PROVIDERS[to].request(preview.after.context, preview.after.messages)
    return dumps(wire, pretty=True)
