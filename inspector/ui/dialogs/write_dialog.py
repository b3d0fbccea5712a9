"""Base class of dialogs that write a file or preset. Replacing an existing one needs a separate key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

from inspector.core.text import is_stream, one_line
from inspector.library import Outputs
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.key_remaps import key_of
from inspector.ui.palette import Palette
from inspector.ui.widgets.remark import Remark
from inspector.ui.workers.latest import LatestOnly


@dataclass(frozen=True, slots=True)
class WriteOutcome:
    """Result of an attempt to write `name`, as a sentence."""

    name: str
    sentence: str
    is_written: bool = False
    asks: bool = False
    """True if it would be written after the user's confirmation."""


MakeTexts = Callable[[Path], Mapping[Path, str]]
"""Returns the texts to write by file, for the path that was typed. The first file has that path."""
Write = Callable[[bool], WriteOutcome]
"""Writes in a thread. Existing files are replaced only if it is called with True."""


class WriteDialog(ModalScreen[None], Overlay[None]):
    """A dialog in which pressing enter in an `Input` writes.

    Subclasses compose a `Remark`. `target` names the file or preset, and `prepare` returns the
    function that writes it.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings("write")

    def __init__(self) -> None:
        super().__init__()
        self.obstacle = ""
        """Name of an existing file or preset that ctrl+r would replace; empty for none."""
        self.writes: LatestOnly[WriteOutcome] = LatestOnly(self, "write", self.show_outcome)

    @property
    def target(self) -> str:
        """Name of the file or preset that would be written now."""
        raise NotImplementedError

    def prepare(self) -> Write | None:
        """Return the function that writes, or None after reporting missing input."""
        raise NotImplementedError

    @on(Input.Submitted)
    def submit(self) -> None:
        self.write(agreed=False)

    def action_replace(self) -> None:
        """Replace the existing file or preset. A separate key, because enter can be pressed twice or repeat."""
        if self.obstacle and self.obstacle == self.target:
            self.write(agreed=True)

    def write(self, agreed: bool) -> None:
        write = self.prepare()
        if write is not None:
            self.writes.ask(partial(write, agreed))

    def show_outcome(self, outcome: WriteOutcome) -> None:
        if outcome.is_written:
            self.app.notify(outcome.sentence)
            self.dismiss(None)
            return
        self.obstacle = outcome.name if outcome.asks else self.obstacle
        ask = f" {key_of('replace')}: replace it." if outcome.asks else ""
        self.say(f"{outcome.sentence}{ask}")

    def say(self, text: str) -> None:
        self.query_one(Remark).say(text)


def folder_hint() -> str:
    """Return a hint that names the folder for file names without a path."""
    return f"in {one_line(str(Path.cwd()))}, or type another path"


def names_line(names: Iterable[str], current: str, dialog: WriteDialog) -> Text:
    """Return the names that a dialog cycles through, with the current one highlighted.

    Args:
        names: Names in their order.
        current: Name to highlight.
        dialog: Dialog whose theme is used.
    """
    palette, line = Palette(dialog.app.theme_variables), Text()
    for name in names:
        line.append(name, palette.ink("primary", bold=True) if name == current else palette.dim)
        line.append("  ")
    return line


class PathInput(Input):
    """Input for a file name. It follows the suggestion until the user types another name."""

    def __init__(self, suggestion: str) -> None:
        super().__init__(suggestion, id="path")
        self.suggestion = suggestion

    @property
    def path(self) -> Path | None:
        """Path that was typed; None if the input is empty."""
        name = self.value.strip()
        return Path(name).expanduser() if name else None

    def suggest(self, suggestion: str) -> None:
        if self.value == self.suggestion:
            self.value = suggestion
            self.select_all()
        self.suggestion = suggestion


class FileWriter:
    """Writes the file that a dialog's `PathInput` names.

    `source` is the path of the recording that the text comes from, which is never written to; empty for none.
    """

    def __init__(self, dialog: WriteDialog, source: str = "") -> None:
        self.dialog = dialog
        self.source = source

    @property
    def path(self) -> Path | None:
        return self.dialog.query_one(PathInput).path

    @property
    def target(self) -> str:
        return str(self.path or "")

    def prepare(self, make: MakeTexts) -> Write | None:
        """Return the function that writes the texts of `make`, which runs in a thread and can raise ValueError."""
        path = self.path
        if path is None:
            self.dialog.say("Type a file name first.")
            return None
        outputs: Outputs = self.dialog.app.outputs  # type: ignore[attr-defined]  # `InspectorApp` has outputs
        return partial(_write_file, outputs, path, self.source, make)


def _write_file(outputs: Outputs, path: Path, source: str, make: MakeTexts, agreed: bool) -> WriteOutcome:
    """Write a file and its companion. Runs in a thread; existing files are replaced only if the user has `agreed`."""
    name = one_line(str(path))
    try:
        if is_stream(path):
            return WriteOutcome(str(path), f"{name} was not written: it is not a regular file.")
        texts = make(path)
        obstacles = [obstacle for file in texts if (obstacle := outputs.obstacle(file, source))]
        for obstacle in sorted(obstacles, key=attrgetter("final"), reverse=True):
            if obstacle.final:
                return WriteOutcome(str(path), f"{name} was not written: {one_line(obstacle.text)}.")
            if not agreed:
                return WriteOutcome(str(path), f"{one_line(obstacle.text)}.", asks=True)
        with outputs.write_all(texts, replace=agreed):
            pass
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        return WriteOutcome(str(path), f"{name} was not written: {one_line(problem)}.")
    return WriteOutcome(str(path), f"Written: {' and '.join(map(str, texts))}", is_written=True)
