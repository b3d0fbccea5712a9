"""Moving through a replay: by hand, by itself at some speed, from mark to mark."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.timer import Timer

from inspector.ui.screens.replay.stage import Stage
from inspector.ui.widgets.area import Area

SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""Turns in a second."""
_USUAL = 3
_PICTURES = 20
"""Pictures in a second at the most; at higher speeds each goes several turns on."""


class Playing(Stage):
    """The keys that choose the turn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play, pause"),
        Binding("plus,equals_sign", "speed(1)", "Play faster"),
        Binding("minus", "speed(-1)", "Play slower"),
        Binding("left", "turn(-1)", "One turn back"),
        Binding("right", "turn(1)", "One turn on"),
        Binding("shift+left", "turn(-10)", "Ten turns back"),
        Binding("shift+right", "turn(10)", "Ten turns on"),
        Binding("home", "first_turn", "To the first turn"),
        Binding("end", "last_turn", "To the context as it now stands"),
        Binding("c", "compaction(1)", "To the next compaction"),
        Binding("C", "compaction(-1)", "To the compaction before"),
        Binding("r", "regret(1)", "To the next regret"),
        Binding("R", "regret(-1)", "To the regret before"),
    ]

    playing: reactive[bool] = reactive(False, init=False, repaint=False)
    speed: reactive[int] = reactive(_USUAL, init=False, repaint=False)
    clock: Timer | None = None

    def action_play(self) -> None:
        """Go on from here; from the beginning where the end is reached."""
        if self.film is None:
            return
        if not self.playing and self.turn >= self.count:
            self.go_to(1)
        self.following = False
        self.playing = not self.playing

    def watch_playing(self) -> None:
        self.wind()

    def watch_speed(self) -> None:
        self.wind()

    def wind(self) -> None:
        """Set the clock to what is played now."""
        if self.clock is not None:
            self.clock.stop()
            self.clock = None
        if self.playing:
            self.clock = self.set_interval(1 / min(SPEEDS[self.speed], _PICTURES), self.tick)

    def tick(self) -> None:
        """One picture on. Where the replay has not come that far yet, wait for it."""
        step = max(1, SPEEDS[self.speed] // _PICTURES)
        self.turn = min(self.turn + step, max(self.reached, 1))
        if self.turn >= self.count:
            self.playing = False

    def action_speed(self, step: int) -> None:
        self.speed = min(max(self.speed + step, 0), len(SPEEDS) - 1)

    def stop(self) -> None:
        """A key that goes somewhere also stops playing."""
        self.playing = False

    def action_turn(self, step: int) -> None:
        self.stop()
        self.go_to(self.turn + step)

    def action_first_turn(self) -> None:
        self.stop()
        self.go_to(1)

    def action_last_turn(self) -> None:
        self.stop()
        self.go_to(self.count)

    @on(Area.Picked)
    def pick_turn(self, event: Area.Picked) -> None:
        self.stop()
        self.go_to(event.turn)

    def action_compaction(self, step: int) -> None:
        self.stop()
        marks = [made.turn for made in self.film.replay.compactions] if self.film else []
        if not self.go_round(marks, step):
            self.notify("Nothing is compressed here. Press s to choose another preset.")

    def action_regret(self, step: int) -> None:
        self.stop()
        marks = sorted({regret.turn for regret in self.film.replay.regrets}) if self.film else []
        if not self.go_round(marks, step):
            self.notify("Nothing that was lost was needed again.")
