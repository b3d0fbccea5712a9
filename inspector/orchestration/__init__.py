"""How a framework's source or a recorded session handles memory: requirement 1's analysis as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.orchestration.findings import (
        CONFIDENCES,
        KINDS,
        TOPICS,
        Component,
        Confidence,
        Evidence,
        SourceFinding,
        Topic,
        Trigger,
    )
    from inspector.orchestration.outline import Outline, TierRow
    from inspector.orchestration.session.observed import Eviction, EvictionKind, Observations, observe
    from inspector.orchestration.session.report import SessionReport, describe_eviction, report_session
    from inspector.orchestration.source.analysis import SourceReport, analyse_source, main_assembly
    from inspector.orchestration.source.calls import CallStep
    from inspector.orchestration.source.files import SourceError
    from inspector.orchestration.source.outline import outline_of_source

__all__ = [
    "CONFIDENCES",
    "KINDS",
    "TOPICS",
    "CallStep",
    "Component",
    "Confidence",
    "Eviction",
    "EvictionKind",
    "Evidence",
    "Observations",
    "Outline",
    "SessionReport",
    "SourceError",
    "SourceFinding",
    "SourceReport",
    "TierRow",
    "Topic",
    "Trigger",
    "analyse_source",
    "describe_eviction",
    "main_assembly",
    "observe",
    "outline_of_source",
    "report_session",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.orchestration.findings": (
            "CONFIDENCES Component Confidence KINDS TOPICS Evidence SourceFinding Topic Trigger"
        ),
        "inspector.orchestration.outline": "Outline TierRow",
        "inspector.orchestration.session.observed": "Eviction EvictionKind Observations observe",
        "inspector.orchestration.session.report": "SessionReport describe_eviction report_session",
        "inspector.orchestration.source.analysis": "SourceReport analyse_source main_assembly",
        "inspector.orchestration.source.calls": "CallStep",
        "inspector.orchestration.source.files": "SourceError",
        "inspector.orchestration.source.outline": "outline_of_source",
    },
)
