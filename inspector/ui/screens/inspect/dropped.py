"""The losses shown by `x` on Inspect: those of a recorded compaction or of the plans on the current window."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from inspector import library
from inspector.analysis import context_loss
from inspector.engine import work_state
from inspector.engine.window import SizeChange
from inspector.ui import dialogs

if TYPE_CHECKING:
    from inspector.analysis.context_loss import Losses
    from inspector.core.work_pool import Stop
    from inspector.library import Preview, Workbench
    from inspector.library.diagnosis import LateNeed
    from inspector.ui.dialogs.diff_dialog import TurnDiff
    from inspector.ui.dialogs.lost_dialog import LostScreen
    from inspector.ui.dialogs.next_loss_dialog import NextLossScreen
    from inspector.ui.dialogs.state_dialog import WorkStateScreen
    from inspector.ui.screens.inspect.inspect_state import InspectState


def lost_screen(state: InspectState, need: LateNeed | None = None) -> LostScreen | None:
    """Return the screen of lost facts for the current window.

    If plans change the window, it shows their losses. Otherwise it shows those of a recorded compaction: the one that
    dropped the fact in `need`, else the last one up to the current turn, else the first one.

    Args:
        state: State of Inspect.
        need: Reply in the current window that needed a lost fact; None if it needed nothing.

    Returns:
        The screen, or None if nothing was removed.
    """
    preview, bench = state.preview, state.bench
    if preview is None:
        return None
    agent = preview.recorded.agent
    if not all(plan.is_idle for plan in preview.plans):
        return lost_to_plans(bench, preview)
    if (turn := _compacted_turn(state, need)) and state.timeline is not None:
        pair = library.windows_as_preview(preview, bench.window(turn - 1, agent), bench.window(turn, agent))
        find = partial(_of_recording, bench, turn, agent)
        return dialogs.LostScreen(pair, state.timeline.change(turn), find, f"compacted at turn {turn:,}")
    return None


def next_loss_screen(state: InspectState) -> NextLossScreen | None:
    """Return the screen of the facts at risk before the current turn; None before a window is shown."""
    if state.preview is None:
        return None
    window, session = state.preview.recorded, state.preview.session
    find = partial(context_loss.next_compaction, session, state.bench.sizes, window.agent, window.turn)
    return dialogs.NextLossScreen(session, window.agent, find, _when(state.preview))


def _when(preview: Preview) -> str:
    """Return the time of the recorded window in words."""
    window = preview.recorded
    return "now" if window.turn > len(preview.session.turns(window.agent)) else f"before turn {window.turn:,}"


def work_state_screen(preview: Preview | None) -> WorkStateScreen | None:
    """Return the screen of the state of the work before the reply of a window; None without a window."""
    if preview is None:
        return None
    turn, history = preview.recorded.turn, work_state.WorkHistory(preview.session, preview.recorded.agent)
    return dialogs.WorkStateScreen(preview.session, partial(history.at_turn, turn), _when(preview))


def turn_diff(state: InspectState) -> TurnDiff | None:
    """Return the diff of the current turn and the one before; None at the first turn or if plans change the window."""
    preview, line = state.preview, state.timeline
    if preview is None or preview.recorded.turn < 2 or not all(plan.is_idle for plan in preview.plans):
        return None
    turn = preview.recorded.turn
    sizes = line.change(turn) if line is not None and turn in line.compactions else None
    return dialogs.TurnDiff(state.bench, preview, sizes)


def lost_to_plans(bench: Workbench, preview: Preview) -> LostScreen:
    """Return the screen of the facts that the plans of a preview lose.

    Args:
        bench: Open session.
        preview: Window with plans that change it.
    """
    names = " + ".join(plan.strategy for plan in preview.plans)
    sizes = SizeChange(preview.recorded.size, preview.after.size)
    return dialogs.LostScreen(preview, sizes, partial(_of_plans, bench, preview), f"as recorded → {names}")


def _compacted_turn(state: InspectState, need: LateNeed | None) -> int:
    """Return the turn of the compaction to show, or 0.

    A compaction at the start of a recording is skipped, because there is no earlier window to compare with.
    """
    line, preview = state.timeline, state.preview
    if line is None or preview is None:
        return 0
    turns = [turn for turn in line.compactions if turn > 1]
    if need is not None and (lost_at := need.lost_at.intersection(turns)):
        return max(lost_at)
    earlier = [turn for turn in turns if turn <= preview.recorded.turn]
    return earlier[-1] if earlier else turns[0] if turns else 0


def _of_plans(bench: Workbench, preview: Preview, cancelled: Stop) -> Losses | None:
    index = bench.fact_index()
    return context_loss.plan_losses(bench.session, index, preview.recorded, preview.after, preview.plans, cancelled)


def _of_recording(bench: Workbench, turn: int, agent: str, cancelled: Stop) -> Losses | None:
    history = library.recorded_losses(bench, agent, cancelled)
    return history.by_turn.get(turn) if history else None
