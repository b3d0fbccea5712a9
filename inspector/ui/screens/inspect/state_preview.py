"""The preview of the current choice on Inspect, with everything that drawing needs computed in advance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.engine import window

if TYPE_CHECKING:
    from inspector.engine.compression import StrategyChoice
    from inspector.library import Preview
    from inspector.ui.screens.inspect.inspect_state import InspectState


_FEW = 2_000
"""Maximum messages of a window from which the next one is computed without a thread."""


def is_of_other(preview: Preview, trial: StrategyChoice) -> bool:
    """Return True if a preview does not belong to the current trial."""
    return preview.plan is None or preview.plan.strategy != trial.strategy


def is_quick(state: InspectState) -> bool:
    """Return True if the preview of the current choice takes less than a thread for it: a window without plans."""
    preview, bench = state.preview, state.bench
    return (
        preview is not None
        and preview.session is bench.session
        and preview.recorded.agent == state.agent
        and len(preview.recorded.messages) <= _FEW
        and not (bench.sizes.is_partial or state.trial or state.summary or state.stack or state.provider)
    )


def preview_of_state(state: InspectState) -> Preview:
    """Return the preview of the current choice. Runs in a thread, unless it is quick."""
    bench, trial = state.bench, state.trial
    if state.summary is not None:
        preview = bench.preview(state.turn, state.agent)
        preview = bench.preview_of(preview.recorded, preview.base, state.summary.plan, preview.applied)
    elif trial is not None:
        preview = bench.preview(state.turn, state.agent, trial.strategy, trial.settings)
    else:
        preview = bench.preview(state.turn, state.agent)
    _compute_lazy_values(preview)
    if state.provider is None:
        return preview
    return replace(preview, problems=window.problems(preview.after, state.provider), taken=frozenset())


def _compute_lazy_values(preview: Preview) -> None:
    """Compute the cached properties used for drawing, so that the app's own thread does not have to."""
    for one in (preview.recorded, preview.before, preview.after):
        _ = one.total, one.ids, one.sections
    if plan := preview.plan:
        _ = plan.counts, plan.by_id, plan.alters, preview.fates
