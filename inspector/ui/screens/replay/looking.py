"""A frame's window, opened in Inspect over the replay: `esc` comes back to the same place."""

from __future__ import annotations

from inspector.library import PlanStacks, Workbench
from inspector.replay import RECORDED
from inspector.replay.rejoined import rejoined
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.replay.filming import Film


class FrameWindow(Inspect, Overlay[None]):
    """Inspect, on the log as the replay was fed it and through the plans that the replay made.

    What is tried and applied here stays here: it belongs to a replay, and nothing of it is stored.
    """

    above = "replay"

    def __init__(self, film: Film, turn: int) -> None:
        super().__init__()
        self.film = film
        self.first_turn = turn

    def on_mount(self) -> None:
        plans = PlanStacks(_bench_of(self.film))
        self.controller.open_at(plans, self.film.replay.agent, self.first_turn)

    async def action_back(self) -> None:
        if not self.controller.back():
            self.dismiss()


def _bench_of(film: Film) -> Workbench:
    """A bench whose windows are those of the replay."""
    bench = film.bench
    session = bench.session if film.preset == RECORDED else rejoined(bench.session)
    return Workbench(session, bench.sizes, {film.replay.agent: film.replay.plans}, bench.limit)
