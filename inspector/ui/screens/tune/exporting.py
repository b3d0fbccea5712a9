"""Take a preset to the program that is to run with it: as settings, or as code of a framework, read before written."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.files import slug, write_whole
from inspector.formats import is_log
from inspector.presets import Preset
from inspector.replay.exporting import TARGETS, exported
from inspector.ui.latest import Latest
from inspector.ui.reading import Line
from inspector.ui.widgets.text_view import TextView
from inspector.visible import one_line, visible

NAMES = tuple(TARGETS)
ENDINGS = {"env": ".sh", "aloop": ".config", "toml": ".toml"}


class ExportPreset(ModalScreen[None]):
    """Shows what would be written. Writes nothing over an existing file without asking once more."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close"),
        Binding("tab", "target(1)", "The next target", priority=True),
        Binding("shift+tab", "target(-1)", "The target before", priority=True),
        Binding("up", "scroll(-1)", "Up", show=False),
        Binding("down", "scroll(1)", "Down", show=False),
    ]
    AUTO_FOCUS = "#path"

    target: reactive[str] = reactive(NAMES[0], init=False, repaint=False)

    def __init__(self, preset: Preset) -> None:
        super().__init__()
        self.preset = preset
        self.text = ""
        self.agreed = ""
        self.writes: Latest[tuple[Path, str]] = Latest(self, "export", self.written)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="tall"):
            yield Static(f"Export {one_line(self.preset.name)}", classes="heading", markup=False)
            yield Static(id="provider", markup=False)
            yield TextView(id="text")
            yield Input(self.suggested(), id="path")
            yield Static(id="outcome", markup=False)
            yield Static("tab next target   enter writes the file   esc closes", classes="hint")

    def on_mount(self) -> None:
        self.watch_target()

    def suggested(self) -> str:
        return f"{slug(self.preset.name)}-{self.target}{ENDINGS.get(self.target, '.py')}"

    def watch_target(self) -> None:
        number = NAMES.index(self.target) + 1
        self.query_one("#provider", Static).update(f"{TARGETS[self.target].about}   {number} of {len(NAMES)}")
        self.text = exported(self.preset, self.target)
        lines = visible(self.text).rstrip("\n").split("\n")
        self.query_one(TextView).show([Line(line, "dim" if line.startswith("#") else "text") for line in lines])

    def action_target(self, step: int) -> None:
        path = self.query_one(Input)
        same = path.value == self.suggested()
        self.target = NAMES[(NAMES.index(self.target) + step) % len(NAMES)]
        if same:
            path.value = self.suggested()
        self.say("")

    def action_scroll(self, lines: int) -> None:
        self.query_one(TextView).action_move(lines)

    @on(Input.Submitted)
    def write(self, event: Input.Submitted) -> None:
        if not event.value.strip():
            self.say("Type a file name first.")
            return
        path = Path(event.value.strip()).expanduser()
        if is_log(path):
            self.say(f"{one_line(str(path))} holds a recorded log, which is never written to.")
        elif path.exists() and self.agreed != str(path):
            self.agreed = str(path)
            self.say(f"{one_line(str(path))} exists. Press enter once more to replace it.")
        else:
            self.writes.ask(partial(attempt, path, self.text))

    def written(self, outcome: tuple[Path, str]) -> None:
        path, problem = outcome
        if problem:
            self.say(f"Could not write {one_line(str(path))}: {one_line(problem)}.")
            return
        self.app.notify(f"Written: {path}")
        self.dismiss()

    def say(self, text: str) -> None:
        self.query_one("#outcome", Static).update(text)


def attempt(path: Path, text: str) -> tuple[Path, str]:
    """Write the file, in a thread; gives back what went wrong, nothing when all is well."""
    try:
        write_whole(path, text)
    except OSError as error:
        return path, str(error)
    return path, ""
