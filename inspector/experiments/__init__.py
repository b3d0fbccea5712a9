"""Many replays of one session: presets side by side, grids, sweeps, recommendations, and probes with needles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.experiments.dialogues.evaluation import (
        BUDGETS,
        LEAST,
        Cell,
        Evaluation,
        Tally,
        Tracking,
        evaluate_dialogues,
    )
    from inspector.experiments.dialogues.searches import (
        DEPTHS_OF_SEARCH,
        SearchResult,
        SearchTally,
        evaluate_searches,
    )
    from inspector.experiments.grid import parse_axes, preset_grid
    from inspector.experiments.needles.insert import InsertionError
    from inspector.experiments.needles.probe import DEPTHS, Candidate, Probe, ProbeRun, run_probe
    from inspector.experiments.needles.synthetic import conversation
    from inspector.experiments.recommend import RULE, Recommendation, rank, recommend_preset
    from inspector.experiments.sweep import Progress, SweepError, run_sweep, sweep_results
    from inspector.experiments.trials import (
        COLUMNS,
        USUAL,
        TrialResult,
        TrialSetup,
        as_reported,
        column_of,
        mark_front,
        policy_key,
        reweigh_replay,
        reweigh_result,
        run_trial,
        sort_results,
        start_trial,
        trial_result,
    )

__all__ = [
    "BUDGETS",
    "COLUMNS",
    "DEPTHS",
    "DEPTHS_OF_SEARCH",
    "LEAST",
    "RULE",
    "USUAL",
    "Candidate",
    "Cell",
    "Evaluation",
    "InsertionError",
    "Probe",
    "ProbeRun",
    "Progress",
    "Recommendation",
    "SearchResult",
    "SearchTally",
    "SweepError",
    "Tally",
    "Tracking",
    "TrialResult",
    "TrialSetup",
    "as_reported",
    "column_of",
    "conversation",
    "evaluate_dialogues",
    "evaluate_searches",
    "mark_front",
    "parse_axes",
    "policy_key",
    "preset_grid",
    "rank",
    "recommend_preset",
    "reweigh_replay",
    "reweigh_result",
    "run_probe",
    "run_sweep",
    "run_trial",
    "sort_results",
    "start_trial",
    "sweep_results",
    "trial_result",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.experiments.dialogues.evaluation": (
            "BUDGETS LEAST Cell Evaluation Tally Tracking evaluate_dialogues"
        ),
        "inspector.experiments.dialogues.searches": "DEPTHS_OF_SEARCH SearchResult SearchTally evaluate_searches",
        "inspector.experiments.grid": "parse_axes preset_grid",
        "inspector.experiments.needles.insert": "InsertionError",
        "inspector.experiments.needles.probe": "DEPTHS Candidate Probe ProbeRun run_probe",
        "inspector.experiments.needles.synthetic": "conversation",
        "inspector.experiments.recommend": "RULE Recommendation rank recommend_preset",
        "inspector.experiments.sweep": "Progress SweepError run_sweep sweep_results",
        "inspector.experiments.trials": (
            "COLUMNS TrialResult TrialSetup column_of mark_front "
            "policy_key as_reported run_trial sort_results start_trial trial_result USUAL reweigh_replay reweigh_result"
        ),
    },
)
