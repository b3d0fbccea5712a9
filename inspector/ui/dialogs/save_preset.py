"""Keep what is being tried as a preset of the person's own."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from inspector.compression import PRESETS, Preset, PresetError, StrategyChoice, load, own_path, save, value_text
from inspector.text import one_line
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.workers.latest import LatestOnly


class SavePreset(Dialog[None]):
    """Asks for a name and for the size from which on to compress. Replaces a preset only with a key of its own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("ctrl+r", "replace", "Replace the preset", show=False),
    ]
    AUTO_FOCUS = "#name"

    def __init__(self, trial: StrategyChoice) -> None:
        super().__init__()
        self.trial = trial
        self.asked = ""
        """The name of the preset that the person has been asked about."""
        self.saves: LatestOnly[tuple[Preset, str, bool]] = LatestOnly(self, "preset", self.saved)

    def compose(self) -> ComposeResult:
        own = self.trial.preset.name if self.trial.preset else ""
        with Vertical(id="dialog"):
            yield Static("Keep this as a preset", classes="heading")
            yield Static(_about(self.trial), id="about", markup=False)
            with Horizontal(classes="field"):
                yield Static("name")
                yield Input("" if own in PRESETS else own, id="name")
            with Horizontal(classes="field"):
                yield Static("compress above")
                yield Input(f"{self.trial.threshold:,}", id="threshold")
                yield Static("tokens")
            yield Static(id="outcome", markup=False)
            yield Static("tab the other line   enter saves   esc closes", classes="hint")

    @on(Input.Submitted)
    def submit(self) -> None:
        self.begin(agreed=False)

    def action_replace(self) -> None:
        """Replace the preset that was asked about. A key of its own: enter may be held down, or pressed twice."""
        if self.asked and self.asked == self.query_one("#name", Input).value.strip():
            self.begin(agreed=True)

    def begin(self, agreed: bool) -> None:
        name = self.query_one("#name", Input).value.strip()
        if not name:
            self.say("Type a name first.")
            self.query_one("#name").focus()
            return
        threshold = self.query_one("#threshold", Input).value.replace(",", "").replace("_", "").strip()
        if not threshold.isdecimal() or not int(threshold):
            self.say("The size from which on to compress is a number of tokens, such as 40,000.")
            self.query_one("#threshold").focus()
            return
        preset = self.trial.as_preset(name, int(threshold))
        self.saves.ask(partial(_attempt, preset, agreed))

    def saved(self, outcome: tuple[Preset, str, bool]) -> None:
        preset, problem, taken = outcome
        if taken:
            self.asked = preset.name
            self.say(f"There is a preset {one_line(preset.name)} already. ctrl+r replaces it.")
        elif problem:
            self.say(problem)
        else:
            self.app.notify(f"Saved as {preset.name}: s offers it from now on. It stands in {own_path()}.")
            self.dismiss(None)

    def say(self, text: str) -> None:
        self.query_one("#outcome", Static).update(one_line(text))


def _attempt(preset: Preset, agreed: bool) -> tuple[Preset, str, bool]:
    """Save a preset, in a thread; gives back what went wrong, and whether the name is taken and nobody has agreed."""
    try:
        if not agreed and preset.name in load():
            return preset, "", True
        save(preset)
    except PresetError as problem:
        return preset, str(problem), False
    return preset, "", False


def _about(trial: StrategyChoice) -> str:
    values = (f"{name} {one_line(value_text(value))}" for name, value in trial.settings.items())
    return "   ".join([trial.strategy, *values])
