"""A dialog to choose from groups of lines: typing filters them while the arrow keys keep moving the cursor.

`ValueScreen` asks for the value of one knob.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.filter import LineFilter
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector.engine.strategies import Knob
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog, Overlay, filters_behind
from inspector.ui.widgets.grouped import Group, GroupedList
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.remark import Remark

T = TypeVar("T")
_AROUND = 8
"""Lines of the dialog that do not belong to the list."""


class ChoiceDialog(ModalScreen[T | None], Overlay[T | None]):
    """Dismissed with the value of the chosen or clicked line, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("choice")
    AUTO_FOCUS = "#filter"
    heading = ""
    hint = "{open}: choose   ↑↓: move   {back}: close"
    name_width = 17

    def get_line_filters(self) -> list[LineFilter]:
        return filters_behind(super().get_line_filters())

    def groups(self) -> Sequence[Group[T]]:
        """Return the choices to show at first."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="choice"):
            with Horizontal(id="choice-head"):
                yield Static(self.heading, classes="heading")
                yield Input(placeholder="type to filter", id="filter")
            yield GroupedList[T](self.groups(), self.name_width, id="choices")
            yield from self.below()
            yield key_line(self.hint)

    def below(self) -> Sequence[Widget]:
        """Return the widgets between the list and the hint."""
        return ()

    @property
    def choices(self) -> GroupedList[T]:
        return self.query_one("#choices", GroupedList)

    def start(self) -> str:
        """Return the name of the choice that the cursor starts on. An unknown name selects the first choice."""
        return ""

    def on_mount(self) -> None:
        self.fit()
        self.choices.go_to(self.start())

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Size the list to all choices, up to the height of the screen. Filtering does not change the height."""
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
    """Dismissed with a value that the knob accepts, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("value")
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
            yield Remark()
            yield key_line("{open}: OK   {back}: cancel")

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        try:
            self.dismiss(self.knob.parse(event.value.strip()))
        except ValueError as problem:
            self.query_one(Remark).say(_sentence(str(problem), self.knob.name))


def _knob_help(knob: Knob) -> str:
    """Return the knob's meaning and its valid values."""
    if knob.choices:
        return f"{knob.doc} One of {', '.join(knob.choices)}."
    if knob.high > knob.low:
        return f"{knob.doc} From {_number_text(knob.low)} to {_number_text(knob.high)}."
    return knob.doc


def _number_text(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def _sentence(problem: str, name: str) -> str:
    """Return a problem as a sentence with a capital letter, unless it begins with the setting's name."""
    return f"{problem}." if problem.startswith(name) else f"{problem[:1].upper()}{problem[1:]}."
