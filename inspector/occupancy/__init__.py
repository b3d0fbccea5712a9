"""What eats a window: its tokens by tool, by file, by kind of content and by request, and what was read more than once.

root = occupancy(window, session, "tool")     # a tree; the tokens of the root are those of the window
repeats(window)                      # places that were read again, the most wasteful first
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.occupancy.readings import (
        Reading,
        Relation,
        RepeatedReading,
        RepeatedResult,
        repeated_results,
        repeats,
    )
    from inspector.occupancy.tree import GROUPINGS, Grouping, Node, occupancy, turn_words, turns_of

__all__ = [
    "GROUPINGS",
    "Grouping",
    "Node",
    "Reading",
    "Relation",
    "RepeatedReading",
    "RepeatedResult",
    "occupancy",
    "repeated_results",
    "repeats",
    "turn_words",
    "turns_of",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.occupancy.readings": "Reading Relation RepeatedReading RepeatedResult repeated_results repeats",
        "inspector.occupancy.tree": "GROUPINGS Grouping Node occupancy turn_words turns_of",
    },
)
