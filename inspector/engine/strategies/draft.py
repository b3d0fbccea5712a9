"""Draft a plan with a strategy by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.engine.strategies.knobs import initial_values
from inspector.engine.strategies.registry import STRATEGIES
from inspector.engine.strategies.services import Services
from inspector.engine.strategies.state_keeping import with_state
from inspector.engine.window import Plan, Window


def draft_plan(
    window: Window, name: str, values: Mapping[str, Any] | None = None, services: Services | None = None
) -> Plan:
    """Return the plan of a strategy for a window.

    Args:
        window: The window to compress.
        name: Name of the strategy.
        values: Settings by name. Missing ones have their initial value for this window.
        services: Services for the strategy; new ones by default.
    """
    strategy = STRATEGIES[name]
    settings = strategy.settings(**(initial_values(strategy.settings, window) | dict(values or {})))
    return strategy.plan(window, settings, with_state(window, settings, services or Services()))
