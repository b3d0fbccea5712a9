"""The cost that a file itself states for its calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from inspector.core.conversation import Session
from inspector.core.text import dollars, plural
from inspector.formats import FORMATS

_DIFFERENCE = 0.01
"""Share of the computed cost up to which a stated one is the same."""


class StatedCost(NamedTuple):
    """Dollars that the file states for the calls of an agent."""

    dollars: float
    calls: int
    """Calls with a stated cost; 0 if the file states one for the whole session."""


def stated_cost(session: Session, agent: str) -> StatedCost | None:
    """Return the cost that the file states for the calls of an agent, or None if it states none.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if session.format not in FORMATS or "cost" not in FORMATS[session.format].features:
        return None
    replies = (message for message in session.messages if message.is_reply and message.agent == agent)
    amounts = [FORMATS[session.format].stated_dollars(message.record) for message in replies]
    stated = [amount for amount in amounts if amount is not None]
    if stated:
        return StatedCost(sum(stated), len(stated))
    is_whole = session.stated_dollars is not None and session.agents == (agent,)
    return StatedCost(session.stated_dollars or 0.0, 0) if is_whole else None


def describe_stated_cost(session: Session, agent: str, computed: float) -> Iterator[str]:
    """Yield a sentence about the stated cost if it differs from the computed one.

    Args:
        session: Recorded session.
        agent: Agent whose calls are priced.
        computed: Cost from list prices, in dollars.
    """
    stated = stated_cost(session, agent)
    if stated and abs(stated.dollars - computed) > _DIFFERENCE * computed:
        calls = plural(stated.calls, "call") if stated.calls else "all calls"
        yield f"The file itself states {dollars(stated.dollars)} for {calls}."
