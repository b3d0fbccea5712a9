"""The symbols that Inspect shows at the moment, for hints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.engine.window import SECTIONS
from inspector.ui.palette import mark_of

if TYPE_CHECKING:
    from inspector.library import Preview
    from inspector.ui.screens.inspect.inspect_state import InspectState


def signs_of(state: InspectState, has_needs: bool) -> Iterator[str]:
    """Yield names in `HINTS`. `has_needs` is True if a reply needed a fact that a compaction had dropped."""
    if state.timeline is not None and state.timeline.compactions:
        yield "compacted"
    if has_needs:
        yield "needed"
    if state.trial is not None:
        yield "trigger"
    if state.preview is not None and not state.preview.recorded.sizes.is_partial:
        yield from _signs_of_window(state.preview)


def _signs_of_window(preview: Preview) -> Iterator[str]:
    window = preview.after
    yield "reserve"
    if mark_of(window):
        yield "estimate"
    if any(size.certainty == "unrecorded" for size in window.breakdown.values()):
        yield "unrecorded"
    if any(window.breakdown[section].tokens > window.allocation(section) for section in SECTIONS):
        yield "section"
    if preview.plan is not None and preview.plan.counts.get("summarised"):
        yield "summarised"
