"""All strategies by their names, and drafting a plan with one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.engine.strategies import pipeline
from inspector.engine.strategies.knobs import initial_values
from inspector.engine.strategies.registry import STAGES, Strategy
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window

STRATEGIES: dict[str, Strategy] = {
    **STAGES,
    "pipeline": Strategy(
        pipeline.pipeline,
        pipeline.PipelineSettings,
        "needs a model",
        "several strategies in a row, until the window fits",
        kind="other",
    ),
}
"""In the order in which they are offered: by what they cost, the mildest first."""


def draft_plan(
    window: Window, name: str, values: Mapping[str, Any] | None = None, services: Services | None = None
) -> Plan:
    """The plan of strategy `name` for a window; settings not given start as they suit the window."""
    strategy = STRATEGIES[name]
    settings = strategy.settings(**(initial_values(strategy.settings, window) | dict(values or {})))
    return strategy.plan(window, settings, services or Services())
