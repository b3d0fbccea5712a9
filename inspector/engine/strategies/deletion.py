"""Delete old messages without a summary."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from inspector.engine.strategies.knobs import recent_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.recent import recent
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window


@dataclass(frozen=True)
class DeletionSettings:
    keep_recent: int = recent_knob(20, "Number of newest messages to keep verbatim.")


def deletion(window: Window, settings: DeletionSettings, _services: Services) -> Plan:
    """Drop everything older than the newest messages."""
    builder = PlanBuilder(window)
    newest = recent(window, settings.keep_recent)
    older = chain.from_iterable([members for members in builder.candidates() if members[0] not in newest])
    builder.drop(older, f"older than the newest {settings.keep_recent:,} messages")
    builder.keep(newest, f"among the newest {settings.keep_recent:,} messages")
    return builder.finish("deletion", settings)
