"""A strategy with its settings, as both front ends choose it, change it and try it."""

from __future__ import annotations

from dataclasses import replace

from inspector.engine.compression import PRESETS, Preset, StrategyChoice, choice_for
from inspector.engine.window import DEFAULT_THRESHOLD
from tests.library.test_workbench import TALK, bench_of

TIGHT = Preset("tight", 9_000, strategy="deletion", keep_recent=2)


def test_a_bare_strategy_starts_as_it_suits_the_window_and_has_no_threshold() -> None:
    choice = choice_for("deletion", bench_of(*TALK).window())
    assert (choice.name, choice.preset, choice.threshold) == ("deletion", None, DEFAULT_THRESHOLD)
    assert choice.is_due(0) and choice.idle(0) == ""
    assert set(choice.settings) == {knob.name for knob in choice.knobs}


def test_a_preset_sets_what_it_says_and_the_rest_suits_the_window() -> None:
    choice = choice_for(TIGHT, bench_of(*TALK).window())
    assert (choice.name, choice.strategy, choice.threshold) == ("tight", "deletion", 9_000)
    assert choice.settings["keep_recent"] == 2 and not choice.has_changes
    assert choice.with_value("keep_recent", 3).has_changes
    assert not choice.with_value("keep_recent", 3).with_value("keep_recent", 2).has_changes


def test_a_preset_leaves_alone_what_is_not_above_its_threshold_and_says_why() -> None:
    choice = StrategyChoice("deletion", TIGHT.values(), TIGHT)
    assert (choice.is_due(9_000), choice.is_due(9_001), choice.idle(9_001)) == (False, True, "")
    assert choice.idle(8_000) == (
        "The preset tight does not compress: 8,000 tokens do not exceed its threshold of 9,000."
    )
    off = replace(choice, preset=replace(TIGHT, enabled=False))
    assert off.idle(100_000) == "The preset tight does not compress: it is disabled."


def test_the_plan_of_a_preset_that_has_nothing_to_do_changes_nothing_and_says_why() -> None:
    window = bench_of(*TALK).window()
    choice = choice_for(TIGHT, window)
    plan = choice.draft(window)
    assert (plan.alters, plan.note) == (False, choice.idle(window.total))
    assert plan.ids == window.ids and plan.strategy == "deletion"
    forced = choice.draft(window, force=True)
    assert forced.alters and forced.counts["dropped"] > 0


def test_a_choice_is_saved_as_a_preset_that_gives_it_back() -> None:
    window = bench_of(*TALK).window()
    for preset in PRESETS.values():
        choice = choice_for(preset, window).with_value("keep_recent", 7)
        saved = choice.as_preset("mine", 12_000)
        assert (saved.name, saved.threshold, saved.keep_recent) == ("mine", 12_000, 7)
        assert "keep_recent" not in saved.settings and "ratio" not in saved.settings
        assert choice_for(saved, window).settings == choice.settings


def test_values_of_a_preset_are_changed_where_they_stand() -> None:
    preset = TIGHT.with_values({"threshold": 5_000, "keep_recent": 4, "strategy": "deletion"})
    assert (preset.threshold, preset.keep_recent, preset.settings) == (5_000, 4, {})
    selective = Preset("s", strategy="selective", settings={"tools": False, "keep_recent": 9})
    assert selective.with_value("keep_recent", 3).values()["keep_recent"] == 3
    assert selective.with_value("strategy", "sliding_window").settings == {"keep_recent": 9}
