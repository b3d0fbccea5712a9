"""Settings as they are offered: their start, their steps, and what is typed for them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.strategies.knobs import Knob, initial_values, knob, knobs, parse_settings
from tests.generated import Ask, Reply, values, window_of

COUNT = Knob("keep_recent", "How many.", 20, low=0, high=100)
SHARE = Knob("ratio", "How much.", 0.3, low=0.01, high=0.9, step=0.05)
TOKENS = Knob("max_tokens", "How many.", 100_000, low=0, high=2_000_000, step=500)
CHOICE = Knob("order", "Which.", "age", choices=("age", "size", "score"))
SWITCH = Knob("deep", "Whether.", False)


@dataclass(frozen=True)
class Settings:
    keep: int = knob(20, "How many stay.", low=0, high=100)
    ratio: float = knob(0.3, "How much.", low=0.01, high=0.9, step=0.05)
    target: int = knob(9, "How large.", low=10, high=90, step=20, fit=lambda window: len(window.messages) * 25)


def test_the_knobs_of_a_settings_class_stand_in_the_order_of_its_fields() -> None:
    assert [item.name for item in knobs(Settings)] == ["keep", "ratio", "target"]
    assert knobs(Settings)[1] == Knob("ratio", "How much.", 0.3, low=0.01, high=0.9, step=0.05)


def test_a_knob_starts_at_its_default_or_where_it_suits_the_window() -> None:
    assert initial_values(Settings, window_of(Ask(), Reply())) == {"keep": 20, "ratio": 0.3, "target": 40}
    assert initial_values(Settings, window_of())["target"] == 10
    assert initial_values(Settings, window_of(*[Ask()] * 9))["target"] == 90


@pytest.mark.parametrize(
    ("each", "value", "steps", "expected"),
    [
        (COUNT, 20, 1, 21),
        (COUNT, 20, -3, 17),
        (COUNT, 0, -1, 0),
        (COUNT, 100, 1, 100),
        (SHARE, 0.3, 1, 0.35),
        (SHARE, 0.3, -1, 0.25),
        (SHARE, 0.32, 1, 0.35),
        (SHARE, 0.34, 1, 0.35),
        (SHARE, 0.32, -1, 0.3),
        (SHARE, 0.34, -1, 0.3),
        (SHARE, 0.05, -1, 0.01),
        (SHARE, 0.01, 1, 0.05),
        (SHARE, 0.9, 1, 0.9),
        (SHARE, 0.32, 0, 0.32),
        (TOKENS, 1_234, 1, 1_500),
        (TOKENS, 1_234, -1, 1_000),
        (CHOICE, "age", 1, "size"),
        (CHOICE, "age", -1, "score"),
        (CHOICE, "score", 1, "age"),
        (SWITCH, False, 1, True),
        (SWITCH, True, -1, False),
        (SWITCH, True, 2, True),
    ],
)
def test_a_knob_moves_by_notches_and_stops_at_its_ends(each: Knob, value: object, steps: int, expected: object) -> None:
    assert each.move(value, steps) == expected
    assert type(each.move(value, steps)) is type(expected)


@given(st.sampled_from([COUNT, SHARE, TOKENS]), st.data(), st.integers(1, 5))
def test_a_knob_always_moves_the_way_it_is_turned(each: Knob, data: st.DataObject, steps: int) -> None:
    value = data.draw(values(each, window_of(Ask())))
    assert each.move(value, steps) > value or each.move(value, steps) == each.clamp(each.high)
    assert each.move(value, -steps) < value or each.move(value, -steps) == each.clamp(each.low)


@given(st.sampled_from([COUNT, SHARE, TOKENS]), st.data(), st.integers(1, 5))
def test_turning_there_and_back_from_a_notch_inside_ends_where_it_began(
    each: Knob, data: st.DataObject, steps: int
) -> None:
    notch = data.draw(st.integers(1, int(each.high / each.step) - steps))
    value = each.clamp(notch * each.step)
    assert each.move(each.move(value, steps), -steps) == value


def test_a_value_outside_the_bounds_is_brought_to_the_nearest() -> None:
    assert COUNT.clamp(-5) == 0
    assert COUNT.clamp(1e9) == 100
    assert SHARE.clamp(0.123456) == 0.1235


@pytest.mark.parametrize(
    ("each", "text", "expected"),
    [
        (COUNT, "7", 7),
        (TOKENS, "100_000", 100_000),
        (TOKENS, "100,000", 100_000),
        (SHARE, "0.5", 0.5),
        (SHARE, ".5", 0.5),
        (CHOICE, "size", "size"),
        (SWITCH, "Yes", True),
        (SWITCH, "off", False),
    ],
)
def test_what_is_typed_becomes_a_value(each: Knob, text: str, expected: object) -> None:
    assert each.parse(text) == expected


@pytest.mark.parametrize(
    ("each", "text", "sentence"),
    [
        (COUNT, "many", "keep_recent must be a number from 0 to 100, not 'many'"),
        (COUNT, "1.5", "keep_recent must be a number from 0 to 100, not '1.5'"),
        (COUNT, "", "keep_recent must be a number from 0 to 100, not ''"),
        (COUNT, "101", "keep_recent must be between 0 and 100, not 101"),
        (TOKENS, "-1", "max_tokens must be between 0 and 2,000,000, not -1"),
        (TOKENS, "x", "max_tokens must be a number from 0 to 2,000,000, not 'x'"),
        (SHARE, "nan", "ratio must be between 0.01 and 0.9, not nan"),
        (SHARE, "inf", "ratio must be between 0.01 and 0.9, not inf"),
        (CHOICE, "depth", "order must be one of age, size, score, not 'depth'"),
        (SWITCH, "perhaps", "deep must be true or false, not 'perhaps'"),
    ],
)
def test_what_does_not_fit_is_answered_with_what_would(each: Knob, text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as raised:
        each.parse(text)
    assert str(raised.value) == sentence


def test_settings_are_read_by_their_names() -> None:
    assert parse_settings(Settings, {"ratio": "0.5", "keep": "3"}) == {"ratio": 0.5, "keep": 3}
    with pytest.raises(ValueError, match="there is no setting 'depth'; settings: keep, ratio, target"):
        parse_settings(Settings, {"depth": "3"})


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_every_strategy_tells_what_it_does_and_what_its_knobs_do(name: str) -> None:
    strategy = STRATEGIES[name]
    assert strategy.about
    window = window_of(Ask(), Reply())
    for item in strategy.knobs:
        assert item.doc.endswith(".")
        start = item.initial_value(window)
        if item.high > item.low:
            assert item.low <= item.default <= item.high
            assert item.low <= start <= item.high
            assert item.step > 0
        assert item.parse(str(start)) == start
    assert draft_plan(window, name).settings == {item.name: item.initial_value(window) for item in strategy.knobs}


def test_settings_that_are_given_stand_and_the_others_start_as_they_suit_the_window() -> None:
    plan = draft_plan(window_of(Ask(), Reply()), "sliding_window", {"ratio": 0.9})
    assert plan.settings == {"keep_recent": 20, "ratio": 0.9, "state_tokens": 0}
