"""What one side has at a turn and the other has not, as lines: facts by class, then messages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

from inspector.analysis.replay import Comparison, ReplayCancelled, Side, comparison_at
from inspector.engine.facts import NAMES, Weights
from inspector.library import speaker
from inspector.ui.screens.compare.comparison import SIDES, ComparisonView
from inspector.ui.workers.jobs import CooperativeStop

_PATIENCE = 0.3
"""Seconds that a turn is worked on after another one is wanted: most are done by then, and worth showing."""
FACT, MESSAGE, OWN = "fact", "message", "own"
"""Kinds of lines: a fact, a message that the other side has less of, or one that the other side never had."""


class DifferenceItem(NamedTuple):
    """Something that only one side has."""

    kind: str
    """`FACT`, `MESSAGE` or `OWN`."""
    label: str
    """The class of the fact, or the role of the message."""
    text: str
    message: str
    """The id of the message that stated it first, on the side that has it."""
    number: int
    """That message's number in the log, from 1; 0 where it is not in the log."""
    other: str
    """What the other side has of it, in words."""


@dataclass(frozen=True)
class TurnDifferences:
    """What each side has alone at a turn."""

    view: ComparisonView
    turn: int
    comparison: Comparison
    items: tuple[tuple[DifferenceItem, ...], tuple[DifferenceItem, ...]]
    seconds: float = 0.0
    """How long it took to compute."""


def turn_differences(
    view: ComparisonView, before: Comparison, turn: int, weights: Weights, newer: Event
) -> TurnDifferences | None:
    """Compute the differences of a turn, in a thread, starting from the comparison at a turn before.

    None where `newer` is set, because another turn is wanted, and this one takes long.
    """
    began, stop = time.monotonic(), CooperativeStop(newer)
    try:
        comparison = comparison_at(before, turn, lambda: stop.is_set() and time.monotonic() - began > _PATIENCE)
    except ReplayCancelled:
        return None
    left, right = (tuple(_items(view, comparison, side, weights)) for side in SIDES)
    return TurnDifferences(view, turn, comparison, (left, right), time.monotonic() - began)


def _items(view: ComparisonView, comparison: Comparison, side: Side, weights: Weights) -> Iterator[DifferenceItem]:
    """What only one side has, the class of facts with the largest weight first."""
    here = SIDES.index(side)
    numbers = view.numbers[here]
    facts = comparison.facts_of(side)
    for fact in sorted(facts, key=lambda fact: (-weights[fact.cls], NAMES.index(fact.cls))):
        state = fact.states[1 - here]
        other = "in reach" if state == "recoverable" else "only named" if state == "named" else "lost"
        yield DifferenceItem(FACT, fact.cls, fact.text, fact.message, numbers.get(fact.message, 0), other)
    for pair in comparison.fuller_messages(side):
        message = pair.left if side == "left" else pair.right
        number = numbers.get(message.id, 0)
        yield DifferenceItem(MESSAGE, speaker(message, {}), message.preview, message.id, number, pair.fates[1 - here])
    for message in comparison.alone[here]:
        number = numbers.get(message.id, 0)
        yield DifferenceItem(OWN, speaker(message, {}), message.preview, message.id, number, "never told")
