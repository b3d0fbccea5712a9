"""First in, first out: drop the oldest messages until at most `max_messages` remain."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.engine.strategies.knobs import knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window


@dataclass(frozen=True)
class FifoSettings:
    max_messages: int = knob(
        50,
        "Maximum number of messages, not counting system messages.",
        low=0,
        high=100_000,
        step=1,
        fit=lambda window: len(window.messages) / 2,
        role="recent",
    )


def fifo(window: Window, settings: FifoSettings, _services: Services) -> Plan:
    """Drop the oldest groups until few enough messages remain, not counting system messages."""
    builder = PlanBuilder(window)
    counts = [message.role != "system" for message in window.messages]
    rest = sum(counts) - len(window.groups.orphans)
    leavers: list[int] = []
    for members in builder.candidates():
        if rest <= settings.max_messages:
            break
        leavers += members
        rest -= sum(map(counts.__getitem__, members))
    builder.drop(leavers, f"older than the newest {settings.max_messages:,} messages")
    builder.keep_rest(f"among the newest {settings.max_messages:,} messages")
    if rest > settings.max_messages:
        builder.note = f"{rest:,} messages remain, because they are protected"
    return builder.finish("fifo", settings)
