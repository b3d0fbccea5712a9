"""Keep the first and last messages, and drop or summarise those between."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from inspector.engine.strategies.knobs import knob, recent_knob, state_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.recent import recent
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window


@dataclass(frozen=True)
class HeadTailSettings:
    head: int = knob(4, "Number of oldest messages to keep verbatim.", low=0, high=10_000, step=1)
    tail: int = recent_knob(20, "Number of newest messages to keep verbatim.")
    middle: str = knob("dropped", "Treatment of the rest.", choices=("dropped", "summarised"))
    ratio: float = knob(0.3, "Size of a summary as a share of its source.", low=0.01, high=0.9, step=0.05)
    state_tokens: int = state_knob()


def head_tail(window: Window, settings: HeadTailSettings, services: Services) -> Plan:
    """Keep the oldest and newest messages in whole groups."""
    builder = PlanBuilder(window)
    first = _head(window, settings.head)
    last = recent(window, settings.tail)
    builder.keep(first, f"among the oldest {settings.head:,} messages")
    builder.keep(last, f"among the newest {settings.tail:,} messages")
    summarise = settings.middle == "summarised"
    between = [
        members
        for members in builder.candidates(summaries=summarise)
        if members[0] not in last and not first.intersection(members)
    ]
    if not summarise:
        rule = f"between the oldest {settings.head:,} and the newest {settings.tail:,} messages"
        builder.drop(chain.from_iterable(between), rule)
        return builder.finish("head_tail", settings)
    rest = sorted(index for members in between for index in members)
    builder.condense(rest, settings.ratio, services)
    return builder.finish("head_tail", settings)


def _head(window: Window, keep: int) -> frozenset[int]:
    """Return the positions of the first `keep` messages, without system messages and summaries, in whole groups."""
    places = [i for i, message in enumerate(window.messages) if message.role != "system" and message.kind != "summary"]
    groups = {window.groups.of[index] for index in places[:keep]}
    return frozenset(member for number in groups for member in window.groups.members[number])
