"""What was lost at one turn: facts that the window before told and the window behind tells in no way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from inspector.core.json_objects import OPEN, Tokens, json_object
from inspector.engine.facts import CLASSES, FactClass, RetainedFact
from inspector.engine.window import SizeChange

_OpenClass = Annotated[FactClass, OPEN]
SENTENCES: tuple[FactClass, ...] = ("constraint", "decision", "task", "error")
"""The classes whose facts are sentences: what is worst to lose comes first."""
_ORDER: Mapping[FactClass, int] = {name: place for place, name in enumerate(CLASSES)}


Missing = Literal["needed", "looked up", "used"]
"""How a reply missed what was lost. Behind a compaction of the recording: it asked a tool for it, or it used it, though
nothing that the file tells had it then. Behind a plan: it would have needed it."""


@json_object("Occasion")
@dataclass(frozen=True, slots=True)
class NeedEvent:
    """A later reply that missed what was lost."""

    turn: int
    message: Annotated[str, "id of the reply"]
    quote: Annotated[str, "its sentence that says it; empty where it says it in other words"]
    how: Annotated[Missing, "it looked it up; it used it, though nothing in the file told it; a plan: it needed it"] = (
        "needed"
    )


@json_object(keys="class=cls fact source position turn quote needed")
@dataclass(frozen=True, slots=True)
class Loss:
    """A fact that was lost."""

    fact: str
    cls: FactClass
    source: Annotated[str, "id of the message that told it first"]
    position: Annotated[int, "place of that message in the log, from 1; 0 for one that is not in the log"]
    turn: Annotated[int, "in which it was told"]
    """That of the reply, or of the first request with it; 0 where that is not known."""
    quote: Annotated[str, "the sentence that tells it"]
    """The fact itself where it is told in other words."""
    needed: Annotated[tuple[NeedEvent, ...], "the later replies that missed it"] = ()


@json_object("Reread")
@dataclass(frozen=True, slots=True)
class RepeatedRead:
    """A result of a tool that left the window and was read again later."""

    message: Annotated[str, "id of the result that had left"]
    again: Annotated[str, "id of the one that told it again"]
    turn: int
    """The turn whose request was the first with it."""
    tokens: Annotated[Tokens, "of the reading again"]


@json_object(keys="sizes turn covered counts kept losses reread is_sealed", inline="sizes")
@dataclass(frozen=True, slots=True)
class Losses:
    """What one compaction or plan lost."""

    turn: Annotated[int, "whose request was the first behind it"]
    sizes: SizeChange
    covered: Annotated[int, "messages that left the window or say less in it"]
    losses: Annotated[tuple[Loss, ...], "constraints, decisions, tasks and errors first"]
    """Each class with what was needed first; then the rest, what was needed first."""
    kept: Annotated[Mapping[_OpenClass, RetainedFact], "by class of facts"] = field(default_factory=dict)
    """For each class, where the facts of the window before are in the window behind. What nobody could miss (round
    numbers, rows of tables, usual names) is counted nowhere here."""
    reread: tuple[RepeatedRead, ...] = ()
    is_sealed: Annotated[bool, "its summary is encrypted: what it kept cannot be told"] = False

    @property
    def counts(self) -> Annotated[Mapping[_OpenClass, int], "lost facts by class"]:
        """The classes in their order, without those that lost none."""
        count_facts = Counter(loss.cls for loss in self.losses)
        return {name: count_facts[name] for name in CLASSES if count_facts[name]}

    @property
    def needed(self) -> tuple[Loss, ...]:
        """Those of the losses that a later reply used or looked up."""
        return tuple(loss for loss in self.losses if loss.needed)

    @property
    def turns(self) -> tuple[int, ...]:
        """The later turns that used or looked up any of it, ascending."""
        return tuple(sorted({need_event.turn for loss in self.losses for need_event in loss.needed}))


def sort_losses(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Losses in the order of `Losses.losses`; of equals, what was told first."""

    def rank(loss: Loss) -> tuple[int, int, int, int]:
        place, calm = _ORDER[loss.cls], 0 if loss.needed else 1
        first, second, third = (place, calm, 0) if loss.cls in SENTENCES else (len(SENTENCES), calm, place)
        return first, second, third, loss.position

    return tuple(sorted(losses, key=rank))
