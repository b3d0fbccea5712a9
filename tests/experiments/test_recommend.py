"""Which preset is called the best, and what is said for it and against it."""

from __future__ import annotations

from dataclasses import replace

from inspector.compression.presets import PRESETS
from inspector.experiments.recommend import recommend_preset
from inspector.experiments.trials import TrialResult
from inspector.replay.frames import Kept
from inspector.replay.run import NONE, RECORDED

FACTS = {"path": Kept(8, 1, 1)}


def row(name: str = "balanced", **given: object) -> TrialResult:
    known = {**PRESETS, "none": NONE, "recorded": RECORDED}
    plain = TrialResult(known[name], 20, 3, 40_000, 500_000, 2.0, 5.0, 0.9, FACTS, regrets=4, reach=0.95)
    return replace(plain, **given)  # type: ignore[arg-type]


def test_the_fewest_regrets_come_first_and_the_second_sentence_tells_what_they_cost() -> None:
    told = recommend_preset(
        [row(), row("aggressive", regrets=9, cost=1.0), row("none", compressions=0, regrets=5, cost=6.0)]
    )
    assert told.best is not None and told.best.name == "balanced"
    assert "fewest 4 regrets, $2.00" in told.why and "keeps 90% of the facts and 95% in reach" in told.why
    assert told.but == "aggressive costs 50% less ($1.00), with 5 more regrets."


def test_where_regrets_are_level_the_cheapest_is_best() -> None:
    told = recommend_preset([row(), row("aggressive", cost=1.5)])
    assert told.best is not None and told.best.name == "aggressive" and told.but == ""


def test_what_could_not_be_sent_is_never_best_and_it_is_told_why() -> None:
    told = recommend_preset([row(), row("none", compressions=0, regrets=0, fits=False, tokens_sent=1_000_000)])
    assert told.best is not None and told.best.name == "balanced"
    assert "sends 50% less than none" in told.why
    assert told.but == "none would not fit into the model's window."
    assert recommend_preset([row(valid=False)]).best is None


def test_what_the_recording_did_is_no_choice() -> None:
    told = recommend_preset([row(), row("recorded", regrets=0, cost=0.1)])
    assert told.best is not None and told.best.name == "balanced"


def test_a_session_below_every_trigger_has_no_best() -> None:
    told = recommend_preset([row(compressions=0, peak=900), row("none", compressions=0, peak=900)])
    assert told.best is None and "900 tokens" in told.why


def test_without_facts_it_says_that_they_were_not_looked_at() -> None:
    told = recommend_preset([row(retention={}, regrets=0), row("aggressive", cost=1.0, retention={}, regrets=0)])
    assert told.best is not None and told.best.name == "aggressive"
    assert "facts were not looked at" in told.why


def test_no_rows_no_verdict() -> None:
    assert recommend_preset([]).best is None
