"""Replays of long files are kept between runs, and used again only for the same content and settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from inspector.analysis.experiments import TrialSetup, start_trial
from inspector.analysis.replay import RECORDED, Replay
from inspector.engine.compression import PRESETS, Preset
from inspector.engine.facts import Weights
from inspector.library import Library, Workbench, kept_replay
from inspector.llm.models import session_price
from tests.benchmarks.big_log import write_log


class ReplayStarted(Exception):  # noqa: N818  what the tests ask for, not a fault
    """Raised in place of a replay."""


def started() -> NoReturn:
    raise ReplayStarted


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "session.jsonl"
    write_log(path, 120)
    return path


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store.db") as library:
        yield library


def opened(library: Library, path: Path) -> tuple[Workbench, TrialSetup]:
    bench = library.open(str(path)).bench
    return bench, TrialSetup(bench.session, bench.sizes, session_price(bench.session), kept=bench.kept_results)


def run(bench: Workbench, subject: TrialSetup, preset: Preset) -> Replay:
    replay = start_trial(replace(subject, facts=bench.fact_index()), preset)
    assert list(replay.frames())
    return replay.replay()


def test_a_kept_replay_equals_a_new_one_but_for_its_plans(library: Library, log: Path) -> None:
    bench, subject = opened(library, log)
    preset = PRESETS["aggressive"]
    first = kept_replay(bench, subject, preset, lambda: run(bench, subject, preset))
    assert first.compactions and first.plans and first.questions and first.regrets
    again, subject = opened(library, log)
    kept = kept_replay(again, subject, preset, started)
    bare = tuple(replace(event, plan=None) for event in first.compactions)
    assert replace(kept, facts=None) == replace(first, plans=(), compactions=bare, facts=None)
    assert kept.facts is not None and first.facts is not None
    assert kept.facts.classes == first.facts.classes
    assert (kept.retained, kept.reach, kept.cost) == (first.retained, first.reach, first.cost)


def test_other_settings_are_replayed(library: Library, log: Path) -> None:
    bench, subject = opened(library, log)
    preset = PRESETS["conservative"]
    kept_replay(bench, subject, preset, lambda: run(bench, subject, preset))
    assert kept_replay(bench, subject, preset, started)
    for other, setup in (
        (replace(preset, threshold=9_000), subject),
        (preset, replace(subject, weights=Weights({"path": 2.0}))),
        (preset, replace(subject, price=replace(subject.price, input=99.0))),
        (RECORDED, subject),
    ):
        with pytest.raises(ReplayStarted):
            kept_replay(bench, setup, other, started)


def test_retrieved_content_is_never_kept(library: Library, log: Path) -> None:
    bench, subject = opened(library, log)
    preset = replace(PRESETS["aggressive"], name="swap", strategy="vector_swap", threshold=4_000)
    result = kept_replay(bench, subject, preset, lambda: run(bench, subject, preset))
    assert any(frame.back for frame in result.frames)
    with pytest.raises(ReplayStarted):
        kept_replay(bench, subject, preset, started)
