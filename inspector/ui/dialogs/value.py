"""Write the value of one knob in a line."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.strategies import Knob
from inspector.ui.dialogs.overlay import Dialog


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
    def take(self, event: Input.Submitted) -> None:
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
