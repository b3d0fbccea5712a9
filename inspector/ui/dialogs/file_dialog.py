"""A dialog that ends with a file being written: the name is proposed, and no other file is replaced unasked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from inspector.library import Outputs
from inspector.text import is_stream, one_line
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.workers.latest import LatestOnly


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attempt to write a file."""

    path: Path
    problem: str = ""
    """Why it was not written, as a clause; empty when it was."""
    asks: bool = False
    """Whether it would be written if the person said so."""


class FileDialog(Dialog[None]):
    """Composes an `Input` with the id "path" and a `Static` with the id "outcome"; `making` gives what is written."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r", "replace", "Replace the file", show=False)]
    AUTO_FOCUS: ClassVar[str] = "#path"

    def __init__(self, source: str = "") -> None:
        """`source` is the recording that the text is made of, if any: it is never written to."""
        super().__init__()
        self.source = source
        self.asked = ""
        """The file that the person has been asked about."""
        self.writes: LatestOnly[Outcome] = LatestOnly(self, "export", self.written)

    def suggested(self) -> str:
        """The name of the file, as it is proposed."""
        raise NotImplementedError

    def making(self) -> Callable[[], str]:
        """What makes the text, to be called in a thread; it may raise ValueError."""
        raise NotImplementedError

    @contextmanager
    def renaming(self) -> Iterator[None]:
        """While what the proposed name depends on is changed: the name follows, unless the person has typed one."""
        path = self.query_one("#path", Input)
        same = path.value == self.suggested()
        yield
        if same:
            path.value = self.suggested()

    @on(Input.Submitted, "#path")
    def write(self, event: Input.Submitted) -> None:
        if not event.value.strip():
            self.say("Type a file name first.")
            return
        self.begin(Path(event.value.strip()).expanduser(), agreed=False)

    def action_replace(self) -> None:
        """Replace the file that was asked about. A key of its own: enter may be held down, or pressed twice."""
        path = Path(self.query_one("#path", Input).value.strip()).expanduser()
        if self.asked == str(path):
            self.begin(path, agreed=True)

    def begin(self, path: Path, agreed: bool) -> None:
        outputs: Outputs = self.app.outputs  # type: ignore[attr-defined]  # the app of this program has them
        self.writes.ask(partial(_attempt, outputs, path, self.source, agreed, self.making()))

    def written(self, outcome: Outcome) -> None:
        name = one_line(str(outcome.path))
        if outcome.asks:
            self.asked = str(outcome.path)
            self.say(f"{one_line(outcome.problem)}. ctrl+r replaces it.")
        elif outcome.problem:
            self.say(f"{name} was not written: {one_line(outcome.problem)}.")
        else:
            self.app.notify(f"Written: {outcome.path}")
            self.dismiss()

    def say(self, text: str) -> None:
        self.query_one("#outcome", Static).update(text)


def _attempt(outputs: Outputs, path: Path, source: str, agreed: bool, make: Callable[[], str]) -> Outcome:
    """Write a file, in a thread. What is there already is replaced only when the person has `agreed` to it."""
    try:
        if is_stream(path):
            return Outcome(path, "it is no regular file")
        obstacle = outputs.obstacle(path, source)
        if obstacle and (obstacle.final or not agreed):
            return Outcome(path, obstacle.text, asks=not obstacle.final)
        with outputs.written(path, make(), replace=agreed):
            pass
    except (OSError, ValueError) as error:
        return Outcome(path, getattr(error, "strerror", None) or str(error))
    return Outcome(path)
