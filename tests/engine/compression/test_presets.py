"""What a preset fixes, and the three that come with the project."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.strategies import STRATEGIES, draft_plan
from tests.generated import Ask, Reply, window_of, work


def test_the_three_presets_are_those_of_the_requirements() -> None:
    assert {name: astuple(preset)[1:5] for name, preset in PRESETS.items()} == {
        "aggressive": (30_000, 0.2, 10, "sliding_window"),
        "balanced": (40_000, 0.3, 20, "sliding_window"),
        "conservative": (60_000, 0.5, 30, "selective"),
    }
    assert all(name == preset.name for name, preset in PRESETS.items())
    assert PRESETS["balanced"].about == "documented default"


def test_what_is_not_said_stands_at_the_documented_defaults() -> None:
    preset = Preset("mine")
    assert (preset.threshold, preset.ratio, preset.keep_recent) == (40_000, 0.3, 20)
    assert (preset.strategy, preset.enabled, preset.preserve_system) == ("sliding_window", True, True)


def test_a_preset_gives_its_strategy_only_what_that_can_be_set_to() -> None:
    assert Preset("p", ratio=0.2, keep_recent=5).values() == {"keep_recent": 5, "ratio": 0.2}
    assert Preset("p", keep_recent=5, strategy="deletion").values() == {"keep_recent": 5}
    assert Preset("p", ratio=0.2, strategy="token_window", settings={"max_tokens": 900}).values() == {"max_tokens": 900}


def test_further_settings_win_over_the_common_ones() -> None:
    assert Preset("p", keep_recent=5, settings={"keep_recent": 7}).values()["keep_recent"] == 7


@pytest.mark.parametrize("name", PRESETS)
def test_what_a_preset_gives_fits_its_strategy(name: str) -> None:
    preset = PRESETS[name]
    window = window_of(Ask(), work(), Reply(), Ask())
    plan = draft_plan(window, preset.strategy, preset.values())
    assert preset.strategy in STRATEGIES
    assert {key: plan.settings[key] for key in preset.values()} == preset.values()


def test_a_window_is_due_above_the_threshold_and_never_where_it_is_switched_off() -> None:
    preset = Preset("p", threshold=100)
    assert [preset.due(tokens) for tokens in (99, 100, 101)] == [False, False, True]
    assert not Preset("p", threshold=100, enabled=False).due(101)
