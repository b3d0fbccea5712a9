"""What was lost and then needed after all, judged by the recording itself: no model is asked.

A fact is needed when a reply, as it was recorded, says it or gives it to a tool. It is regretted when at that time it
was neither in the window nor to be had back, and had been in the log before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.conversation import Message
from inspector.facts.classes import FactClass
from inspector.facts.retention import LOST, RECOVERABLE, RETAINED, FactTracker


@dataclass(frozen=True, slots=True)
class Regret:
    """A fact that a reply needed and that the window no longer held."""

    turn: int
    """The turn whose reply needed it."""
    fact: str
    cls: FactClass
    lost_at: int
    """The turn whose request was the first without it, up to `turn`."""
    message: str
    """The id of the reply."""
    source: str
    """The id of the message that had told the fact first."""


def regrets(ledger: FactTracker, turn: int, reply: Message) -> tuple[Regret, ...]:
    """What the reply of `turn` needed and was lost, the weightiest first. To be asked before the reply is added.

    A fact is regretted once for each loss: the reply that says it again brings it back into the window.
    """
    return tuple(_regrets_in(ledger, turn, reply, LOST))


def recalls(ledger: FactTracker, turn: int, reply: Message) -> tuple[Regret, ...]:
    """What the reply of `turn` needed and was out of the window, but could have been had back; `lost_at` is 0."""
    return tuple(_regrets_in(ledger, turn, reply, RECOVERABLE))


def _regrets_in(ledger: FactTracker, turn: int, reply: Message, state: int) -> Iterator[Regret]:
    index, weights = ledger.index, ledger.weights
    needed = [
        fact
        for fact in index.telling(reply).needed
        if ledger.state[index.facts[fact].term] == state and index.is_missed(fact) and fact in ledger.source
    ]
    terms: set[int] = set()
    for fact in sorted(needed, key=lambda fact: (-weights[index.facts[fact].cls], fact)):
        cls, text, term = index.facts[fact]
        if term not in terms and ledger.state[index.days.get(term, term)] != RETAINED:
            terms.add(term)
            yield Regret(turn, text, cls, ledger.lost_at[term], reply.id, ledger.source[fact])
