"""The content that only one side has at a turn, as lines: facts by class, then messages."""

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
"""Seconds after which a computation stops for a newer turn. Most finish earlier, and are worth showing."""
FACT, MESSAGE, OWN = "fact", "message", "own"
"""Kinds of items: a fact, a message that the other side has less of, or a message that only this side's log has."""


class DifferenceItem(NamedTuple):
    """An item that only one side has."""

    kind: str
    """`FACT`, `MESSAGE` or `OWN`."""
    label: str
    """Class of the fact, or role of the message."""
    text: str
    message: str
    """ID of the message that stated it first, on the side that has it."""
    number: int
    """Number of that message in the log, from 1; 0 if it is not in the log."""
    other: str
    """State of the item on the other side, in words."""


@dataclass(frozen=True)
class TurnDifferences:
    """Items that each side has alone at a turn."""

    view: ComparisonView
    turn: int
    comparison: Comparison
    items: tuple[tuple[DifferenceItem, ...], tuple[DifferenceItem, ...]]
    seconds: float = 0.0
    """Seconds that the computation took."""


def turn_differences(
    view: ComparisonView, before: Comparison, turn: int, weights: Weights, newer: Event
) -> TurnDifferences | None:
    """Compute the differences at a turn. Runs in a thread.

    Args:
        view: Both replays.
        before: Comparison at another turn to start from.
        turn: Row to compare, counted from 1.
        weights: Weights of the fact classes, which sort the facts.
        newer: Set when another turn is wanted.

    Returns:
        The differences, or None if a newer turn was wanted before they were complete.
    """
    began, stop = time.monotonic(), CooperativeStop(newer)
    mine, other = view.reached[turn - 1]
    try:
        comparison = comparison_at(before, mine, lambda: stop.is_set() and time.monotonic() - began > _PATIENCE, other)
    except ReplayCancelled:
        return None
    left, right = (tuple(_items(view, comparison, side, weights)) for side in SIDES)
    return TurnDifferences(view, turn, comparison, (left, right), time.monotonic() - began)


def _items(view: ComparisonView, comparison: Comparison, side: Side, weights: Weights) -> Iterator[DifferenceItem]:
    """Yield the items that only one side has: facts by descending weight of their class, then messages."""
    here = SIDES.index(side)
    numbers = view.numbers[here]
    facts = comparison.facts_of(side)
    for fact in sorted(facts, key=lambda fact: (-weights[fact.cls], NAMES.index(fact.cls))):
        state = fact.states[1 - here]
        other = "recoverable" if state == "recoverable" else "only named" if state == "named" else "lost"
        yield DifferenceItem(FACT, fact.cls, fact.text, fact.message, numbers.get(fact.message, 0), other)
    for pair in comparison.fuller_messages(side):
        message = pair.left if side == "left" else pair.right
        number = numbers.get(message.id, 0)
        yield DifferenceItem(MESSAGE, speaker(message, {}), message.preview, message.id, number, pair.fates[1 - here])
    for message in comparison.alone[here]:
        number = numbers.get(message.id, 0)
        yield DifferenceItem(OWN, speaker(message, {}), message.preview, message.id, number, "never stated")
