"""Many replays of one session: presets side by side, grids, sweeps, recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.experiments.grid import axes
    from inspector.experiments.needles.insert import InsertionError
    from inspector.experiments.needles.probe import DEPTHS, Contender, Course, Probe, probe
    from inspector.experiments.needles.synthetic import conversation
    from inspector.experiments.recommend import RULE, Verdict, rank, verdict
    from inspector.experiments.sweep import Progress, SweepError, swept
    from inspector.experiments.trials import (
        COLUMNS,
        TrialResult,
        TrialSetup,
        begun,
        column_of,
        marked,
        ordered,
        policy_key,
        row,
        row_of,
    )
    from inspector.experiments.weights import USUAL, reweighed, weighed

__all__ = [
    "COLUMNS",
    "DEPTHS",
    "RULE",
    "USUAL",
    "Contender",
    "Course",
    "InsertionError",
    "Probe",
    "Progress",
    "SweepError",
    "TrialResult",
    "TrialSetup",
    "Verdict",
    "axes",
    "begun",
    "column_of",
    "conversation",
    "marked",
    "ordered",
    "policy_key",
    "probe",
    "rank",
    "reweighed",
    "row",
    "row_of",
    "swept",
    "verdict",
    "weighed",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.experiments.grid": "axes",
        "inspector.experiments.needles.insert": "InsertionError",
        "inspector.experiments.needles.probe": "Contender Course DEPTHS Probe probe",
        "inspector.experiments.needles.synthetic": "conversation",
        "inspector.experiments.recommend": "RULE Verdict rank verdict",
        "inspector.experiments.sweep": "Progress SweepError swept",
        "inspector.experiments.trials": (
            "COLUMNS TrialResult TrialSetup begun column_of marked ordered policy_key row row_of"
        ),
        "inspector.experiments.weights": "USUAL reweighed weighed",
    },
)
