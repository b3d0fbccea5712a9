"""Determine how much archived content is retrieved: by the settings of the newest plan that archives anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.engine.strategies.pipeline import parse_stages
from inspector.engine.strategies.vector_swap import RecallSettings
from inspector.engine.window import Plan, archived_ids

_SWAP = "vector_swap"


def recall_settings(plans: Sequence[Plan]) -> RecallSettings | None:
    """Return the retrieval settings under a stack of plans, oldest first; None if nothing can be retrieved."""
    newest = next((plan for plan in reversed(plans) if archived_ids(plan)), None)
    settings = retrieval_settings(newest.strategy, newest.settings) if newest else None
    return settings if settings and settings.is_on else None


def retrieval_settings(strategy: str, settings: Mapping[str, Any]) -> RecallSettings | None:
    """Return the retrieval settings of a strategy, or of the stages of a pipeline; None if it archives nothing."""
    if strategy == _SWAP:
        return RecallSettings.of(settings)
    try:
        stages = parse_stages(str(settings.get("stages", "")))
    except ValueError:
        return None
    return next((RecallSettings.of(stage.settings) for stage in stages if stage.name == _SWAP), None)
