"""Weights of the classes of facts: what is shown behind the panel follows, and nothing is replayed for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from textual.pilot import Pilot
from textual.widgets import Static

from inspector.analysis.experiments.trials import (
    USUAL,
    TrialResult,
    TrialSetup,
    reweigh_replay,
    reweigh_result,
    run_trial as worked_out,
)
from inspector.analysis.replay.run import replay
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.facts import CLASSES, FactIndex, Weights
from inspector.engine.facts.classes import NAMES
from inspector.library import Library
from inspector.llm.models.prices import Price
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.weights import WeightList, WeightsScreen
from inspector.ui.screens.compare.screen import CompareScreen
from inspector.ui.screens.replay.screen import ReplayScreen
from inspector.ui.screens.tune import Tune
from inspector.ui.screens.tune.panels import RowList
from inspector.ui.widgets.pareto import Pareto
from tests.driving import SAMPLES, Opening, press, settled
from tests.generated import LONG, Ask, Step, recorded, sized, work
from tests.ui.test_pictures import PRICES

SAMPLE = SAMPLES / "coding-agent.jsonl"
given_weights = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 100).map(lambda tenths: tenths / 10)).filter(
    lambda given: any(given.get(name, CLASSES[name].weight) for name in NAMES)
)
SAID: list[Step] = [
    Ask("Never delete it. See /srv/a.csv."),
    *(work(content=LONG, result=f"{n} " + LONG * 4) for n in range(8)),
]
TOLD = recorded([*SAID, Ask("And the file?"), work(content="It is /srv/a.csv with 4711 rows.")])
SUBJECT = TrialSetup(TOLD, sized(TOLD), Price(2.5, 10.0, 1.25, 2.5, "some-model", "user"), facts=FactIndex(TOLD))
TIGHT = Preset("tight", 600, 0.2, 2, "deletion")
WIDE = Preset("wide", 1_200, 0.5, 4, "sliding_window")


@given(given_weights)
def test_a_row_is_weighed_as_if_it_were_replayed_with_the_weights(given: Mapping[str, float]) -> None:
    for preset in (TIGHT, WIDE):
        under = worked_out(replace(SUBJECT, weights=Weights(given)), preset)
        assert reweigh_result(worked_out(SUBJECT, preset), Weights(given)) == under


@given(given_weights)
def test_a_replay_is_weighed_as_if_it_were_made_with_the_weights(given: Mapping[str, float]) -> None:
    on = SUBJECT
    done = replay(on.session, on.sizes, TIGHT, on.price, facts=on.facts)
    under = replay(on.session, on.sizes, TIGHT, on.price, facts=on.facts, weights=Weights(given))
    found = reweigh_replay(done, Weights(given))
    assert (found.retained, found.retention) == (under.retained, under.retention)
    assert Counter(found.regrets) == Counter(under.regrets)
    keys = [(regret.turn, -Weights(given)[regret.cls]) for regret in found.regrets]
    assert keys == sorted(keys)


def panel(pilot: Pilot[Any]) -> WeightsScreen:
    screen = pilot.app.screen
    assert isinstance(screen, WeightsScreen)
    return screen


def tune_screen(pilot: Pilot[Any]) -> Tune:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Tune)
    return screen


def told(pilot: Pilot[None]) -> list[str]:
    return [note.message for note in pilot.app._notifications]


_usual: dict[tuple[str, str], TrialResult] = {}


def usual(setup: TrialSetup, preset: Preset) -> TrialResult:
    """The row of a preset with the usual weights, worked out once for all tests."""
    key = (setup.session.id, repr(preset))
    if key not in _usual:
        _usual[key] = worked_out(replace(setup, weights=USUAL), preset)
    return _usual[key]


def follows(screen: Tune, weights: Weights) -> bool:
    """Whether table, order and plane are those of the weights."""
    rows = [screen.state.table.results[entry.number] for entry in screen.state.table.rows]
    expected = [reweigh_result(usual(screen.state.context.setup, row.preset), weights) for row in rows]
    points = {point.name: point for point in screen.query_one(Pareto).points}
    return (
        not screen.state.table.stale
        and [row.retained for row in rows] == [row.retained for row in expected]
        and all(points[row.name].retention == row.retained and points[row.name].front == row.pareto for row in rows)
    )


async def test_the_table_and_the_plane_follow_at_once_and_nothing_is_replayed(running: Opening) -> None:
    async with running(SAMPLE) as pilot:
        await press(pilot, "4")
        screen = tune_screen(pilot)
        replays = screen.controller.worker.count
        await press(pilot, "W")
        see_every_class(pilot)
        await press(pilot, "down", "down", "down", ">", "+")
        raised = Weights({"error": CLASSES["error"].weight + 1.1})
        assert screen.state.weights == raised and follows(screen, raised)
        await press(pilot, "up", *["<"] * 4)
        weights = Weights({**raised.overrides, "task": 0.0})
        assert screen.state.weights == weights and follows(screen, weights)
        assert "keeps" in str(panel(pilot).query_one("#effect", Static).render())
        await press(pilot, "u")
        assert screen.state.weights == raised and follows(screen, raised)
        await press(pilot, "0")
        assert screen.state.weights == USUAL and follows(screen, USUAL)
        await turn_all_off(pilot)
        panel(pilot).query_one(WeightList).cursor = 0
        await press(pilot, "0", *["<"] * 3, "escape")
        weights = Weights({"constraint": 0.0})
        assert pilot.app.screen is screen and follows(screen, weights)
        assert screen.controller.worker.count == replays
        screen.controller.start_sweep((replace(PRESETS["balanced"], name="found", threshold=30_000),))
        await settled(pilot)
        assert any(entry.is_of_sweep for entry in screen.state.table.rows)
        assert follows(screen, weights), "what a sweep finds is weighed too"


def see_every_class(pilot: Pilot[Any]) -> None:
    """Each with its weight and its facts."""
    rows = panel(pilot).query_one(WeightList)
    none = next(row for row in tune_screen(pilot).state.table.results.values() if row.name == "none")
    counts = Counter({cls: share.total for cls, share in none.retention.items()})
    assert rows.facts == counts and rows.count == len(NAMES)
    lines = ["".join(run for run, _ in rows.spans(line, 72)) for line in range(rows.count)]
    for name, line in zip(NAMES, lines, strict=True):
        assert line.split()[0] == name and f"{CLASSES[name].weight:.1f}" in line
        assert line.split()[-1] == f"{counts[name]:,}" and len(line) == 72
    assert sum(rows.share(name) for name in NAMES) == pytest.approx(1)
    assert CLASSES["constraint"].about in str(panel(pilot).query_one("#about", Static).render())


async def turn_all_off(pilot: Pilot[Any]) -> None:
    """One class must count: the last one stays."""
    screen = panel(pilot)
    for place in range(len(NAMES)):
        screen.query_one(WeightList).cursor = place
        for _ in range(4):
            screen.action_turn(-10)
    await settled(pilot)
    assert [name for name in NAMES if screen.weights[name]] == [NAMES[-1]]
    assert "At least one class needs a positive weight" in told(pilot)[-1]
    screen.action_turn(1_000)
    assert screen.weights[NAMES[-1]] == 10.0


async def test_weights_hold_on_every_screen_of_the_session_and_not_for_another(running: Opening) -> None:
    async with running(SAMPLE) as pilot:
        await press(pilot, "3", "W", *["<"] * 3, "escape")
        weights = Weights({"constraint": 0.0})
        screen = pilot.app.screen
        assert isinstance(screen, ReplayScreen) and screen.state.progress is not None
        assert screen.state.weights == weights
        film, on = screen.state.progress, screen.state.progress.bench
        index = FactIndex(on.session)
        under = replay(on.session, on.sizes, film.preset, film.price, facts=index, weights=weights)
        assert (
            film.replay.retained
            == under.retained
            != replay(on.session, on.sizes, film.preset, film.price, facts=index).retained
        )
        await press(pilot, "4")
        assert tune_screen(pilot).state.weights == weights and follows(tune_screen(pilot), weights)
        rows = tune_screen(pilot).query_one(RowList)
        rows.cursor = next(n for n, each in enumerate(rows.table.rows) if each.preset == PRESETS["balanced"])
        await press(pilot, "v")
        compare = pilot.app.screen
        assert isinstance(compare, CompareScreen) and compare.state.view is not None
        assert compare.state.weights == weights
        assert compare.state.view.results(weights)[1].retained == under.retained
        await press(pilot, "W", "0", "escape", "escape")
        assert tune_screen(pilot).state.weights == USUAL and compare.state.weights == USUAL
        await press(pilot, "3", "W", "+", "escape")
        pilot.app.open(str(SAMPLES / "support-ticket.json"))  # type: ignore[attr-defined]
        await settled(pilot)
        await press(pilot, "4")
        assert tune_screen(pilot).state.weights == USUAL and follows(tune_screen(pilot), USUAL)


# pictures

Picture = Callable[..., bool]
sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=["80x24", "120x40", "200x50"])


@pytest.fixture
def prices(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, encoding="utf-8")
    monkeypatch.setattr("inspector.llm.models.overrides.own_path", lambda: path)


@sizes
@pytest.mark.usefixtures("prices")
def test_weights_over_the_presets(snap_compare: Picture, library: Library, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await press(pilot, "4", "W", "down", "+", "+")
        assert panel(pilot).weights == Weights({"decision": 2.7})

    app = InspectorApp([str(SAMPLES / "research.json")], library, look_around=False)
    assert snap_compare(app, terminal_size=size, run_before=before)
