"""What a provider would refuse this window for, and what of the file could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.conversation import Problem
from inspector.ui.reading import Line, wrap
from inspector.ui.widgets.text_view import TextView
from inspector.workbench import Preview


class ProblemsScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,exclamation_mark", "dismiss", "Close")]
    AUTO_FOCUS = "#text"

    def __init__(self, preview: Preview) -> None:
        super().__init__()
        self.preview = preview

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="tall"):
            yield Static("Problems", classes="heading")
            yield TextView(id="text")
            yield Static("↑↓ scroll   esc closes", classes="hint")

    def on_mount(self) -> None:
        self.call_after_refresh(self.read)

    def on_resize(self) -> None:
        self.call_after_refresh(self.read)

    def read(self) -> None:
        view = self.query_one(TextView)
        view.show(list(problem_lines(self.preview, max(20, view.size.width - 2))))


def problem_lines(preview: Preview, width: int) -> Iterator[Line]:
    session = preview.recorded.session
    if preview.problems:
        yield Line("A provider would refuse this window", "heading")
        yield from told(preview.problems, width)
        yield Line("Trying any strategy mends this; so does exporting.", "dim")
        yield Line("")
    if session.problems:
        yield Line("Parts of the file could not be read", "heading")
        yield from wrap(session.path, width, "dim")
        yield from told(session.problems, width)


def told(problems: tuple[Problem, ...], width: int) -> Iterator[Line]:
    for problem in problems:
        yield from wrap(f"- {problem}", width)
