"""Moving through a session: turns, compactions, agents."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import BindingType

from inspector.ui.screens.inspect.bench import BenchScreen
from inspector.ui.screens.navigation import AGENT_KEY, TURN_KEYS, next_agent, next_mark
from inspector.ui.widgets.scrubber import Scrubber


class Turns(BenchScreen):
    """The keys that choose which window is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *TURN_KEYS,
        AGENT_KEY,
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
        mark = next_mark({*recorded, *(plan.turn for plan in self.stack)}, self.turn, step)
        if mark is None:
            self.notify("This session was never compacted. Press s to try a strategy.")
        else:
            self.go_to(mark)

    def action_agent(self) -> None:
        self.agent = next_agent(self.bench.session.agents, self.agent)
