"""Drop the thinking of earlier turns. It is removed whole, never edited, and its results are in the conversation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from operator import attrgetter

from inspector.core.conversation import Message, Raw
from inspector.engine.strategies.knobs import recent_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window
from inspector.llm.providers import wire_of


@dataclass(frozen=True)
class ClearThinkingSettings:
    keep: int = recent_knob(1, "Number of newest user turns that keep their thinking.", high=1_000)


def clear_thinking(window: Window, settings: ClearThinkingSettings, _services: Services) -> Plan:
    """Remove the thinking from replies before the newest user turns."""
    builder = PlanBuilder(window)
    requests = window.cached_form(_requests)
    recent = requests[-settings.keep :] if settings.keep else [len(window.messages)]
    newest = recent[0] if len(requests) >= settings.keep else 0
    thinkers = [
        index
        for index in compress(range(newest), map(attrgetter("thinks"), window.messages))
        if window.messages[index].role == "assistant" and index not in builder.protection
    ]
    builder.rewrite(thinkers, "without thinking", _thoughtless, "its thinking belongs to an earlier turn")
    builder.keep_rest("no thinking of an earlier turn")
    return builder.finish("clear_thinking", settings)


def _requests(window: Window) -> list[int]:
    """Return the positions of the user's chat messages."""
    return [i for i, message in enumerate(window.messages) if message.role == "user" and message.kind == "chat"]


def _thoughtless(message: Message) -> Raw | None:
    return wire_of(message.dialect).without_thinking(message.raw)
