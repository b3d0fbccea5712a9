"""The window of a frame, opened in Inspect over the replay. `esc` returns to the same turn."""

from __future__ import annotations

from inspector.analysis.replay import RECORDED, uncompacted_session, uncompacted_sizes
from inspector.library import PlanStacks, Workbench
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.replay.progress import ReplayProgress


class FrameWindow(Inspect, Overlay[None]):
    """Inspect on the log that was replayed, with the plans that the replay made.

    Strategies tried and applied here belong to the replay and are not stored.
    """

    def __init__(self, progress: ReplayProgress, turn: int, above: str = "replay") -> None:
        """Create a window for a frame.

        Args:
            progress: Replay that contains the frame.
            turn: Turn of the frame, counted from 1.
            above: Name of the screen that `esc` returns to.
        """
        super().__init__()
        self.above = above
        self.progress = progress
        self.first_turn = turn

    def on_mount(self) -> None:
        plans = PlanStacks(_bench_of(self.progress))
        self.controller.open_at(self.progress.replay.agent, self.first_turn, plans)

    async def action_back(self) -> None:
        if not self.controller.back():
            self.dismiss()


def _bench_of(progress: ReplayProgress) -> Workbench:
    """Return a workbench whose windows are those of the replay."""
    bench = progress.bench
    session, sizes = bench.session, bench.sizes
    if progress.preset != RECORDED:
        session, sizes = uncompacted_session(session), uncompacted_sizes(session, sizes)
    return Workbench(session, sizes, {progress.replay.agent: progress.replay.plans}, bench.limit)
