"""The strategies: pure functions of a window and its settings that return a plan.

Adding one means writing one file and adding one line to `STRATEGIES`.
"""

from __future__ import annotations

from inspector.strategies.knobs import Knob, parsed, starting
from inspector.strategies.pipeline import Settings, Stage, parse_stages, passes, value_for, written
from inspector.strategies.plan_builder import PlanBuilder
from inspector.strategies.registry import COSTS, STRATEGIES, Cost, Kind, Strategy, draft_plan
from inspector.strategies.services import Services, Summariser
from inspector.strategies.signals import WORDS, marking

__all__ = [
    "COSTS",
    "STRATEGIES",
    "WORDS",
    "Cost",
    "Kind",
    "Knob",
    "PlanBuilder",
    "Services",
    "Settings",
    "Stage",
    "Strategy",
    "Summariser",
    "draft_plan",
    "marking",
    "parse_stages",
    "parsed",
    "passes",
    "starting",
    "value_for",
    "written",
]
