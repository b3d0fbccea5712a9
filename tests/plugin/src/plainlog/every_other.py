"""A strategy: every other message that may be dropped is dropped."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.engine.strategies import PlanBuilder, Services, Strategy, recent_knob
from inspector.engine.window import Plan, Window


@dataclass(frozen=True)
class EveryOtherSettings:
    keep_recent: int = recent_knob(4, "How many of the newest messages stay.")


def every_other(window: Window, settings: EveryOtherSettings, _services: Services) -> Plan:
    """Drop every other group of messages that is older than the newest ones."""
    builder = PlanBuilder(window)
    oldest_kept = len(window.messages) - settings.keep_recent
    groups = [members for members in builder.candidates() if members[-1] < oldest_kept]
    for members in groups[::2]:
        builder.drop(members, "every other message is dropped")
    builder.keep_rest("every other message stays")
    return builder.finish("every_other", settings)


EVERY_OTHER = Strategy(every_other, EveryOtherSettings, "lossy", "every other message is dropped", kind="drop")
