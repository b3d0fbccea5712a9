"""A dialog to choose from groups of lines: what is typed filters them, the arrows go through them all the while.

`Value` asks for the value of one knob in a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.filter import LineFilter
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector.engine.strategies import Knob
from inspector.ui.dialogs.overlay import Dialog, Overlay, filters_behind
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

    def get_line_filters(self) -> list[LineFilter]:
        return filters_behind(super().get_line_filters())

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


class ValueScreen(Dialog[Any]):
    """Gives back a value that fits the knob, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]
    AUTO_FOCUS = "#value"

    def __init__(self, knob: Knob, value: Any) -> None:
        super().__init__()
        self.knob = knob
        self.value = value

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(self.knob.name, classes="heading", markup=False)
            yield Static(_knob_help(self.knob), id="about", markup=False)
            yield Input(str(self.value), id="value")
            yield Static(id="outcome", markup=False)
            yield Static("enter takes it   esc leaves it as it was", classes="hint")

    @on(Input.Submitted)
    def show_result(self, event: Input.Submitted) -> None:
        try:
            self.dismiss(self.knob.parse(event.value.strip()))
        except ValueError as problem:
            self.query_one("#outcome", Static).update(_sentence(str(problem), self.knob.name))


def _knob_help(knob: Knob) -> str:
    """What the knob means, and what may be written."""
    if knob.choices:
        return f"{knob.doc} One of {', '.join(knob.choices)}."
    if knob.high > knob.low:
        return f"{knob.doc} From {_number_text(knob.low)} to {_number_text(knob.high)}."
    return knob.doc


def _number_text(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def _sentence(problem: str, name: str) -> str:
    """What is wrong, with a capital and a full stop; a setting's name stays as it is written."""
    return f"{problem}." if problem.startswith(name) else f"{problem[:1].upper()}{problem[1:]}."
