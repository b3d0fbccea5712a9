"""Choose the preset that a session is replayed under: those that come with the project, none, and the person's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.compression import PRESETS, Preset
from inspector.replay import NONE, RECORDED
from inspector.text import one_line
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.dialogs.picker import all_presets
from inspector.ui.screens.replay.filming import describe
from inspector.ui.widgets.grouped import Choice, Group, GroupedList
from inspector.ui.widgets.lines import LineList
from inspector.ui.workers.latest import LatestOnly

_AROUND = 8


class ChoosePreset(Dialog[Preset | None]):
    """Gives back a preset, or None. `s` goes on to the next one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("s", "next", "The next one", show=False),
    ]
    AUTO_FOCUS = "#presets"

    def __init__(self, current: Preset, first: Iterable[Preset] = ()) -> None:
        """`first` are presets that only this session has: rows that were turned, the results of a sweep."""
        super().__init__()
        self.current = current
        self.first = tuple(first)
        self.reads: LatestOnly[tuple[list[Preset], str]] = LatestOnly(self, "presets", self.take)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Replay under which preset?", classes="heading")
            yield GroupedList[Preset](self.groups(PRESETS.values()), 17, id="presets")
            yield Static("enter replays   ↑↓ choose   esc closes", classes="hint")

    def on_mount(self) -> None:
        self.fit()
        self.query_one(GroupedList).go_to(one_line(self.current.name))
        self.reads.ask(all_presets)

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        names = self.query_one(GroupedList)
        names.styles.height = max(3, min(names.count, self.app.size.height * 9 // 10 - _AROUND))

    def groups(self, presets: Iterable[Preset]) -> list[Group[Preset]]:
        ways = Group("as it was", "nothing is simulated", "primary", tuple(map(_choice, (RECORDED, NONE))))
        groups = [ways, Group("presets", "what they would have done", "primary", tuple(map(_choice, presets)))]
        here = Group("only here", "tried in Tune, not saved", "warning", tuple(map(_choice, self.first)))
        return [*groups, here] if self.first else groups

    def take(self, found: tuple[list[Preset], str]) -> None:
        presets, problem = found
        if problem:
            self.notify(problem, severity="warning")
        names = self.query_one(GroupedList)
        here = names.current.name if names.current else ""
        names.show(self.groups(presets), here)
        self.fit()

    def action_next(self) -> None:
        self.query_one(GroupedList).action_move(1)

    @on(LineList.Opened)
    def choose(self) -> None:
        if chosen := self.query_one(GroupedList).current:
            self.dismiss(chosen.value)


def _choice(preset: Preset) -> Choice[Preset]:
    return Choice(one_line(preset.name), one_line(describe(preset)), preset)
