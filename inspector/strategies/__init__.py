"""The strategies: pure functions of a window and its settings that return a plan.

Adding one means writing one file and adding one entry to `STAGES` in `registry.py`.
"""

from __future__ import annotations

from inspector.strategies.draft import STRATEGIES, draft_plan
from inspector.strategies.knobs import Knob, parsed, starting
from inspector.strategies.pipeline import Settings, Stage, format_stages, parse_stages, passes, value_for
from inspector.strategies.plan_builder import PlanBuilder, Services, Summariser
from inspector.strategies.registry import COSTS, Cost, Reduction, Strategy
from inspector.strategies.signals import WORDS, marking

__all__ = [
    "COSTS",
    "STRATEGIES",
    "WORDS",
    "Cost",
    "Knob",
    "PlanBuilder",
    "Reduction",
    "Services",
    "Settings",
    "Stage",
    "Strategy",
    "Summariser",
    "draft_plan",
    "format_stages",
    "marking",
    "parse_stages",
    "parsed",
    "passes",
    "starting",
    "value_for",
]
