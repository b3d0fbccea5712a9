"""What the provider itself reported of the recorded calls: the numbers that no replay can know better.

A replay works out what a window would have held. Beside it stands what was billed: reported input counts what the
provider's own tokenizer saw, and its cache may have been cold where a replay finds it warm.
"""

from __future__ import annotations

from dataclasses import dataclass

from inspector.conversation import MAIN, Session
from inspector.models import Price, calls_of, cost


@dataclass(frozen=True, slots=True)
class Reported:
    """The calls of one agent, as far as they were reported. Sizes in tokens, money in dollars."""

    calls: int
    unreported: int
    """Calls without reported usage: they are in no other number here."""
    sent: int
    answered: int
    cache_read: int
    cache_write: int
    peak: int
    """The largest window that was sent."""
    cost: float
    """At the price that the rows beside it are billed at."""


def reported_calls(session: Session, price: Price, agent: str = MAIN) -> Reported | None:
    """The reported usage of an agent's calls; None where nothing was reported."""
    calls = [call.usage for call in calls_of(session) if call.reply.agent == agent]
    known = [usage for usage in calls if usage is not None]
    if not known:
        return None
    return Reported(
        len(known),
        len(calls) - len(known),
        sum(usage.input for usage in known),
        sum(usage.output for usage in known),
        sum(usage.cache_read for usage in known),
        sum(usage.cache_write for usage in known),
        max(usage.input for usage in known),
        sum(cost(price, usage).total for usage in known),
    )
