"""Sliding window by tokens: keep the newest consecutive groups that fit into `max_tokens`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from inspector.engine.strategies.fitting import note_excess
from inspector.engine.strategies.knobs import target_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window


@dataclass(frozen=True)
class TokenWindowSettings:
    max_tokens: int = target_knob(
        "Maximum tokens of the window. System prompt, tools and protected messages come first."
    )


def token_window(window: Window, settings: TokenWindowSettings, _services: Services) -> Plan:
    """Drop the oldest groups that do not fit."""
    builder = PlanBuilder(window)
    candidates = builder.candidates()
    orphan_tokens = builder.size(window.groups.orphans)
    weights = builder.weights(candidates)
    free = settings.max_tokens - (window.total - orphan_tokens - sum(weights))
    fits = len(candidates)
    for tokens in reversed(weights):
        free -= tokens
        if free < 0:
            break
        fits -= 1
    builder.drop(chain.from_iterable(candidates[:fits]), f"does not fit into {settings.max_tokens:,} tokens")
    builder.keep_rest(f"fits into {settings.max_tokens:,} tokens")
    note_excess(builder, settings.max_tokens)
    return builder.finish("token_window", settings)
