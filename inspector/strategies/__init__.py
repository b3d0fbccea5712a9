"""The strategies: pure functions of a window and its settings that return a plan.

Adding one means writing one file and adding one entry to `STAGES` in `registry.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.strategies.draft import STRATEGIES, draft_plan
    from inspector.strategies.fitting import size_that_stays
    from inspector.strategies.knobs import Knob, initial_values, parse_settings
    from inspector.strategies.pipeline import PipelineSettings, Stage, format_stages, parse_stages, passes, value_for
    from inspector.strategies.plan_builder import PlanBuilder
    from inspector.strategies.recall_terms import recall_settings
    from inspector.strategies.registry import COSTS, Cost, Reduction, Strategy
    from inspector.strategies.services import MessageSearch, Services, Summariser
    from inspector.strategies.signals import WORDS, mark_pattern
    from inspector.strategies.vector_swap import RecallSettings

__all__ = [
    "COSTS",
    "STRATEGIES",
    "WORDS",
    "Cost",
    "Knob",
    "MessageSearch",
    "PipelineSettings",
    "PlanBuilder",
    "RecallSettings",
    "Reduction",
    "Services",
    "Stage",
    "Strategy",
    "Summariser",
    "draft_plan",
    "format_stages",
    "initial_values",
    "mark_pattern",
    "parse_settings",
    "parse_stages",
    "passes",
    "recall_settings",
    "size_that_stays",
    "value_for",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.strategies.draft": "STRATEGIES draft_plan",
        "inspector.strategies.fitting": "size_that_stays",
        "inspector.strategies.knobs": "Knob parse_settings initial_values",
        "inspector.strategies.pipeline": "PipelineSettings Stage format_stages parse_stages passes value_for",
        "inspector.strategies.plan_builder": "PlanBuilder",
        "inspector.strategies.recall_terms": "recall_settings",
        "inspector.strategies.registry": "COSTS Cost Reduction Strategy",
        "inspector.strategies.services": "MessageSearch Services Summariser",
        "inspector.strategies.signals": "WORDS mark_pattern",
        "inspector.strategies.vector_swap": "RecallSettings",
    },
)
