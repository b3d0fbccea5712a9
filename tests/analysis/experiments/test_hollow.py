"""Policies that delete everything never rank above the presets, on recorded sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.analysis.experiments import TrialSetup, rank, recommend_preset, run_trial
from inspector.analysis.replay import NONE
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.facts import FactIndex
from inspector.formats import load
from inspector.llm.models.prices import price_of
from inspector.llm.tokens.sizes import estimate_sizes
from tests.places import ROOT

DATA = ROOT.parent / "shared"
HOLLOW = [
    Preset(f"{strategy} {threshold}", threshold, 0.3, 20, strategy, settings)
    for strategy, settings in (("vector_swap", {"keep_last": 0, "k": 0}), ("mask_observations", {"keep": 0}))
    for threshold in (40_000, 5_000)
]
FILES = [
    *(ROOT / "sessions").glob("*.json*"),
    *sorted((DATA / "data-more").glob("*/*.jsonl"), key=lambda path: path.stat().st_size)[:5],
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_deletes_everything_ranks_below_every_preset(path: Path) -> None:
    session = load(path)[0]
    setup = TrialSetup(session, estimate_sizes(session), price_of(session.model), facts=FactIndex(session))
    presets = [run_trial(setup, preset) for preset in PRESETS.values()]
    hollow = [row for preset in HOLLOW if (row := run_trial(setup, preset)).compressions]
    for row in hollow:
        assert all(rank(preset) < rank(row) for preset in presets), row.name
    best = recommend_preset([run_trial(setup, NONE), *presets, *hollow]).best
    assert best not in hollow
