"""When a memory compresses, and when it leaves things alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given, strategies as st

from inspector.engine.compression.policy import Policy, Trigger
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.strategies import STRATEGIES


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_policy(name: str) -> None:
    preset = PRESETS[name]
    policy = Policy.of(preset)
    assert (policy.strategy, policy.threshold) == (preset.strategy, preset.threshold)
    assert policy.own_settings["keep_recent"] == preset.keep_recent
    assert policy.own_settings["ratio"] == preset.ratio


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_can_be_a_policy_and_is_told_the_target(name: str) -> None:
    policy = Policy.of(Preset("mine", threshold=10_000, strategy=name))
    strategy = STRATEGIES[name]
    strategy.settings(**policy.own_settings)
    for knob in strategy.knobs:
        if knob.role == "target":
            assert policy.own_settings[knob.name] == 5_000


def test_a_preset_with_a_strategy_that_there_is_not_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"There is no strategy 'nope'\. Strategies: dedupe"):
        Policy.of(Preset("mine", strategy="nope"))


def test_numbers_may_be_texts_and_whole_ones_may_have_a_point() -> None:
    policy = Policy(settings={"keep_recent": "12", "ratio": "0.2"})
    assert policy.settings == {"keep_recent": 12, "ratio": 0.2}
    assert Policy(settings={"keep_recent": 12.0}).settings == {"keep_recent": 12}


def test_a_setting_of_ones_own_goes_before_the_target() -> None:
    assert Policy("token_window", {"max_tokens": 1_234}).own_settings == {"max_tokens": 1_234}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"strategy": "magic"}, "There is no strategy 'magic'"),
        ({"settings": {"keep": 3}}, "sliding_window has no setting 'keep'. Settings: keep_recent, ratio"),
        ({"strategy": "pipeline", "settings": {"stages": ""}}, "a pipeline needs stages"),
        ({"threshold": 0}, "threshold must be a whole number of at least 1, not 0"),
        ({"threshold": 100, "target": 100}, "must be below the threshold, 100"),
        ({"minimum_progress": 1.0}, "minimum_progress must be a number from 0 to 0.99, not 1.0"),
        ({"give_up": 0}, "give_up must be a whole number of at least 1, not 0"),
        ({"threshold": "40000"}, "threshold must be a whole number of at least 1, not '40000'"),
        ({"enabled": 1}, "enabled must be True or False, not 1"),
        ({"settings": ["keep_recent"]}, "The settings of sliding_window must be a mapping"),
        ({"settings": {"ratio": 0.95}}, "ratio must be between 0.01 and 0.9, not 0.95"),
        ({"settings": {"keep_recent": True}}, "keep_recent must be a number from 0 to 100,000, not 'true'"),
        ({"strategy": "pipeline", "settings": {"stages": None}}, "stages must be text, not None"),
        ({"strategy": "vector_swap", "settings": {"k": 10**9}}, "k must be between"),
        ({"strategy": "head_tail", "settings": {"middle": "nope"}}, "middle must be one of"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_sentence(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Policy(**wrong)  # type: ignore[arg-type]


def test_a_pass_is_worth_it_from_a_tenth_on_or_where_it_meets_the_target() -> None:
    policy = Policy(threshold=1_000, target=950)
    assert policy.worthwhile(2_000, 1_800)
    assert not policy.worthwhile(2_000, 1_801)
    assert policy.worthwhile(1_001, 950)
    assert not policy.worthwhile(940, 940)
    assert not policy.worthwhile(1_001, 1_002)


def test_nothing_is_due_up_to_the_threshold_or_where_it_is_switched_off() -> None:
    policy = Policy(threshold=1_000)
    assert not Trigger(policy, 1_000).due(1_000, 10)
    assert Trigger(policy, 1_000).due(1_001, 10)
    assert not Trigger(replace(policy, enabled=False), 1_000).due(9_999, 10)


def test_after_a_pass_that_met_the_target_the_threshold_counts_again() -> None:
    trigger = Trigger(Policy(threshold=1_000, target=500))
    trigger.note_success(480)
    assert not trigger.due(1_000, 10)
    assert trigger.due(1_001, 10)


def test_after_a_pass_that_could_not_meet_the_target_some_has_to_come_in_first() -> None:
    trigger = Trigger(Policy(threshold=1_000, target=500))
    trigger.note_success(990)
    assert not trigger.due(1_240, 1_000)
    assert trigger.due(1_241, 10)


def test_an_attempt_that_came_to_nothing_is_repeated_after_growth_in_tokens_or_in_messages() -> None:
    trigger = Trigger(Policy(threshold=1_000))
    trigger.note_failure(1_010, 20, "It was too little.")
    assert not trigger.due(1_111, 21)
    assert trigger.due(1_112, 21)
    assert trigger.due(1_050, 22)


def test_after_three_attempts_it_waits_and_says_why_and_until_when() -> None:
    trigger = Trigger(Policy(threshold=1_000))
    for total in (1_100, 1_300, 1_600):
        assert trigger.gave_up == ""
        trigger.note_failure(total, 40, "It was too little.")
    assert trigger.gave_up == (
        "Waiting: the last 3 attempts had no effect. It was too little. Next attempt above 2,000 tokens or 50 messages."
    )
    assert not trigger.due(2_000, 49)
    assert trigger.due(2_001, 49)
    trigger.note_success(700)
    assert (trigger.gave_up, trigger.attempts) == ("", 0)


def test_it_waits_longer_with_every_attempt_after_that() -> None:
    trigger = Trigger(Policy(threshold=1_000, give_up=1))
    levels = []
    for _ in range(30):
        trigger.note_failure(2_000, 40, "It was too little.")
        levels.append(trigger.level)
    assert levels[:4] == [2_500, 3_000, 4_000, 6_000]
    assert levels[-1] == 34_000, "not for ever"
    assert "the last 30 attempts had no effect" in trigger.gave_up


def test_passing_the_limit_gives_one_more_attempt_however_long_it_was_to_wait() -> None:
    trigger = Trigger(Policy(threshold=1_000, limit=1_500))
    for _ in range(3):
        trigger.note_failure(1_490, 40, "It was too little.")
    assert not trigger.due(1_500, 40)
    assert trigger.due(1_501, 40)
    trigger.note_failure(1_501, 40, "It was too little.")
    assert not trigger.due(1_502, 40)


def test_past_the_limit_fewer_and_fewer_of_the_newest_stay() -> None:
    policy = Policy("sliding_window", {"keep_recent": 20}, limit=50_000)
    assert [item["keep_recent"] for item in policy.choices(50_000)] == [20]
    assert [item["keep_recent"] for item in policy.choices(50_001)] == [20, 10, 5, 2, 1, 0]
    assert [*Policy("dedupe", limit=50_000).choices(50_001)] == [Policy("dedupe").own_settings]


@given(st.lists(st.integers(1, 3_000), min_size=1, max_size=400))
def test_attempts_that_come_to_nothing_are_few(sizes: list[int]) -> None:
    """Each costs the length of the window: all together they cost a constant for each message."""
    trigger = Trigger(Policy(threshold=1_000), 1_000)
    work = 0
    for length, total in enumerate(accumulate(sizes), 1):
        if trigger.due(total, length):
            work += length
            trigger.note_failure(total, length, "It was too little.")
    assert work <= 22 * len(sizes)


def test_a_large_message_ends_the_wait_and_small_ones_do_not() -> None:
    trigger = Trigger(Policy(threshold=1_000, give_up=1), 1_000)
    trigger.note_failure(2_000, 10, "Nothing can be removed.")
    trigger.note_arrival(100, 2_100)
    assert trigger.gave_up and not trigger.due(2_100, 11)
    trigger.note_arrival(900, 2_400)
    assert not trigger.due(2_400, 11), "the newest message cannot be removed yet"
    assert trigger.due(2_401, 12) and not trigger.gave_up
