"""A session under another policy: what would have been sent, kept, lost and paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.replay.compare import (
        Comparison,
        Difference,
        FateDifference,
        Lane,
        Pair,
        PartedFact,
        Side,
        compare_replays,
        comparison_at,
    )
    from inspector.replay.frames import CompactionEvent, Frame, Kept, Regret, Replay, ReplayCancelled
    from inspector.replay.run import NONE, RECORDED, ReplayRun, Reported, reported_calls
    from inspector.replay.steps import context_steps, take_step, uncompacted_session

__all__ = [
    "NONE",
    "RECORDED",
    "CompactionEvent",
    "Comparison",
    "Difference",
    "FateDifference",
    "Frame",
    "Kept",
    "Lane",
    "Pair",
    "PartedFact",
    "Regret",
    "Replay",
    "ReplayCancelled",
    "ReplayRun",
    "Reported",
    "Side",
    "compare_replays",
    "comparison_at",
    "context_steps",
    "reported_calls",
    "take_step",
    "uncompacted_session",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.replay.compare": (
            "Comparison Difference FateDifference Lane Pair PartedFact Side compare_replays comparison_at"
        ),
        "inspector.replay.frames": "CompactionEvent Frame Kept Regret Replay ReplayCancelled",
        "inspector.replay.run": "Reported reported_calls NONE RECORDED ReplayRun",
        "inspector.replay.steps": "context_steps take_step uncompacted_session",
    },
)
