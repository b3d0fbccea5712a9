"""How many facts the plans of a preview lose, for those who try them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inspector.analysis.context_loss import count_losses, describe_counts
from inspector.library.bench.workbench import Preview, Workbench

_MAX_MESSAGES = 5_000
"""Messages of a log up to which it is read for facts here: a tenth of a second for each thousand, and more at first."""


@dataclass(frozen=True, eq=False)
class LostFacts:
    """The losses of a preview."""

    preview: Preview
    """What they were counted for: beside another one they say nothing."""
    counts: Mapping[str, int] | None = field(default_factory=dict)
    """By class; None where the log is too long for them to be counted."""
    words: str = ""
    """ "loses 3 paths, 51 numbers; keeps 7 of 7 errors"; empty where no plan changes anything."""


def count_lost_facts(bench: Workbench, preview: Preview) -> LostFacts:
    """The facts that a preview's window has lost beside the recorded one. Raises OSError where that cannot be read."""
    if all(plan.is_idle for plan in preview.plans):
        return LostFacts(preview)
    if len(bench.session.messages) > _MAX_MESSAGES:
        return LostFacts(preview, None)
    losses = count_losses(bench.session, bench.fact_index(), preview.recorded, preview.after, preview.plans)
    return LostFacts(preview, dict(losses.counts.items()), describe_counts(losses))
