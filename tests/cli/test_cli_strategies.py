"""`inspector strategies`."""

from __future__ import annotations

from inspector.engine.strategies import COSTS, STRATEGIES
from tests.cli.calling import inspect


def test_all_strategies_are_listed_by_what_they_cost() -> None:
    ended = inspect("strategies")
    assert ended.code == 0
    assert max(map(len, ended.out.splitlines())) <= 80
    heads = [line.partition("  ")[0] for line in ended.out.splitlines() if line and not line.startswith(" ")]
    assert heads[:-1] == list(COSTS)
    words, costs = " ".join(ended.out.split()), list(COSTS)
    places = [
        ended.out.index(f"  {name} ")
        for name in sorted(STRATEGIES, key=lambda name: costs.index(STRATEGIES[name].cost))
    ]
    assert places == sorted(places)
    assert all(strategy.about in words for strategy in STRATEGIES.values())


def test_json_carries_every_setting_with_its_bounds() -> None:
    listed = {each["name"]: each for each in inspect("strategies", "--json").json["strategies"]}
    assert list(listed) == list(STRATEGIES)
    for name, strategy in STRATEGIES.items():
        assert (listed[name]["cost"], listed[name]["about"]) == (strategy.cost, strategy.about)
        assert [each["name"] for each in listed[name]["settings"]] == [knob.name for knob in strategy.knobs]
    keep, ratio, _ = listed["sliding_window"]["settings"]
    assert (keep["default"], keep["low"], keep["high"]) == (20, 0, 100_000)
    assert (ratio["default"], ratio["low"], ratio["high"]) == (0.3, 0.01, 0.9)
    assert listed["token_window"]["settings"][0]["default"] is None
    assert listed["head_tail"]["settings"][2]["choices"] == list(STRATEGIES["head_tail"].knobs[2].choices)


def test_one_strategy_is_shown_with_what_can_be_set() -> None:
    for name, strategy in STRATEGIES.items():
        ended = inspect("strategies", name)
        words = " ".join(ended.out.split())
        assert ended.code == 0
        assert all(f"{knob.name} default" in words and knob.doc in words for knob in strategy.knobs)
        assert [each["name"] for each in inspect("strategies", name, "--json").json["strategies"]] == [name]


def test_a_strategy_that_is_not_there_is_wrong_usage_with_the_nearest_name() -> None:
    ended = inspect("strategies", "slidingwindow")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.endswith("Did you mean sliding_window?\n")
