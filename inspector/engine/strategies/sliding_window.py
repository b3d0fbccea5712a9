"""Keep the newest messages word for word and summarise everything older. The documented default strategy."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain

from inspector.engine.strategies.knobs import knob, recent_knob, state_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.recent import recent
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window


@dataclass(frozen=True)
class SlidingWindowSettings:
    keep_recent: int = recent_knob(20, "Number of newest messages to keep verbatim.")
    ratio: float = knob(0.3, "Size of the summary as a share of its source.", low=0.01, high=0.9, step=0.05)
    state_tokens: int = state_knob()


def sliding_window(window: Window, settings: SlidingWindowSettings, services: Services) -> Plan:
    """Summarise everything older, including earlier summaries. A single summary is not summarised again."""
    builder = PlanBuilder(window)
    newest = recent(window, settings.keep_recent)
    older = sorted(
        chain.from_iterable([group for group in builder.candidates(summaries=True) if group[0] not in newest])
    )
    builder.keep(newest, f"among the newest {settings.keep_recent:,} messages")
    if all(window.messages[index].kind == "summary" for index in older):
        builder.note = no_op_reason(builder, newest, f"the newest {settings.keep_recent:,} messages")
    builder.condense(older, settings.ratio, services)
    return builder.finish("sliding_window", settings)


def no_op_reason(builder: PlanBuilder, newest: Collection[int], recent: str) -> str:
    """Return why nothing can be summarised: nothing is older, or everything older is protected.

    Args:
        builder: Builder of the plan.
        newest: Positions of the newest messages.
        recent: Description of the newest messages.
    """
    window = builder.window
    skips = {*newest, *window.groups.orphans, window.task}
    older = [message for index, message in enumerate(window.messages) if index not in skips]
    older = [message for message in older if message.role != "system" and message.kind != "summary"]
    if not older:
        return f"nothing is older than {recent}"
    pins = sum(message.id in window.pins for message in older)
    why = f", because {pins:,} of its messages {'is' if pins == 1 else 'are'} pinned" if pins else ""
    return f"everything older than {recent} is protected{why}"
