"""A session under another policy: what would have been sent, kept, lost and paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.replay.archive import Archive
    from inspector.replay.billing import UNKNOWN_LIFETIME, Basis, CacheLifetime
    from inspector.replay.compare import (
        Comparison,
        Difference,
        FactDifference,
        FateDifference,
        Lane,
        Pair,
        Side,
        compare_replays,
        comparison_at,
    )
    from inspector.replay.frames import CompactionEvent, Frame, Kept, Regret, Replay, ReplayCancelled
    from inspector.replay.rereads import Rate, Rereads, count_rereads, describe_rereads
    from inspector.replay.run import NONE, RECORDED, ReplayRun, ReportedUsage, reported_calls
    from inspector.replay.steps import (
        ContextStep,
        context_steps,
        is_compacted,
        repeating_summaries,
        take_step,
        uncompacted_session,
        uncompacted_sizes,
    )

__all__ = [
    "NONE",
    "RECORDED",
    "UNKNOWN_LIFETIME",
    "Archive",
    "Basis",
    "CacheLifetime",
    "CompactionEvent",
    "Comparison",
    "ContextStep",
    "Difference",
    "FactDifference",
    "FateDifference",
    "Frame",
    "Kept",
    "Lane",
    "Pair",
    "Rate",
    "Regret",
    "Replay",
    "ReplayCancelled",
    "ReplayRun",
    "ReportedUsage",
    "Rereads",
    "Side",
    "compare_replays",
    "comparison_at",
    "context_steps",
    "count_rereads",
    "describe_rereads",
    "is_compacted",
    "repeating_summaries",
    "reported_calls",
    "take_step",
    "uncompacted_session",
    "uncompacted_sizes",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.replay.billing": "UNKNOWN_LIFETIME Basis CacheLifetime",
        "inspector.replay.compare": (
            "Comparison Difference FateDifference Lane Pair FactDifference Side compare_replays comparison_at"
        ),
        "inspector.replay.archive": "Archive",
        "inspector.replay.frames": "CompactionEvent Frame Kept Regret Replay ReplayCancelled",
        "inspector.replay.rereads": "Rate Rereads count_rereads describe_rereads",
        "inspector.replay.run": "ReportedUsage reported_calls NONE RECORDED ReplayRun",
        "inspector.replay.steps": (
            "ContextStep is_compacted context_steps repeating_summaries take_step uncompacted_session uncompacted_sizes"
        ),
    },
)
