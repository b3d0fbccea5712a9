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
        comparison_at,
    )
    from inspector.replay.frames import Compaction, Frame, Kept, Regret, Replay, ReplayCancelled
    from inspector.replay.reported import Reported
    from inspector.replay.run import NONE, RECORDED, ReplayRun
    from inspector.replay.steps import take_step, uncompacted_session

__all__ = [
    "NONE",
    "RECORDED",
    "Compaction",
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
    "comparison_at",
    "take_step",
    "uncompacted_session",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.replay.compare": "Comparison Difference Lane Pair FateDifference PartedFact Side comparison_at",
        "inspector.replay.frames": "Compaction Frame Kept Regret Replay ReplayCancelled",
        "inspector.replay.reported": "Reported",
        "inspector.replay.run": "NONE RECORDED ReplayRun",
        "inspector.replay.steps": "take_step uncompacted_session",
    },
)
