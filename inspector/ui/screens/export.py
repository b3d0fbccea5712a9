"""Write the window as a request that a provider would accept."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

import orjson
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.conversation import Dialect
from inspector.files import is_source, slug, write_whole
from inspector.formats import is_log, request
from inspector.ui.latest import Latest
from inspector.visible import one_line
from inspector.workbench import Preview

NAMES: dict[Dialect, str] = {"openai": "OpenAI", "anthropic": "Anthropic"}


class ExportScreen(ModalScreen[None]):
    """Asks for a provider and a file. Writes nothing over an existing file without asking once more."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close"),
        Binding("tab", "switch", "The other provider", priority=True),
    ]
    AUTO_FOCUS = "#path"

    to: reactive[Dialect] = reactive("openai", init=False)

    def __init__(self, preview: Preview) -> None:
        super().__init__()
        self.preview = preview
        self.agreed = ""
        self.writes: Latest[tuple[Path, str]] = Latest(self, "export", self.written)
        self.set_reactive(ExportScreen.to, preview.recorded.session.dialect)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Export this window as a request", classes="heading")
            yield Static(id="provider", markup=False)
            yield Input(self.suggested(), id="path")
            yield Static(id="outcome", markup=False)
            yield Static("tab other provider   enter writes   esc closes", classes="hint")

    def on_mount(self) -> None:
        self.watch_to()

    def suggested(self) -> str:
        window = self.preview.recorded
        return f"{slug(window.session.title)}-turn-{window.turn}.{self.to}.json"

    def watch_to(self) -> None:
        messages = len(self.preview.after.messages)
        text = f"{NAMES[self.to]} form, {messages:,} messages, {self.preview.after.total:,} tokens"
        self.query_one("#provider", Static).update(text)

    def action_switch(self) -> None:
        path = self.query_one(Input)
        same = path.value == self.suggested()
        self.to = "anthropic" if self.to == "openai" else "openai"
        if same:
            path.value = self.suggested()

    @on(Input.Submitted)
    def write(self, event: Input.Submitted) -> None:
        if not event.value.strip():
            self.say("Type a file name first.")
            return
        path = Path(event.value.strip()).expanduser()
        if is_source(path, self.preview.recorded.session.path):
            self.say(f"{one_line(str(path))} is the recording itself, which is never written to.")
            return
        if is_log(path):
            self.say(f"{one_line(str(path))} holds a recorded log, which is never written to.")
            return
        if path.exists() and self.agreed != str(path):
            self.agreed = str(path)
            self.say(f"{one_line(str(path))} exists. Press enter once more to replace it.")
            return
        self.say("writing …")
        self.writes.ask(partial(self.attempt, path, self.to))

    def attempt(self, path: Path, to: Dialect) -> tuple[Path, str]:
        """Build the request and write it, in a thread; gives back what went wrong, nothing when all is well."""
        try:
            write_whole(path, request_text(self.preview, to))
        except (OSError, ValueError) as error:
            return path, str(error)
        return path, ""

    def written(self, outcome: tuple[Path, str]) -> None:
        path, problem = outcome
        if problem:
            self.say(f"Could not write {one_line(str(path))}: {one_line(problem)}.")
            return
        self.app.notify(f"Written: {path}")
        self.dismiss()

    def say(self, text: str) -> None:
        self.query_one("#outcome", Static).update(text)


def request_text(preview: Preview, to: Dialect) -> str:
    """The window as the JSON text of a request."""
    wire = request(preview.recorded.session, preview.after.messages, to)
    return orjson.dumps(wire, option=orjson.OPT_INDENT_2).decode()
