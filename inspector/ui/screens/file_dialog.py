"""A dialog that ends with a file being written: the name is proposed, and no other file is replaced unasked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.widgets import Input, Static

from inspector.files import write_whole
from inspector.formats import is_log
from inspector.ui.latest import Latest
from inspector.ui.screens.overlay import Dialog
from inspector.visible import one_line


class FileDialog(Dialog[None]):
    """Composes an `Input` with the id "path" and a `Static` with the id "outcome"; `making` gives what is written."""

    AUTO_FOCUS: ClassVar[str] = "#path"

    def __init__(self) -> None:
        super().__init__()
        self.agreed = ""
        """The file that the person has been asked about."""
        self.writes: Latest[tuple[Path, str]] = Latest(self, "export", self.written)

    def suggested(self) -> str:
        """The name of the file, as it is proposed."""
        raise NotImplementedError

    def making(self) -> Callable[[], str]:
        """What makes the text, to be called in a thread; it may raise ValueError."""
        raise NotImplementedError

    def refusal(self, path: Path) -> str:
        """Why this file may not be written, in a sentence; empty where it may."""
        return f"{one_line(str(path))} holds a recorded log, which is never written to." if is_log(path) else ""

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
        path = Path(event.value.strip()).expanduser()
        if refusal := self.refusal(path):
            self.say(refusal)
        elif path.exists() and self.agreed != str(path):
            self.agreed = str(path)
            self.say(f"{one_line(str(path))} exists. Press enter once more to replace it.")
        else:
            self.writes.ask(partial(attempt, path, self.making()))

    def written(self, outcome: tuple[Path, str]) -> None:
        path, problem = outcome
        if problem:
            self.say(f"Could not write {one_line(str(path))}: {one_line(problem)}.")
            return
        self.app.notify(f"Written: {path}")
        self.dismiss()

    def say(self, text: str) -> None:
        self.query_one("#outcome", Static).update(text)


def attempt(path: Path, make: Callable[[], str]) -> tuple[Path, str]:
    """Write a file, in a thread; gives back what went wrong, nothing when all is well."""
    try:
        write_whole(path, make())
    except (OSError, ValueError) as error:
        return path, str(error)
    return path, ""
