"""A frame's window, opened in Inspect over the replay: `esc` comes back to the same turn."""

from __future__ import annotations

from inspector.analysis.replay import RECORDED, uncompacted_session, uncompacted_sizes
from inspector.library import PlanStacks, Workbench
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.replay.progress import ReplayProgress


class FrameWindow(Inspect, Overlay[None]):
    """Inspect on the log as the replay was fed it, through the plans that the replay made.

    What is tried and applied here belongs to the replay: nothing of it is stored.
    """

    def __init__(self, progress: ReplayProgress, turn: int, above: str = "replay") -> None:
        """`above` names the screen that `esc` goes back to."""
        super().__init__()
        self.above = above
        self.progress = progress
        self.first_turn = turn

    def on_mount(self) -> None:
        plans = PlanStacks(_bench_of(self.progress))
        self.controller.open_at(plans, self.progress.replay.agent, self.first_turn)

    async def action_back(self) -> None:
        if not self.controller.back():
            self.dismiss()


def _bench_of(progress: ReplayProgress) -> Workbench:
    """A bench whose windows are those of the replay."""
    bench = progress.bench
    session, sizes = bench.session, bench.sizes
    if progress.preset != RECORDED:
        session, sizes = uncompacted_session(session), uncompacted_sizes(session, sizes)
    return Workbench(session, sizes, {progress.replay.agent: progress.replay.plans}, bench.limit)
