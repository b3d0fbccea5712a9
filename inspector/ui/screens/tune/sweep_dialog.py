"""A dialog that asks for the grid of a sweep: the values to combine around a preset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.analysis.experiments import parse_axes, preset_grid
from inspector.core.text import one_line, plural
from inspector.engine.compression import Net, Preset, PresetError, Share
from inspector.engine.strategies import STRATEGIES
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.screens.tune.preset_rows import knobs_of
from inspector.ui.screens.tune.sweep_rows import duration
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.remark import Remark

_USUAL = "threshold=20000,30000,40000,60000,80000"
_USUAL_SHARES, _USUAL_NET = "threshold=30%,40%,60%,80%", "threshold=+10000,+20000,+40000,+80000"
_SHORT = {"keep_recent": "keep"}
_USUAL_VALUES = {"keep_recent": "5,10,20,40", "ratio": "0.1,0.3,0.5"}


class SweepDialog(Dialog[tuple[Preset, ...]]):
    """Asks for the values to combine, and shows the number of rows and the expected duration while the user types."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("sweep")
    AUTO_FOCUS = "#grid"

    def __init__(self, base: Preset, seconds: float) -> None:
        """Create the dialog for a preset; `seconds` is the expected time per row, 0 if unknown."""
        super().__init__()
        self.base = base
        self.seconds = seconds

    def compose(self) -> ComposeResult:
        names = ", ".join(dict.fromkeys(knob.name for knob in knobs_of(self.base)))
        with Vertical(id="dialog"):
            yield Static(f"Sweep around {one_line(self.base.name)}", classes="heading", markup=False)
            yield Static(f"Values to sweep, separated by spaces. Settings: {names}.", markup=False)
            yield Input(_suggestion(self.base), id="grid", select_on_focus=False)
            yield Remark()
            yield key_line("{open}: start   {back}: close")

    def on_mount(self) -> None:
        self.query_one(Input).cursor_position = 0  # the beginning with the setting's name has to be visible

    @on(Input.Changed)
    def show_about(self) -> None:
        try:
            count = len(self.presets())
        except PresetError as problem:
            self.say(str(problem))
            return
        about = f", about {duration(self.seconds * count)}" if self.seconds else ""
        self.say(f"{plural(count, 'row')}{about}.")

    @on(Input.Submitted)
    def submit(self) -> None:
        try:
            self.dismiss(self.presets())
        except PresetError as problem:
            self.say(str(problem))

    def presets(self) -> tuple[Preset, ...]:
        """Return all combinations of the typed values.

        Raises:
            PresetError: The typed text is not a valid grid.
        """
        values = parse_axes(self.query_one(Input).value.split())
        if not values:
            raise PresetError("Type a setting with its values, such as threshold=20000,40000.")
        return tuple(replace(preset, name=short_name(preset.name)) for preset in preset_grid([self.base], values))

    def say(self, text: str) -> None:
        self.query_one(Remark).say(text)


def _suggestion(base: Preset) -> str:
    """Return an initial grid for a preset."""
    names = [knob.name for knob in STRATEGIES[base.strategy].knobs]
    usual = {Share: _USUAL_SHARES, Net: _USUAL_NET}.get(type(base.threshold), _USUAL)
    return " ".join([usual, *(f"{name}={values}" for name, values in _USUAL_VALUES.items() if name in names)])


def short_name(name: str) -> str:
    """Return a shortened name for a preset of a grid, which fits into the table and is a valid preset name."""
    words = (word.partition("=")[::2] for word in name.split())
    return " ".join(part for key, value in words for part in _short_parts(key, value))


def _short_parts(key: str, value: str) -> Iterator[str]:
    if not value:
        yield key
    elif key == "threshold" and value.lstrip("+").isdecimal():
        yield f"{'+' if value.startswith('+') else ''}{int(value) / 1000:g}k"
    elif key == "threshold":
        yield value
    else:
        yield f"{_SHORT.get(key, key)} {value}"
