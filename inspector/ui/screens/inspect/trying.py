"""Trying a strategy on: picking it, turning and writing its knobs, and letting go of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from inspector.compression import PRESETS, Composition, StrategyChoice, choice_for, composition, is_words
from inspector.library import Preview
from inspector.ui.dialogs.picker import Effect, Pick, Picker
from inspector.ui.dialogs.save_preset import SavePreset
from inspector.ui.dialogs.stages import StagesScreen
from inspector.ui.dialogs.value import ValueScreen
from inspector.ui.screens.inspect.looking import Looking
from inspector.ui.screens.navigation import KNOB_KEYS
from inspector.ui.widgets.knobs import KnobPanel
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.message_list import MessageList
from inspector.ui.writing import name_of_model

_MESSAGE = 9
"""Lines at the side that the message under the cursor has at the least."""


class Trying(Looking):
    """The keys that change what would be done, and do nothing yet."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "strategy", "Pick a strategy or a preset"),
        *KNOB_KEYS,
        Binding("w", "save", "Keep what is tried as a preset"),
        Binding("escape", "back", "Stop trying, or back to the library"),
    ]

    def action_strategy(self) -> None:
        if self.preview is None:
            return
        current = self.trial.name if self.trial else ""
        begin = partial(choice_for, window=self.preview.before)
        picker = Picker(begin, self.effect(self.preview), current, name_of_model())
        self.app.push_screen(picker, self.try_on)

    def effect(self, now: Preview) -> Effect:
        """What a trial would do to the window that is shown now."""
        bench, turn, agent = self.bench, now.recorded.turn, now.recorded.agent
        return lambda trial: bench.preview(turn, agent, trial.strategy, trial.settings)

    def try_on(self, pick: Pick | None) -> None:
        """Begin with what was picked; None, from a picker that was closed, changes nothing."""
        if pick is not None and self.preview is not None:
            self.trial = choice_for(pick, self.preview.before)

    def action_try(self, name: str) -> None:
        """Begin with a strategy, or with one of the presets that come with the project, by its name."""
        self.try_on(PRESETS.get(name, name))

    def watch_trial(self, trial: StrategyChoice | None) -> None:
        for panel in self.query(KnobPanel):
            panel.trial = trial
        self.make_room()
        self.compute_anew()

    def make_room(self) -> None:
        """As many lines for the knobs as they want, and some for the message below them."""
        panel = self.query_one("#knobs", KnobPanel)
        lines = min(panel.lines_for(self.trial), max(6, self.query_one("#side").size.height - _MESSAGE))
        if panel.styles.height is None or panel.styles.height.value != lines:
            panel.styles.height = lines

    def action_knob(self, step: int) -> None:
        if self.trial:
            self.trial = self.trial.next_knob(step)
            self.query_one(MessageList).in_hand = False

    def action_turn_knob(self, steps: int) -> None:
        if self.trial is None:
            self.notify("Pick a strategy first: press s.")
        elif self.trial.current_knob is None:
            self.notify(f"{self.trial.strategy} has no knobs: a applies it, s picks another.")
        elif is_words(self.trial.current_knob):
            self.action_write_knob()
        else:
            self.trial = self.trial.turn_knob(steps)

    @on(KnobPanel.Turned)
    def turn_clicked_knob(self, event: KnobPanel.Turned) -> None:
        if self.trial:
            self.trial = replace(self.trial, knob=event.knob)
            if event.steps or is_words(self.trial.knobs[event.knob]):
                self.action_turn_knob(event.steps)

    def action_write_knob(self) -> None:
        """Ask for the value of the chosen knob in a line."""
        if self.trial is None or self.trial.current_knob is None:
            self.action_turn_knob(0)
            return
        knob = self.trial.current_knob
        if self.trial.composes:
            self.compose_stages(self.trial)
            return
        self.app.push_screen(ValueScreen(knob, self.trial.settings[knob.name]), self.take_value)

    def compose_stages(self, trial: StrategyChoice) -> None:
        """Put a pipeline together; every change is tried on at once."""
        if self.preview is not None:
            made = composition(trial.settings)
            self.app.push_screen(StagesScreen(self.preview, made, self.take_stages))

    def take_stages(self, made: Composition) -> None:
        if self.trial is not None:
            self.trial = self.trial.with_value("stages", made.text).with_value("target", made.target)

    def take_value(self, value: object) -> None:
        if value is not None and self.trial is not None and self.trial.current_knob is not None:
            self.trial = self.trial.with_value(self.trial.current_knob.name, value)

    def action_save(self) -> None:
        if self.trial is None:
            self.notify("There is nothing to keep yet: press s and pick a strategy.")
        else:
            self.app.push_screen(SavePreset(self.trial))

    @on(LineList.Opened, "#messages")
    def enter(self) -> None:
        """Write the knob that was chosen right before, where it is written; else read the message."""
        chosen = self.trial.current_knob if self.trial else None
        if chosen is not None and is_words(chosen) and not self.query_one(MessageList).in_hand:
            self.action_write_knob()
        else:
            self.read_message()

    async def action_back(self) -> None:
        if self.trial is not None:
            self.trial = None
        else:
            await self.run_action("app.mode('sessions')")
