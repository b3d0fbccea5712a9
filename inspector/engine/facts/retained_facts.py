"""Counts of the facts that a window retains, by class and state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Annotated, Literal

from inspector.core.json_objects import json_object
from inspector.engine.facts.classes import CLASSES, SENTENCES, FactClass, Weights

State = Literal["retained", "named", "recoverable", "lost"]
"""State of a fact; the first that applies.

retained     a message of the log states it, or a summary states it with what it belongs to
named        a summary states it without what it belongs to, for example in a list
recoverable  it is in an archive from which the policy retrieves
lost         none of these, for example a placeholder without an archive
"""
STATES: tuple[State, ...] = ("retained", "named", "recoverable", "lost")

_NAMED = 0.1
"""Share of a retained value that a value counts which is only named."""


@json_object("Kept", "retained named recoverable lost")
@dataclass(frozen=True, slots=True)
class RetainedFact:
    """Number of retained, recoverable, lost and named facts of a class."""

    retained: Annotated[int, "in the window"] = 0
    recoverable: Annotated[int, "out of it, in an archive from which the policy brings back"] = 0
    lost: int = 0
    named: Annotated[int, "in it only in a summary, without what they belong to"] = 0

    @property
    def total(self) -> int:
        return self.retained + self.named + self.recoverable + self.lost


@dataclass(frozen=True)
class Retention:
    """Fact counts by class at one point of a replay, without classes that have no facts."""

    classes: Mapping[FactClass, RetainedFact]
    weights: Weights = field(default_factory=Weights)

    @property
    def share(self) -> float:
        """Retained fraction from 0 to 1: the mean of the retained sentences and the retained values.

        Within each half, a class counts by its weight times the square root of its number of facts, so that a single
        fact counts less than hundreds, but thousands of numbers in tool output do not outweigh everything else.
        Sentences and values are separate halves because strategies look for the same cue phrases: one that keeps only
        marked sentences has kept only one half. A half counts more if its classes have weights above the defaults, and
        is ignored if it has no facts. 1 if there are no facts at all. A value that is only named counts a tenth: it can
        be looked up, but the context does not state what it is for.
        """
        return self.mean(lambda row: row.retained + _NAMED * row.named)

    @property
    def reach(self) -> float:
        """Like `share`, but recoverable facts count as well."""
        return self.mean(lambda row: row.retained + row.recoverable + _NAMED * row.named)

    def mean(self, count: Callable[[RetainedFact], float]) -> float:
        whole = total = 0.0
        for is_sentence in (True, False):
            names = [name for name in self.classes if (name in SENTENCES) is is_sentence]
            parts = {name: self.weights[name] * sqrt(self.classes[name].total) for name in names}
            if size := sum(parts.values()):
                half = sum(part * (count(row := self.classes[name]) / row.total) for name, part in parts.items()) / size
                weight = sum(self.weights[name] for name in names) / sum(CLASSES[name].weight for name in names)
                whole, total = whole + weight, total + weight * half
        return min(1.0, total / whole) if whole else 1.0
