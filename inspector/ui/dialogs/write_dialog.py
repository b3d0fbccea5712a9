"""Dialogs that end with something being written: what is there already is replaced only with a key of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.core.text import is_stream, one_line
from inspector.library import Outputs
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.palette import Palette
from inspector.ui.workers.latest import LatestOnly


@dataclass(frozen=True, slots=True)
class WriteOutcome:
    """The result of an attempt to write `name`, as a sentence."""

    name: str
    sentence: str
    is_written: bool = False
    asks: bool = False
    """Whether it would be written if the person said so."""


MakeTexts = Callable[[Path], Mapping[Path, str]]
"""The texts that are written, by their files, for the name that was typed: the first of them stands there."""
Write = Callable[[bool], WriteOutcome]
"""Writes, in a thread; what is there already is replaced only where it is called with True."""


class WriteDialog(ModalScreen[None], Overlay[None]):
    """Composes a `Static` with the id "outcome"; enter in an `Input` writes.

    `target` names what would be written, `prepare` gives the function that does it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("ctrl+r", "replace", "Replace what is there", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.obstacle = ""
        """The name of an existing file or preset that ctrl+r would replace; empty without one."""
        self.writes: LatestOnly[WriteOutcome] = LatestOnly(self, "write", self.show_outcome)

    @property
    def target(self) -> str:
        """The name of what would be written now."""
        raise NotImplementedError

    def prepare(self) -> Write | None:
        """The function that writes; None, and said why, where something is missing."""
        raise NotImplementedError

    @on(Input.Submitted)
    def submit(self) -> None:
        self.write(agreed=False)

    def action_replace(self) -> None:
        """Replace what was asked about. A key of its own: enter may be held down, or pressed twice."""
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
        self.say(f"{outcome.sentence} ctrl+r replaces it." if outcome.asks else outcome.sentence)

    def say(self, text: str) -> None:
        self.query_one("#outcome", Static).update(one_line(text))


def folder_hint() -> str:
    """Where a file goes whose name says no more."""
    return f"into {one_line(str(Path.cwd()))}, or type another path"


def names_line(names: Iterable[str], current: str, dialog: WriteDialog) -> Text:
    """The names that a dialog goes through, with the current one set apart."""
    palette, line = Palette(dialog.app.theme_variables), Text()
    for name in names:
        line.append(name, palette.ink("primary", bold=True) if name == current else palette.dim)
        line.append("  ")
    return line


class PathInput(Input):
    """The name of a file. It follows what is proposed, unless the person has typed another one."""

    def __init__(self, suggestion: str) -> None:
        super().__init__(suggestion, id="path")
        self.suggestion = suggestion

    @property
    def path(self) -> Path | None:
        """None where nothing is typed."""
        name = self.value.strip()
        return Path(name).expanduser() if name else None

    def suggest(self, suggestion: str) -> None:
        if self.value == self.suggestion:
            self.value = suggestion
        self.suggestion = suggestion


class FileWriter:
    """Writes the file that a dialog's `PathInput` names.

    `source` is the recording that the text is made of, if any: it is never written to.
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
        """The function that writes what `make` gives, which is called in a thread and may raise ValueError."""
        path = self.path
        if path is None:
            self.dialog.say("Type a file name first.")
            return None
        outputs: Outputs = self.dialog.app.outputs  # type: ignore[attr-defined]  # the app of this program has them
        return partial(_write_file, outputs, path, self.source, make)


def _write_file(outputs: Outputs, path: Path, source: str, make: MakeTexts, agreed: bool) -> WriteOutcome:
    """Write a file and those beside it, in a thread; over what is there already only when the person has `agreed`."""
    name = one_line(str(path))
    try:
        if is_stream(path):
            return WriteOutcome(str(path), f"{name} was not written: it is no regular file.")
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
