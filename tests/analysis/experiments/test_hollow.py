"""Policies that delete everything never rank above the presets, on recorded sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.analysis.experiments import TrialSetup, rank, recommend_preset, run_trial
from inspector.analysis.replay import NONE
from inspector.core.conversation import Message
from inspector.engine.compression import fit_notice
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.facts import SENTENCES, FactIndex, extract
from inspector.engine.strategies import Services
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
RECENT = Preset("recent", 60_000, 0.6, 60, "sliding_window")
"""A large recent window with a summary of the rest."""
HOLLOW_BY_FEW = [
    Preset("results cut to 100 characters", 30_000, 0.5, 4, "trim_outputs", {"longest": 100}),
    Preset("everything masked", 20_000, 0.3, 4, "mask_observations", {"keep": 0}),
    Preset("everything archived", 20_000, 0.3, 4, "vector_swap", {"keep_last": 0, "k": 0}),
    Preset("the newest six messages", 20_000, 0.3, 6, "deletion"),
    Preset("a threshold of one token", 1, 0.05, 6, "sliding_window"),
]
IDENTIFIERS_ONLY = Preset("identifiers only", 20_000, 0.3, 4, "sliding_window")
FILES = [
    *(ROOT / "sessions").glob("*.json*"),
    *sorted((DATA / "data-more").glob("*/*.jsonl"), key=lambda path: path.stat().st_size)[:5],
]


def list_identifiers(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """Return the identifiers in messages, without what is said about them."""
    names = list(dict.fromkeys(fact.text for one in messages for fact in extract(one) if fact.cls not in SENTENCES))
    while names and count(", ".join(names)) > target:
        del names[len(names) // 2 :]
    return ", ".join(names) or "None."


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


@pytest.mark.parametrize("name", ["coding-agent.jsonl", "research.json"])
def test_a_large_recent_window_ranks_above_what_keeps_little(name: str) -> None:
    session = load(ROOT / "sessions" / name)[0]
    setup = TrialSetup(session, estimate_sizes(session), price_of(session.model), facts=FactIndex(session))
    recent, hollow = run_trial(setup, RECENT), [run_trial(setup, preset) for preset in HOLLOW_BY_FEW]
    assert [row.name for row in hollow if not rank(recent) < rank(row)] == []
    names = run_trial(replace(setup, services=Services(list_identifiers)), IDENTIFIERS_ONLY)
    assert names.compressions and rank(recent) < rank(names)
    assert all(row.haste for row in hollow[:3]), "what was just read is masked, archived or cut"
    assert setup.scale.floor > 1 and "above 1 token, but" in fit_notice(setup.scale, {"a threshold of one token": 1})
