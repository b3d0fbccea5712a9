"""Models of the facts that one compaction or plan removed from the context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Annotated, Literal

from inspector.analysis import replay
from inspector.core.conversation import Message
from inspector.core.json_objects import OPEN, Tokens, json_object
from inspector.engine import work_state
from inspector.engine.facts import CLASSES, FactClass, RetainedFact, quote
from inspector.engine.window import SizeChange

_OpenClass = Annotated[FactClass, OPEN]
_NOISE: frozenset[FactClass] = frozenset({"number", "date", "symbol", "tool"})
_ORDER: Mapping[FactClass, int] = {name: place for place, name in enumerate(CLASSES)}


Missing = Literal["needed", "looked up", "used"]
"""Relation of a later reply to a lost fact.

After a recorded compaction, it read again what an earlier call had read ("looked up"), or states the fact although the
recorded context does not contain it, so that the model had it from an unrecorded source ("used"). Under a simulated
plan, it would have needed the fact ("needed").
"""

LossMark = Literal["!", "?", "·"]
"""Sign before a lost fact: a later reply re-fetched or needed it, one only states it, or none contains it."""


@json_object("Occasion")
@dataclass(frozen=True, slots=True)
class NeedEvent:
    """A later reply that needed a lost fact."""

    turn: int
    message: Annotated[str, "id of the reply"]
    quote: Annotated[str, "its sentence that contains the fact; empty if it is paraphrased"]
    how: Annotated[
        Missing,
        (
            "looked up: read again by a tool; used: stated although the recorded context does not contain it; "
            "needed: under a simulated plan"
        ),
    ] = "needed"


@json_object(keys="class=cls fact source position turn quote needed content=is_content")
@dataclass(frozen=True, slots=True)
class Loss:
    """A fact that is no longer in the context."""

    fact: str
    cls: FactClass
    source: Annotated[str, "id of the first message that contains it"]
    position: Annotated[int, "position of that message in the log, from 1; 0 if it is not in the log"]
    turn: Annotated[int, "in which it was stated"]
    """Turn in which it was stated: that of the reply, or of the first request that contained it; 0 if unknown."""
    needed: Annotated[tuple[NeedEvent, ...], "the later replies that needed it"] = ()
    message: Message | None = field(default=None, repr=False, compare=False)
    """First message that contains it; None if it is not in the log."""
    is_content: Annotated[
        bool, "true for a file or page that the context still names, and only its content is gone"
    ] = False

    @property
    def is_only_stated(self) -> bool:
        """True if later replies state the fact, and none re-fetched or needed it."""
        return self.mark == "?"

    @property
    def mark(self) -> LossMark:
        """Sign before the fact in lists."""
        if not self.needed:
            return "·"
        return "?" if all(event.how == "used" for event in self.needed) else "!"

    @property
    def quote(self) -> Annotated[str, "the sentence that contains it"]:
        """Sentence that states it; the fact itself if the source rewords it.

        It is searched each time it is read: most losses are counted, and never shown.

        Raises:
            OSError: If the recording can no longer be read.
        """
        return (quote(self.message, self.fact) if self.message else "") or self.fact


@json_object("Reread")
@dataclass(frozen=True, slots=True)
class RepeatedRead:
    """A tool result that was removed from the window and read again later."""

    message: Annotated[str, "id of the dropped result"]
    again: Annotated[str, "id of the result that repeats it"]
    turn: int
    """Turn whose request was the first to contain the repeated result."""
    tokens: Annotated[Tokens, "of the repeated read"]


@json_object(keys="sizes turn covered counts kept losses reread is_sealed probes", inline="sizes")
@dataclass(frozen=True, slots=True)
class Losses:
    """Facts lost to one compaction or plan."""

    turn: Annotated[int, "of the first request after it"]
    sizes: SizeChange
    covered: Annotated[int, "messages that were removed or shortened"]
    losses: Annotated[
        tuple[Loss, ...], "facts that were re-fetched later first, then those stated later, then by class"
    ]
    kept: Annotated[Mapping[_OpenClass, RetainedFact], "by fact class"] = field(default_factory=dict)
    """Facts of the earlier window by class and by their state in the later one.

    Facts whose loss does not matter, for example round numbers, table rows and common names, are not counted.
    """
    reread: tuple[RepeatedRead, ...] = ()
    is_sealed: Annotated[bool, "true if its summary is encrypted, so retained facts are unknown"] = False
    before: work_state.WorkState = field(default_factory=work_state.WorkState, repr=False)
    """State of the work before a recorded compaction."""
    state: tuple[work_state.StateFate, ...] = ()
    """Fates of its items."""
    probes: Annotated[tuple[replay.WorkProbe, ...], "questions whose answers the agent needs to go on"] = ()
    consequences: tuple[work_state.Consequence, ...] = ()
    """Later actions and statements that go against that state."""

    @property
    def counts(self) -> Annotated[Mapping[_OpenClass, int], "lost facts by class"]:
        """Number of lost facts by class, without classes that lost none."""
        count_facts = Counter(loss.cls for loss in self.losses if not loss.is_content)
        return {name: count_facts[name] for name in CLASSES if count_facts[name]}

    @property
    def needed(self) -> tuple[Loss, ...]:
        """Losses that a later reply used or re-fetched."""
        return tuple(loss for loss in self.losses if loss.needed)

    @property
    def turns(self) -> tuple[int, ...]:
        """Later turns that used or re-fetched a lost fact, in ascending order."""
        return tuple(sorted({need_event.turn for loss in self.losses for need_event in loss.needed}))


def sort_losses(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Sort losses in the order of `Losses.losses`; equal ones by position in the log."""
    return tuple(sorted(losses, key=lambda loss: ("!?·".index(loss.mark), _ORDER[loss.cls], loss.position)))


@dataclass(frozen=True, slots=True)
class LossGroup:
    """Losses under one heading: those that later replies needed or state, or the others of one class."""

    title: str
    """"Needed later", "Stated later, source unknown", or the class: "Constraints"."""
    cls: FactClass | None
    """Class of the facts; None for facts in later replies."""
    losses: tuple[Loss, ...]

    @property
    def heading(self) -> str:
        """Title with the count: "Needed later (12)", "Constraints (3)"."""
        return f"{self.title} ({len(self.losses):,})"

    @property
    def is_noise(self) -> bool:
        """True if the facts say little on their own, so that only their number is listed at first."""
        return self.cls in _NOISE


def group_losses(losses: Iterable[Loss]) -> tuple[LossGroup, ...]:
    """Group losses for a list: those needed later first, then those stated later, then the others by class."""
    ordered = sort_losses(losses)
    needed, stated = (tuple(loss for loss in ordered if loss.mark == mark) for mark in "!?")
    others = groupby((loss for loss in ordered if not loss.needed), key=lambda loss: loss.cls)
    groups = (
        LossGroup("Needed later", None, needed),
        LossGroup("Stated later, source unknown", None, stated),
        *(LossGroup(f"{cls}s".capitalize(), cls, tuple(rows)) for cls, rows in others),
    )
    return tuple(group for group in groups if group.losses)
