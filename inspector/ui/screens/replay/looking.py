"""A frame's window, opened in Inspect over the replay: `esc` comes back to the same place."""

from __future__ import annotations

from inspector.library import Workbench
from inspector.replay import RECORDED
from inspector.replay.steps import uncompacted_session
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.messages import PlanMade, PlanUndone
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.inspect.bench import BenchScreen
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
        super().on_mount()
        self.bench = _bench_of(self.film)
        self.set_reactive(BenchScreen.agent, self.film.replay.agent)
        self.set_reactive(BenchScreen.turn, self.first_turn)
        self.compute_anew()
        self.compute_timeline()

    def on_plan_made(self, message: PlanMade) -> None:
        message.stop()

    def on_plan_undone(self, message: PlanUndone) -> None:
        message.stop()

    async def action_back(self) -> None:
        if self.trial is not None or self.writing is not None:
            await super().action_back()
        else:
            self.dismiss()


def _bench_of(film: Film) -> Workbench:
    """A bench whose windows are those of the replay."""
    bench = film.bench
    session = bench.session if film.preset == RECORDED else uncompacted_session(bench.session)
    return Workbench(session, bench.sizes, {film.replay.agent: film.replay.plans}, bench.limit)
