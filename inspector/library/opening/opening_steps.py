"""What an opening yields, wherever it is done."""

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
    """A new bench, or one with better counts; None where the step only reports progress."""
    activity: str = ""
    """The activity that follows, in one word; empty after the last step."""
    count: int = 0
    total: int = 0
    """`count` of `total` messages are counted; 0 of 0 where nothing is counted."""
    notes: tuple[str, ...] = ()
    """Remarks about the target, each a sentence."""
    siblings: int = 0
    """How many more sessions the file holds, where none of them was named."""
    problem: str = ""
    """An error that does not stop the opening, in one sentence; else empty."""
    first: bool = False
    """Whether this is the first bench of the opening."""

    @property
    def share(self) -> float | None:
        """How much of the counting is done, from 0 to 1; None where nothing is counted."""
        return self.count / self.total if self.total else None


class StepOpener(Protocol):
    """Opens targets in steps, in this process or in another one."""

    @property
    def store(self) -> Store | None:
        """Where counts and stored sessions are."""

    @property
    def limit(self) -> int:
        """Context window that overrides the model's, in tokens; 0 for the model's own."""

    @property
    def keeps(self) -> bool:
        """True if the session is copied into the store."""

    def with_store(self, store: Store | None) -> Self:
        """Return an opener with another store, or with none."""

    def steps(self, target: str) -> Iterator[Step]:
        """Open a target step by step."""
