"""What one side still has at a turn that the other has not, as lines: facts by class, then messages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

from inspector.facts import NAMES, Weights
from inspector.replay import Comparison, ReplayCancelled, Side, comparison_at
from inspector.ui.screens.compare.halves import SIDES, Sight
from inspector.ui.workers.cooperative import CooperativeStop

_PATIENCE = 0.3
"""Seconds that are worked on what is no longer wanted: mostly it is done by then, and is worth showing on the way."""
FACT, MESSAGE, OWN = "fact", "message", "own"
"""What a line is: a fact, a message that the other side has less of, or one that it was never told."""


class Item(NamedTuple):
    """Something that only one side has."""

    kind: str
    """`FACT`, `MESSAGE` or `OWN`."""
    label: str
    """The class of the fact, or who says the message."""
    text: str
    message: str
    """The id of the message that told it first, on the side that has it."""
    number: int
    """That message's place in the log, from 1; 0 where it is not there."""
    other: str
    """What the other side has of it, in words."""


@dataclass(frozen=True)
class Standing:
    """How the two sides stand at a turn."""

    sight: Sight
    turn: int
    found: Comparison
    items: tuple[tuple[Item, ...], tuple[Item, ...]]
    seconds: float = 0.0
    """What it took to work this out."""


def stood(sight: Sight, before: Comparison, turn: int, weights: Weights, newer: Event) -> Standing | None:
    """Work out a standing, in a thread; None where a newer one is wanted and this one takes long."""
    began, stop = time.monotonic(), CooperativeStop(newer)
    try:
        found = comparison_at(before, turn, lambda: stop.is_set() and time.monotonic() - began > _PATIENCE)
    except ReplayCancelled:
        return None
    left, right = (tuple(_items(sight, found, side, weights)) for side in SIDES)
    return Standing(sight, turn, found, (left, right), time.monotonic() - began)


def _items(sight: Sight, found: Comparison, side: Side, weights: Weights) -> Iterator[Item]:
    """What only one side has, the weightiest class of facts first."""
    here = SIDES.index(side)
    places = sight.places[here]
    for fact in sorted(found.facts_kept_by(side), key=lambda each: (-weights[each.cls], NAMES.index(each.cls))):
        other = "in reach" if fact.states[1 - here] == "recoverable" else "lost"
        yield Item(FACT, fact.cls, fact.text, fact.message, places.get(fact.message, -1) + 1, other)
    for each in found.kept_by(side):
        message = each.left if side == "left" else each.right
        number = places.get(message.id, -1) + 1
        yield Item(MESSAGE, message.role, message.preview, message.id, number, each.fates[1 - here])
    for message in found.alone[here]:
        number = places.get(message.id, -1) + 1
        yield Item(OWN, message.role, message.preview, message.id, number, "never told")
