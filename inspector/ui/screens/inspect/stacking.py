"""The stack of plans: applying one, taking the newest off, and changing messages by hand."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual.binding import Binding, BindingType

from inspector.library import RefusedError, allowed
from inspector.ui.dialogs.layers import LayersScreen
from inspector.ui.screens.inspect.bench import BenchScreen
from inspector.ui.widgets.bars import mark_of
from inspector.ui.widgets.message_list import MessageList


class Stacking(BenchScreen):
    """The keys that change what the window is seen through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "apply", "Apply the plan"),
        Binding("u", "undo", "Undo the newest plan"),
        Binding("l", "layers", "Show the plans that are applied, one on top of the other"),
        Binding("p", "pin", "Pin or unpin the message"),
        Binding("d", "drop", "Drop the message by hand"),
    ]

    def action_apply(self) -> None:
        preview = self.preview
        if self.trial is None or preview is None or preview.plan is None:
            self.notify("There is nothing to apply yet: press s and pick a strategy.")
        elif preview.plan.strategy != self.trial.strategy or self.previews.running:
            self.notify("One moment: the plan is still being worked out.")
        elif not preview.plan.alters:
            self.notify("This plan changes nothing; turn a knob first.")
        elif self.put(preview.plan):
            self.notify(f"Applied: {mark_of(preview.before)}{preview.saved:,} tokens saved. u takes it back.")
            self.trial = None

    def action_undo(self) -> None:
        plan = self.plans.undo(self.agent)
        if plan is None:
            self.notify("Nothing has been applied, so there is nothing to undo.")
            return
        seen = "" if plan.turn <= self.turn else f", made at turn {plan.turn}"
        self.notify(f"Undone: {plan.strategy}{seen}")
        self.compute_anew()

    def action_layers(self) -> None:
        if not self.stack:
            self.notify("Nothing has been applied yet: press s to try a strategy, and a to apply it.")
        elif self.preview is not None:
            self.app.push_screen(LayersScreen(self.bench, self.preview.recorded, self.action_undo))

    def action_pin(self) -> None:
        message = self.query_one(MessageList).current
        if message is None or self.preview is None:
            return
        self.by_hand(message.id, "kept" if message.id in self.preview.before.pinned else "pinned")

    def action_drop(self) -> None:
        message = self.query_one(MessageList).current
        if message is not None:
            self.by_hand(message.id, "dropped")

    def by_hand(self, id: str, kind: Literal["pinned", "dropped", "kept"]) -> None:
        if self.preview is None or self.previews.running or id not in self.preview.before.ids:
            self.notify("One moment: the window is still being worked out.")
            return
        try:
            self.put(allowed(self.preview.before, (id,), kind))
        except RefusedError as problem:
            self.notify(str(problem), severity="warning")
