"""Facts that a reply needed while its window did not contain them, as values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from inspector.core.json_objects import OPEN, json_object
from inspector.engine.facts.classes import FactClass, Weights


@json_object(keys="class=cls fact lost_at source")
@dataclass(frozen=True, slots=True)
class Need:
    """A fact that a reply needed."""

    fact: str
    cls: Annotated[FactClass, OPEN, "of facts"]
    lost_at: Annotated[int, "the first turn without it; 0 of what could have been brought back"]
    source: Annotated[str, "id of the message that first stated the fact"]


@json_object(
    keys="class=cls turn fact lost_at message source more",
    about="A regret or a recall, with the messages that contain it, and the other facts that the reply needed.",
)
@dataclass(frozen=True, slots=True)
class Regret:
    """A reply that needed facts which the window did not contain."""

    turn: Annotated[int, "of the reply"]
    message: Annotated[str, "id of the reply"]
    needs: Annotated[tuple[Need, ...], "the weightiest first"]
    """The missing facts, at least one, highest weight first."""

    @property
    def fact(self) -> str:
        return self.needs[0].fact

    @property
    def cls(self) -> Annotated[FactClass, OPEN, "of facts"]:
        return self.needs[0].cls

    @property
    def lost_at(self) -> Annotated[int, "the first turn without it"]:
        return self.needs[0].lost_at

    @property
    def source(self) -> Annotated[str, "id of the message that first stated the fact"]:
        return self.needs[0].source

    @property
    def more(self) -> Annotated[tuple[Need, ...], "the other facts that it needed, the weightiest first"]:
        return self.needs[1:]

    def sorted_by(self, weights: Weights) -> Regret:
        """Return a copy with the needs ordered by these weights, highest first."""
        return replace(self, needs=tuple(sorted(self.needs, key=lambda need: -weights[need.cls])))
