"""Moving through a session: turns, compactions, agents."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from inspector.ui.screens.inspect.bench import BenchScreen
from inspector.ui.widgets.scrubber import Scrubber


class Turns(BenchScreen):
    """The keys that choose which window is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "One turn back"),
        Binding("right", "turn(1)", "One turn on"),
        Binding("shift+left", "turn(-10)", "Ten turns back"),
        Binding("shift+right", "turn(10)", "Ten turns on"),
        Binding("home", "first_turn", "To the first turn"),
        Binding("end", "last_turn", "To the context as it now stands"),
        Binding("c", "compaction(1)", "To the next compaction"),
        Binding("C", "compaction(-1)", "To the compaction before"),
        Binding("n", "agent(1)", "The next agent's context"),
    ]

    def go_to(self, turn: int) -> None:
        """To a turn, as far as there are any."""
        self.turn = min(max(turn, 1), self.bench.turns(self.agent) + 1)

    def action_turn(self, step: int) -> None:
        self.go_to(self.turn + step)

    def action_first_turn(self) -> None:
        self.turn = 1

    def action_last_turn(self) -> None:
        self.turn = self.bench.turns(self.agent) + 1

    @on(Scrubber.Picked)
    def pick_turn(self, event: Scrubber.Picked) -> None:
        self.go_to(event.turn)

    def action_compaction(self, step: int) -> None:
        """To the next turn after a compaction, recorded or applied here, going round at the end."""
        recorded = self.line.compactions if self.line else ()
        marks = sorted({*recorded, *(plan.turn for plan in self.stack)})
        if not marks:
            self.notify("This session was never compacted. Press s to try a strategy.")
            return
        ahead = [mark for mark in marks if (mark > self.turn if step > 0 else mark < self.turn)]
        around = marks if step > 0 else marks[::-1]
        self.go_to((ahead or around)[0] if step > 0 else (ahead[::-1] or around)[0])

    def action_agent(self, step: int) -> None:
        agents = self.bench.session.agents
        self.agent = agents[(agents.index(self.agent) + step) % len(agents)]
