"""Fields of a report, as named in the report template.

They are the same for a session, for source code and in a matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from inspector.core.json_objects import json_object

NOT_SEEN = "not seen"


@json_object("Memory tier")
@dataclass(frozen=True, slots=True)
class TierRow:
    """A memory tier."""

    tier: Annotated[str, "Working, Session or Persistent"]
    storage: str
    capacity: str
    retrieval: str


@json_object()
@dataclass(frozen=True, slots=True)
class Outline:
    """Content of a report as text, by field. Locations are `file:Lnumber` or turns."""

    name: str
    order: Annotated[str, "the parts of an assembled context, in order"]
    method: str
    assembly_location: str
    strategy: Annotated[str, "how content is evicted"]
    trigger: Annotated[str, "trigger of the eviction"]
    eviction_location: str
    tiers: tuple[TierRow, ...]
    counting: str
    budget: str
    overflow: str

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Rows of a matrix: the name and the text of each field."""
        tiers = {row.tier: row for row in self.tiers}
        working, session, persistent = (tiers.get(name) for name in ("Working", "Session", "Persistent"))
        return (
            ("Order", self.order),
            ("Method", self.method),
            ("Strategy", self.strategy),
            ("Trigger", self.trigger),
            ("Working memory", working.capacity if working else NOT_SEEN),
            ("Session memory", session.storage if session else NOT_SEEN),
            ("Persistent memory", persistent.storage if persistent else NOT_SEEN),
            ("Retrieval", persistent.retrieval if persistent else NOT_SEEN),
            ("Counting", self.counting),
            ("Budget Allocation", self.budget),
            ("Overflow Handling", self.overflow),
        )


def join_words(words: list[str]) -> str:
    """Join distinct non-empty words by commas, or return `not seen` for an empty list."""
    return ", ".join(dict.fromkeys(word for word in words if word)) or NOT_SEEN
