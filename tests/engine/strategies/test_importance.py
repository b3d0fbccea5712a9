"""What scores highest stays, as much as fits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.strategies.importance import ImportanceSettings, totals
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window
from tests.generated import LONG, Ask, Call, Inject, Reply, Step, Summary, System, values, window_of, windows, work

PARTS = ("recency", "speaker", "marked", "error", "decision", "brevity")
NOTHING: dict[str, Any] = dict.fromkeys(PARTS, 0.0)
"""Weights with which no message is worth more than another."""
TALK: tuple[Step, ...] = (Ask(), *(Reply(f"Answer {number} of the same length.") for number in range(6)), Ask("Now?"))
"""m0 the task, six replies of one size, m7 the request."""


def left(window: Window, **settings: Any) -> str:
    return " ".join(apply(window, draft_plan(window, "importance", NOTHING | settings)).ids)


def room(window: Window, *places: int) -> int:
    """Tokens that are enough for everything but these messages."""
    return window.total - sum(window.tokens[place] for place in places)


def test_what_scores_lowest_leaves_until_the_rest_fits() -> None:
    window = window_of(Ask(), Reply("It is so."), Reply("This is important."), Reply("It is so."), Ask("Now?"))
    assert left(window, max_tokens=room(window, 1, 3), marked=1.0) == "m0 m2 m4"
    assert left(window, max_tokens=room(window, 1), marked=1.0) == "m0 m2 m3 m4"
    assert left(window, max_tokens=window.total, marked=1.0) == "m0 m1 m2 m3 m4"


def test_of_equals_the_newer_stays() -> None:
    window = window_of(*TALK)
    for gone in range(7):
        expected = ["m0", *(f"m{place}" for place in range(1 + gone, 8))]
        assert left(window, max_tokens=room(window, *range(1, 1 + gone))).split() == expected


def test_without_any_weight_it_is_a_window_of_the_newest() -> None:
    window = window_of(*TALK)
    plan = draft_plan(window, "importance", NOTHING | {"max_tokens": room(window, 1, 2)})
    assert {score.total for score in plan.scores.values()} == {0.0}
    assert left(window, max_tokens=room(window, 1, 2)) == "m0 m3 m4 m5 m6 m7"


def test_one_that_does_not_fit_is_passed_over_and_smaller_ones_behind_it_still_fit() -> None:
    window = window_of(Ask(), Reply("Small and old."), Reply("An important one. " * 40), Reply("Small, new."), Ask())
    plan = draft_plan(window, "importance", NOTHING | {"max_tokens": room(window, 2), "marked": 1.0})
    assert " ".join(apply(window, plan).ids) == "m0 m1 m3 m4"
    assert plan.scores["m2"].total > plan.scores["m1"].total
    assert plan.by_id["m2"].reason == f"scores too low for {room(window, 2):,} tokens"
    assert plan.by_id["m1"].reason == f"scores high enough for {room(window, 2):,} tokens"


def test_what_stays_stands_in_the_order_of_time_whatever_it_scored() -> None:
    window = window_of(Ask(), Reply("An error."), Reply("It is critical."), Reply("Never mind."), Ask())
    assert left(window, max_tokens=window.total, marked=5.0, recency=1.0) == "m0 m1 m2 m3 m4"


def test_a_group_counts_as_its_best_message() -> None:
    steps = (Ask(), Reply("Plain words."), Reply(None, (Call(is_error=True, result="no"),)), Ask("Now?"))
    window = window_of(*steps)
    assert left(window, max_tokens=room(window, 1), error=1.0) == "m0 m2 m3 m4"


@pytest.mark.parametrize(
    ("part", "step"),
    [
        ("speaker", Ask("Plain words.")),
        ("marked", Reply("Plain but essential.")),
        ("error", Reply(None, (Call(is_error=True, result="no"),))),
        ("decision", Reply("Let's go with plan B.")),
        ("brevity", Reply("Ok.")),
        ("recency", Reply("Plain words, as any others.")),
    ],
)
def test_each_part_speaks_for_what_it_names_and_is_nothing_at_weight_0(part: str, step: Step) -> None:
    plain = Reply("Plain words, as any others.")
    window = window_of(Ask(), plain, step, Ask("Now?"))
    place = 3 if isinstance(step, Reply) and step.calls else 2
    weighed = draft_plan(window, "importance", NOTHING | {part: 2.0}).scores
    assert weighed[f"m{place}"].total > weighed["m1"].total
    assert set(weighed[f"m{place}"].parts) == set(PARTS)
    unweighed = draft_plan(window, "importance", NOTHING).scores
    assert set(unweighed[f"m{place}"].parts.values()) == {0.0}


def test_the_newest_gets_all_of_recency_and_the_oldest_none() -> None:
    scores = draft_plan(window_of(*TALK), "importance", NOTHING | {"recency": 3.0}).scores
    assert scores["m0"].parts["recency"] == 0
    assert scores["m7"].parts["recency"] == 3.0
    assert draft_plan(window_of(Ask()), "importance", NOTHING | {"recency": 3.0}).scores["m0"].total == 0


def test_words_of_ones_own_mark_messages() -> None:
    window = window_of(Ask(), Reply("It is important."), Reply("Größer als alles."), Ask("Now?"))
    plan = draft_plan(window, "importance", NOTHING | {"marked": 1.0, "words": "größer, , alpha"})
    assert [plan.scores[name].total for name in ("m1", "m2")] == [0.0, 1.0]
    without = draft_plan(window, "importance", NOTHING | {"marked": 1.0, "words": " , "})
    assert {score.total for score in without.scores.values()} == {0.0}


def test_what_may_not_leave_stays_whatever_it_scores_and_the_plan_says_that_it_is_too_much() -> None:
    window = window_of(System(LONG), Summary(LONG), Ask(LONG), work(result=LONG), Reply(LONG), Ask("Now?"))
    plan = draft_plan(window, "importance", {"max_tokens": 0})
    assert " ".join(apply(window, plan).ids) == "m0 m1 m6"
    assert " tokens remain, because these are kept: system messages (" in plan.note


def test_every_message_has_its_score_also_what_stays_in_any_case_and_what_left() -> None:
    window = window_of(System(), *TALK, Inject())
    plan = draft_plan(window, "importance", {"max_tokens": 0})
    assert list(plan.scores) == list(window.ids)
    assert len(plan.scores) == len(window.ids)
    assert "nowhere" not in plan.scores


def weights() -> st.SearchStrategy[dict[str, Any]]:
    knobs = {item.name: item for item in STRATEGIES["importance"].knobs}
    return st.fixed_dictionaries({name: values(knobs[name], window_of()) for name in PARTS})


@given(windows(), weights())
def test_the_parts_of_a_score_add_up_to_what_is_ranked_by(window: Window, chosen: dict[str, Any]) -> None:
    plan = draft_plan(window, "importance", chosen)
    ranked = totals(window, ImportanceSettings(**plan.settings))
    assert [plan.scores[name].total for name in window.ids] == pytest.approx(ranked)
    assert all(part >= 0 for score in plan.scores.values() for part in score.parts.values())


@given(windows(pins=False), weights(), st.integers(0, 3_000))
def test_nothing_that_fits_and_scores_higher_leaves_for_something_lower(
    window: Window, chosen: dict[str, Any], most: int
) -> None:
    plan = draft_plan(window, "importance", chosen | {"max_tokens": most})
    best = {number: max(ranked(plan, window, members)) for number, members in enumerate(window.groups.members)}
    size = {n: sum(window.tokens[index] for index in members) for n, members in enumerate(window.groups.members)}
    lines = f"for {most:,} tokens"
    fate = {number: plan.fates[members[0]] for number, members in enumerate(window.groups.members)}
    gone = [number for number in fate if fate[number].reason == f"scores too low {lines}"]
    free = most - total_without(window, gone)
    lower = [n for n in fate if fate[n].reason == f"scores high enough {lines}"]
    for number in gone:
        below = sum(size[other] for other in lower if best[other] < best[number])
        assert size[number] > free + below or plan.note


def ranked(plan: Plan, window: Window, members: tuple[int, ...]) -> list[float]:
    return [plan.scores[window.ids[index]].total for index in members]


def total_without(window: Window, gone: list[int]) -> int:
    """Tokens of the window without some groups and without results that nothing asked for."""
    rest = window.groups.orphans.union(*(window.groups.members[number] for number in gone))
    return window.total - sum(window.tokens[index] for index in rest)
