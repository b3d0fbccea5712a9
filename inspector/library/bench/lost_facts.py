"""Count the facts that the plans of a preview lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inspector.analysis.context_loss import count_losses, describe_counts
from inspector.library.bench.workbench import Preview, Workbench

_MAX_MESSAGES = 5_000
"""Maximum number of messages in a log that is read for facts here, at about 0.1 s per 1,000 messages."""


@dataclass(frozen=True, eq=False)
class LostFacts:
    """Facts lost in a preview."""

    preview: Preview
    """Preview that the counts belong to. They are meaningless for any other."""
    counts: Mapping[str, int] | None = field(default_factory=dict)
    """Number of lost facts by class; None if the log is too long to count them."""
    words: str = ""
    """Summary in words, as in "loses 3 paths, 51 numbers; keeps 7 of 7 errors"; "" if no plan changes anything."""


def count_lost_facts(bench: Workbench, preview: Preview) -> LostFacts:
    """Count the facts that a preview's window has lost compared with the recorded one.

    Args:
        bench: Workbench of the session.
        preview: Windows before and after a plan.

    Raises:
        OSError: The recording can no longer be read.
    """
    if all(plan.is_idle for plan in preview.plans):
        return LostFacts(preview)
    if len(bench.session.messages) > _MAX_MESSAGES:
        return LostFacts(preview, None)
    losses = count_losses(bench.session, bench.fact_index(), preview.recorded, preview.after, preview.plans)
    return LostFacts(preview, dict(losses.counts.items()), describe_counts(losses))
