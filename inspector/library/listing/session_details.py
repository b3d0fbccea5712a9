"""Numbers of a session that require the analysis of all its messages: its cost and its repeated reads."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.analysis import usage_breakdown
from inspector.core.conversation import Message, Session
from inspector.llm import models
from inspector.store import StoreError


@dataclass(frozen=True, slots=True)
class SessionDetails:
    """Cost and repeated reads of a session."""

    cost: float | None
    """Cost of all calls in US dollars; None if the usage or the price of a call is unknown."""
    rereads: int | None
    """Number of reads of a file or page that the same agent had read before; None if the texts cannot be read."""


def session_details(session: Session) -> SessionDetails:
    """Return the cost and the repeated reads of a session."""
    return SessionDetails(_dollars(session), _rereads(session))


def _dollars(session: Session) -> float | None:
    try:
        bill = models.session_cost(session)
    except ValueError:  # an invalid price set by the user
        return None
    is_known = bill.calls and not bill.gap and all(line.price.source != "default" for line in bill.lines)
    return bill.cost.total if is_known else None


def _rereads(session: Session) -> int | None:
    logs: dict[str, list[Message]] = {}
    for message in session.messages:
        logs.setdefault(message.agent, []).append(message)
    try:
        groups = [
            group for log in logs.values() for group in usage_breakdown.repeated_results(log) if not group.by_text
        ]
    except (OSError, StoreError):
        return None
    return sum(len(group.places) - 1 for group in groups)
