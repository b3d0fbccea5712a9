"""The steps that opening a target yields, in this process or another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, Self

from inspector.library.bench.workbench import Workbench
from inspector.store import Store


@dataclass(frozen=True)
class Step:
    """One step of opening a target."""

    bench: Workbench | None = None
    """A new bench, or one with better counts; None if the step only reports progress."""
    activity: str = ""
    """Next activity in one word; "" after the last step."""
    count: int = 0
    total: int = 0
    """`count` of `total` messages have been counted; both are 0 if nothing is being counted."""
    notes: tuple[str, ...] = ()
    """Remarks about the target, one sentence each."""
    siblings: int = 0
    """Number of other sessions in the file if the target names only the file."""
    problem: str = ""
    """An error that does not stop the opening, as one sentence; otherwise ""."""
    first: bool = False
    """True if this is the first bench of the opening."""

    @property
    def share(self) -> float | None:
        """Share of messages that have been counted, from 0 to 1; None if nothing is being counted."""
        return self.count / self.total if self.total else None


class StepOpener(Protocol):
    """Opens targets in steps, in this process or in another one."""

    @property
    def store(self) -> Store | None:
        """Store of counts and stored sessions."""

    @property
    def limit(self) -> int:
        """Context window in tokens that overrides the model's; 0 for the model's."""

    @property
    def keeps(self) -> bool:
        """True if the session is copied into the store."""

    def with_store(self, store: Store | None) -> Self:
        """Return an opener with another store, or without one."""

    def steps(self, target: str) -> Iterator[Step]:
        """Open a target step by step."""
