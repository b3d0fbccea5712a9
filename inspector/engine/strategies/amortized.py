"""Above a limit, forget half of the messages at once, so that compression is rare. As in OpenHands."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.engine.strategies.knobs import knob, state_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window


@dataclass(frozen=True)
class AmortizedSettings:
    limit: int = knob(
        120,
        "Maximum number of messages, not counting system messages. Above it, half of that number is removed.",
        low=2,
        high=100_000,
        step=2,
        fit=lambda window: min(120, len(window.messages) * 3 / 4),
    )
    keep_first: int = knob(2, "Number of oldest messages to keep.", low=0, high=10_000, step=1)
    forgotten: str = knob("dropped", "Treatment of the other messages.", choices=("dropped", "summarised"))
    ratio: float = knob(0.3, "Size of a summary as a share of its source.", low=0.01, high=0.9, step=0.05)
    state_tokens: int = state_knob()


def amortized(window: Window, settings: AmortizedSettings, services: Services) -> Plan:
    """Remove the oldest messages after the first few until half the limit remains."""
    builder = PlanBuilder(window)
    turns = [index for index, message in enumerate(window.messages) if message.role != "system"]
    counts = frozenset(turns)
    rest = len(turns) - len(window.groups.orphans)
    if rest <= settings.limit:
        builder.note = f"{rest:,} messages do not exceed the limit of {settings.limit:,}"
        return builder.finish("amortized", settings)
    summarise = settings.forgotten == "summarised"
    first = frozenset(turns[: settings.keep_first])
    leavers: list[int] = []
    for members in builder.candidates(summaries=summarise):
        if rest <= settings.limit // 2:
            break
        if first.isdisjoint(members):
            leavers += members
            rest -= len(counts.intersection(members))
    leavers.sort()
    if summarise:
        builder.condense(leavers, settings.ratio, services)
        rest += len(builder.summaries)
    else:
        builder.drop(leavers, f"removed with half of {settings.limit:,} messages")
    if rest > settings.limit and not builder.note:
        builder.note = f"{rest:,} messages remain, because they are protected"
    builder.keep(first, f"among the first {settings.keep_first:,} messages")
    builder.keep_rest(f"in the newer half of {settings.limit:,} messages")
    return builder.finish("amortized", settings)
