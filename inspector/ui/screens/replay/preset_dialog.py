"""The dialog that chooses the preset of a replay: recorded, none, a built-in preset or one of the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.analysis.replay import NONE, RECORDED
from inspector.core.text import one_line
from inspector.engine.compression import BUILT_IN, Preset
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.dialogs.picker import list_presets
from inspector.ui.screens.replay.progress import preset_summary
from inspector.ui.widgets.grouped import Group, GroupChoice, GroupedList
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.lines import LineList
from inspector.ui.workers.latest import LatestOnly

_AROUND = 8


class PresetDialog(Dialog[Preset | None]):
    """Dismissed with a preset, or with None. `s` moves to the next one."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("preset_choice")
    AUTO_FOCUS = "#presets"

    def __init__(self, current: Preset) -> None:
        super().__init__()
        self.current = current
        self.reads: LatestOnly[tuple[list[Preset], str]] = LatestOnly(self, "presets", self.set_presets)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Choose a preset", classes="heading")
            yield GroupedList[Preset](self.groups(BUILT_IN.values()), 17, id="presets")
            yield key_line("{open}: replay   ↑↓: choose   {back}: close")

    def on_mount(self) -> None:
        self.fit()
        self.names.go_to(one_line(self.current.name))
        self.reads.ask(list_presets)

    def on_resize(self) -> None:
        self.fit()

    @property
    def names(self) -> GroupedList[Preset]:
        return self.query_one(GroupedList)

    def fit(self) -> None:
        names = self.names
        names.styles.height = max(3, min(names.count, self.app.size.height * 9 // 10 - _AROUND))

    def groups(self, presets: Iterable[Preset]) -> list[Group[Preset]]:
        unsimulated = Group("as recorded", "without simulation", "primary", tuple(map(_choice, (RECORDED, NONE))))
        return [unsimulated, Group("presets", "simulated", "primary", tuple(map(_choice, presets)))]

    def set_presets(self, outcome: tuple[list[Preset], str]) -> None:
        presets, problem = outcome
        if problem:
            self.notify(problem, severity="warning")
        names = self.names
        here = names.current.name if names.current else ""
        names.show(self.groups(presets), here)
        self.fit()

    def action_next(self) -> None:
        self.names.action_move(1)

    @on(LineList.Opened)
    def choose(self) -> None:
        if (choice := self.names.current) is not None:
            self.dismiss(choice.value)


def _choice(preset: Preset) -> GroupChoice[Preset]:
    return GroupChoice(one_line(preset.name), one_line(preset_summary(preset)), preset)
