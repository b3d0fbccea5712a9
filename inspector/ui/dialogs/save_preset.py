"""A dialog that saves the current trial as a preset of the user."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from inspector.core.text import one_line
from inspector.engine.compression import (
    BUILT_IN,
    Preset,
    PresetError,
    StrategyChoice,
    load,
    own_path,
    parse_threshold,
    save,
    threshold_text,
    value_text,
)
from inspector.ui.dialogs.write_dialog import Write, WriteDialog, WriteOutcome
from inspector.ui.key_remaps import with_keys
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.remark import Remark


class SavePreset(WriteDialog):
    """Asks for a name and a threshold. Replacing an existing preset needs a separate key."""

    AUTO_FOCUS = "#name"

    def __init__(self, trial: StrategyChoice) -> None:
        super().__init__()
        self.trial = trial

    def compose(self) -> ComposeResult:
        own = self.trial.preset.name if self.trial.preset else ""
        with Vertical(id="dialog"):
            yield Static("Save as a preset", classes="heading")
            yield Static(_settings_line(self.trial), id="about", markup=False)
            with Horizontal(classes="field"):
                yield Static("name")
                yield Input("" if own in BUILT_IN else own, id="name")
            with Horizontal(classes="field"):
                yield Static("compress above")
                preset = self.trial.preset
                yield Input(threshold_text(preset.threshold if preset else self.trial.threshold), id="threshold")
                yield Static("tokens or %")
            yield Remark()
            yield key_line("tab: next field   {open}: save   {back}: close")

    @property
    def target(self) -> str:
        return self.query_one("#name", Input).value.strip()

    def prepare(self) -> Write | None:
        if not self.target:
            self.say("Type a name first.")
            self.query_one("#name").focus()
            return None
        try:
            threshold = parse_threshold(self.query_one("#threshold", Input).value)
        except ValueError:
            self.say("Threshold: a token count (40,000), 60%, or +20,000.")
            self.query_one("#threshold").focus()
            return None
        return partial(_save_preset, self.trial.as_preset(self.target, threshold))


def _save_preset(preset: Preset, agreed: bool) -> WriteOutcome:
    """Save a preset. Runs in a thread; a preset of the same name is replaced only if the user has `agreed`."""
    try:
        if not agreed and preset.name in load():
            return WriteOutcome(preset.name, f"A preset {preset.name} already exists.", asks=True)
        save(preset)
    except PresetError as problem:
        return WriteOutcome(preset.name, str(problem))
    sentence = with_keys("Saved as {name} in {file}. {strategy} offers it.", name=preset.name, file=own_path())
    return WriteOutcome(preset.name, sentence, is_written=True)


def _settings_line(trial: StrategyChoice) -> str:
    values = (f"{name} {one_line(value_text(value))}" for name, value in trial.settings.items())
    return "   ".join([trial.strategy, *values])
