"""Results under other weights of the classes of facts: nothing is replayed for it, only the sums are made anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inspector.experiments.trials import TrialResult
from inspector.facts import Kept, Retention, Weights, fact_class
from inspector.replay import Replay

USUAL = Weights()


def reweigh_result(row: TrialResult, weights: Weights) -> TrialResult:
    """A row of Tune with the shares that it keeps and has in reach under some weights."""
    if not row.retention:
        return row
    retention = _retention(row.retention, weights)
    return replace(row, retained=retention.share, reach=retention.reach)


def reweigh_replay(run: Replay, weights: Weights) -> Replay:
    """A replay with the share that it keeps under some weights, and of a turn's regrets the weightiest first."""
    if run.facts is None:
        return run
    regrets = sorted(run.regrets, key=lambda regret: (regret.turn, -weights[regret.cls]))
    return replace(run, facts=Retention(run.facts.classes, weights), regrets=tuple(regrets))


def _retention(classes: Mapping[str, Kept], weights: Weights) -> Retention:
    return Retention({fact_class(name): kept for name, kept in classes.items()}, weights)
