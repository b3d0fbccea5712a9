"""Sessions that another program is writing: what comes is seen as it comes, at the cost of what came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.following.follower import POLL, Follower, FreshMessage, Moment, RecordedCompaction
    from inspector.following.sources import FollowedFile, LiveSource, LogGrowth
    from inspector.following.targets import source_of
    from inspector.following.times import ago, clock

__all__ = [
    "POLL",
    "FollowedFile",
    "Follower",
    "FreshMessage",
    "LiveSource",
    "LogGrowth",
    "Moment",
    "RecordedCompaction",
    "ago",
    "clock",
    "source_of",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.following.follower": "POLL FreshMessage RecordedCompaction Follower Moment",
        "inspector.following.sources": "FollowedFile LogGrowth LiveSource",
        "inspector.following.targets": "source_of",
        "inspector.following.times": "ago clock",
    },
)
