"""Mask old tool results by placeholders that describe them. After the JetBrains study of 2025."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from inspector.engine.strategies.knobs import recent_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window

MASK = "[masked: "


@dataclass(frozen=True)
class MaskObservationsSettings:
    keep: int = recent_knob(10, "Number of newest tool results to keep verbatim.", high=10_000)


def mask_observations(window: Window, settings: MaskObservationsSettings, _services: Services) -> Plan:
    """Replace older tool results by a line with the tool's name, the size and the message id."""
    builder = PlanBuilder(window)
    newest = builder.newest_results(settings.keep)
    builder.keep(newest, f"among the newest {settings.keep:,} results")
    reason = f"older than the newest {settings.keep:,} results"
    mask(builder, [index for index in builder.results() if index not in newest], reason)
    return builder.finish("mask_observations", settings)


def mask(builder: PlanBuilder, places: Sequence[int], reason: str, enough: float = inf) -> int:
    """Mask tool results that are not masked yet until enough tokens are saved. Returns the tokens saved.

    Args:
        builder: Builder of the plan.
        places: Positions of the tool results.
        reason: Reason to record in the fates.
        enough: Tokens to save.
    """
    window = builder.window
    messages, tokens = window.messages, window.tokens

    def text(index: int) -> str | None:
        message = messages[index]
        if message.preview.startswith(MASK):
            return None
        tool = window.tool_names.get(message.id, "tool")
        return f"{MASK}{tool} result of {tokens[index]:,} tokens, message {message.id}]"

    return builder.retell(places, text, reason, MASK, lambda index: (MASK, tokens[index]), enough)
