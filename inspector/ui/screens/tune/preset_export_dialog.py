"""A dialog that exports a preset for another program, as settings or as code for a framework, after a preview."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.export import TARGETS, export_text
from inspector.core.text import one_line, slug, visible
from inspector.engine.compression import Preset, Scale
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.write_dialog import FileWriter, PathInput, Write, WriteDialog, folder_hint, names_line
from inspector.ui.key_remaps import with_keys
from inspector.ui.message_lines import Line
from inspector.ui.widgets.remark import Remark
from inspector.ui.widgets.text_view import TextView

_NAMES = tuple(TARGETS)
_ENDINGS = {"env": ".sh", "aloop": ".config", "toml": ".toml"}


class ExportPreset(WriteDialog):
    """Shows the text to write. Existing files are never overwritten without asking."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("preset_export")

    AUTO_FOCUS = "#path"

    framework: reactive[str] = reactive(_NAMES[0], init=False, repaint=False)

    def __init__(self, preset: Preset, scale: Scale | None = None) -> None:
        """Create the dialog for a preset; `scale` is that of the open session."""
        super().__init__()
        self.preset = preset
        self.scale = scale
        self.text = ""
        self.file = FileWriter(self)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(f"Export {one_line(self.preset.name)}", classes="heading", markup=False)
            yield Static(id="provider", markup=False)
            yield TextView(id="text")
            yield PathInput(self.suggestion())
            yield Remark()
            yield Static(folder_hint(), classes="hint", markup=False)
            yield Static(
                with_keys("{switch_view}: next framework   {open}: write the file   {back}: close"),
                classes="hint",
                markup=False,
            )

    def on_mount(self) -> None:
        self.watch_framework()

    def suggestion(self) -> str:
        return f"{slug(self.preset.name)}-{self.framework}{_ENDINGS.get(self.framework, '.py')}"

    @property
    def target(self) -> str:
        return self.file.target

    def prepare(self) -> Write | None:
        text = self.text
        return self.file.prepare(lambda path: {path: text})

    def watch_framework(self) -> None:
        names = names_line(_NAMES, self.framework, self)
        self.query_one("#provider", Static).update(Text.assemble(names, "\n", TARGETS[self.framework].about))
        self.text = export_text(self.preset, self.framework, self.scale)
        lines = visible(self.text).rstrip("\n").split("\n")
        view = self.query_one(TextView)
        view.styles.height = len(lines)
        view.show([Line(line, "dim" if line.startswith("#") else "text") for line in lines])

    def action_target(self, step: int) -> None:
        self.framework = _NAMES[(_NAMES.index(self.framework) + step) % len(_NAMES)]
        self.query_one(PathInput).suggest(self.suggestion())
        self.say("")

    def action_scroll(self, lines: int) -> None:
        self.query_one(TextView).action_move(lines)
