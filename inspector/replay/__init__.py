"""A session under another policy: what would have been sent, kept, lost and paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.replay.compare import Comparison, Difference, Lane, Pair, Parted, PartedFact, Side, at_turn
    from inspector.replay.frames import Compaction, Frame, Kept, Regret, Replay, Stopped
    from inspector.replay.reported import Reported
    from inspector.replay.run import NONE, RECORDED, Running, window_of

__all__ = [
    "NONE",
    "RECORDED",
    "Compaction",
    "Comparison",
    "Difference",
    "Frame",
    "Kept",
    "Lane",
    "Pair",
    "Parted",
    "PartedFact",
    "Regret",
    "Replay",
    "Reported",
    "Running",
    "Side",
    "Stopped",
    "at_turn",
    "window_of",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.replay.compare": "Comparison Difference Lane Pair Parted PartedFact Side at_turn",
        "inspector.replay.frames": "Compaction Frame Kept Regret Replay Stopped",
        "inspector.replay.reported": "Reported",
        "inspector.replay.run": "NONE RECORDED Running window_of",
    },
)
