"""A dialog to choose from groups of lines: what is typed filters them, the arrows go through them all the while."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.widgets.grouped import Group, GroupedList
from inspector.ui.widgets.lines import LineList

T = TypeVar("T")
_AROUND = 8
"""Lines of the dialog that are not the list."""


class ChoiceDialog(ModalScreen[T | None], Overlay[T | None]):
    """Gives back the value of the choice that was entered or clicked, None where the dialog was closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "move(-8)", "Further up", show=False),
        Binding("pagedown", "move(8)", "Further down", show=False),
    ]
    AUTO_FOCUS = "#filter"
    heading = ""
    hint = "enter chooses   ↑↓ move   esc closes"
    name_width = 17

    def groups(self) -> Sequence[Group[T]]:
        """What there is to choose from at first."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="choice"):
            with Horizontal(id="choice-head"):
                yield Static(self.heading, classes="heading")
                yield Input(placeholder="type to filter", id="filter")
            yield GroupedList[T](self.groups(), self.name_width, id="choices")
            yield from self.below()
            yield Static(self.hint, classes="hint")

    def below(self) -> Sequence[Widget]:
        """What stands between the list and the hint."""
        return ()

    @property
    def choices(self) -> GroupedList[T]:
        return self.query_one("#choices", GroupedList)

    def start(self) -> str:
        """The name of the choice that the cursor begins on; the first choice where none is called so."""
        return ""

    def on_mount(self) -> None:
        self.fit()
        self.choices.go_to(self.start())

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        """As high as the list of everything, or as the screen allows; the same while it is filtered."""
        groups = [group for group in self.choices.groups if group.choices]
        lines = sum(len(group.choices) + 2 for group in groups) - 1
        self.choices.styles.height = max(3, min(lines, self.app.size.height * 9 // 10 - self.around()))

    def around(self) -> int:
        return _AROUND

    @on(Input.Changed, "#filter")
    def filter(self, event: Input.Changed) -> None:
        self.choices.filter(event.value)

    def action_move(self, lines: int) -> None:
        self.choices.action_move(lines)

    @on(Input.Submitted, "#filter")
    @on(LineList.Opened)
    def choose(self) -> None:
        choice = self.choices.current
        if choice is not None:
            self.dismiss(choice.value)
