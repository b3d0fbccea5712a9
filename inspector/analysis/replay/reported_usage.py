"""The usage that the provider reported for an agent's calls, and its cost at the prices of their models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Annotated

from inspector.core.conversation import MAIN, Session
from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.llm.models import Cost, Price, add_usage, billed_calls, cost


@json_object(
    "Reported", "calls unreported sent answered cache_read cache_write cache_write_1h peak cost parts by_model"
)
@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """Reported calls of one agent. Sizes are in tokens and money in dollars."""

    calls: int
    unreported: Annotated[int, "calls without reported usage, which the other numbers exclude"]
    sent: Tokens
    answered: Tokens
    cache_read: Tokens
    cache_write: Tokens
    cache_write_1h: Annotated[Tokens, "the part of `cache_write` with a lifetime of an hour"]
    peak: Tokens
    """Tokens of the largest window that was sent."""
    parts: Cost
    by_model: Annotated[Mapping[str, Dollars], "`cost` by model as recorded"]

    @property
    def cost(self) -> Dollars:
        return self.parts.total


def reported_calls(session: Session, price: Price, agent: str = MAIN) -> ReportedUsage | None:
    """Return the reported usage of an agent's calls; None if no usage was reported.

    Args:
        session: Recorded session.
        price: Price of its calls, by model and time.
        agent: Agent whose calls are added up.
    """
    calls = [call for call in billed_calls(session) if call.reply.agent == agent]
    paid = [(call.reply, call.usage) for call in calls if call.usage is not None]
    if not paid:
        return None
    by_model = dict[str, Cost]()
    for reply, usage in paid:
        model = reply.model or session.model
        by_model[model] = by_model.get(model, Cost()) + cost(price.of(reply), usage)
    total = reduce(add_usage, (usage for _, usage in paid))
    return ReportedUsage(
        len(paid),
        len(calls) - len(paid),
        total.input,
        total.output,
        total.cache_read,
        total.cache_write,
        total.cache_write_1h,
        max(usage.input for _, usage in paid),
        sum(by_model.values(), Cost()),
        {model: parts.total for model, parts in by_model.items()},
    )
