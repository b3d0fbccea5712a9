"""Which preset is called the best, and what is said for it and against it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from inspector.analysis.experiments.recommend import recommend_preset
from inspector.analysis.experiments.trials import TrialResult
from inspector.analysis.replay.frames import RetainedFact
from inspector.analysis.replay.run import NONE, RECORDED
from inspector.analysis.replay.state_counts import StateKept
from inspector.engine.compression import BUILT_IN
from inspector.ui.preset_columns import cell

FACTS = {"path": RetainedFact(8, 1, 1)}


def row(name: str = "balanced", **given: object) -> TrialResult:
    known = {**BUILT_IN, "none": NONE, "recorded": RECORDED}
    plain = TrialResult(known[name], 20, 3, 40_000, 500_000, 2.0, 5.0, 0.9, FACTS, regrets=4, reach=0.95)
    return replace(plain, **given)  # type: ignore[arg-type]


def test_the_fewest_regrets_come_first_and_the_second_sentence_tells_what_they_cost() -> None:
    told = recommend_preset(
        [row(), row("aggressive", regrets=13, cost=1.0), row("none", compressions=0, regrets=5, cost=6.0)]
    )
    assert told.best is not None and told.best.name == "balanced" and told.is_clear
    assert told.why == "balanced is best here: 4 regrets, $2.00, 90% of the facts, up to 95% with retrieval."
    assert told.but == "aggressive costs 50% less for 9 more regrets."


def test_where_regrets_are_level_the_cheapest_is_best() -> None:
    told = recommend_preset([row(), row("aggressive", cost=1.5)])
    assert told.best is not None and told.best.name == "aggressive" and told.but == ""
    assert told.is_clear and told.why.endswith("Regrets are level, so cost and facts decide.")
    told = recommend_preset([row(), row("aggressive", cost=1.5), row("early", cost=1.0, regrets=30)])
    assert told.why.endswith("Among the 2 rows with 4 regrets, cost and facts decide.")


def test_regrets_that_may_be_chance_make_no_best() -> None:
    assert recommend_preset([row(regrets=0, cost=1.0), row("aggressive", regrets=4, cost=0.5)]).is_clear
    told = recommend_preset([row(regrets=0, cost=1.0), row("aggressive", regrets=3, cost=0.5)])
    assert told.close_names == ["aggressive"] and not told.is_clear
    assert told.why.startswith("No preset is clearly best here. balanced leads: no regrets, $1.00,")
    assert told.but == "aggressive costs 50% less for 3 more regrets (within the noise)."


def test_ties_are_named_and_the_word_best_is_kept_for_clear_ones() -> None:
    level = [row(regrets=0, cost=3.6), row("conservative", regrets=0, cost=3.7), row("aggressive", regrets=6, cost=2.6)]
    told = recommend_preset([*level, row("recorded", regrets=4, cost=3.2)])
    assert told.why.startswith("No preset is clearly best here. balanced leads: no regrets, $3.60,")
    assert "conservative is not clearly worse." in told.why and "is best" not in told.why
    assert not told.is_clear and told.close_names == ["conservative"]
    told = recommend_preset([level[0], row("conservative", regrets=0, cost=4.2)])
    assert told.why.startswith("balanced is best here: no regrets, $3.60") and told.is_clear


@pytest.mark.parametrize(
    ("regrets", "cost", "retained", "leader"),
    [(3, 3.4, 0.6, "late"), (4, 3.4, 0.6, "balanced"), (3, 3.5, 0.6, "balanced"), (3, 3.4, 0.4, "balanced")],
)
def test_one_more_regret_does_not_decide_against_a_row_that_is_better_otherwise(
    regrets: int, cost: float, retained: float, leader: str
) -> None:
    rows = [row(regrets=2, cost=3.6, retained=0.5), row("late", regrets=regrets, cost=cost, retained=retained)]
    assert recommend_preset(rows).best_name == leader


def test_a_row_that_keeps_far_more_for_a_little_more_is_offered() -> None:
    more = row("conservative", cost=4.37, retained=0.78)
    told = recommend_preset([row(cost=4.0, retained=0.48, regrets=3), more])
    assert told.best is not None and told.best.name == "balanced" and not told.is_clear
    assert (
        told.but
        == "conservative keeps 30 points more of the facts for 1 more regret (within the noise) and 9% more cost."
    )
    told = recommend_preset([row(cost=4.0, retained=0.48, regrets=3), replace(more, cost=5.6)])
    assert told.but == "" and told.is_clear


def test_the_front_has_every_row_that_is_best_in_something() -> None:
    asked = StateKept(items=10, kept=8, probes=10, answered=4)
    cheap = row("aggressive", cost=1.0, retained=0.5, state=asked)
    more = row("balanced", cost=1.2, retained=0.5, state=replace(asked, answered=7))
    most = row("conservative", cost=2.0, retained=0.9, state=replace(asked, answered=7), regrets=0)
    beaten = row("none", cost=1.3, retained=0.45, state=replace(asked, answered=6))
    told = recommend_preset([most, beaten, more, cheap, row("recorded", cost=0.1)])
    assert told.front_names == ["aggressive", "balanced", "conservative"]
    assert told.front_words == (
        "Your own weights decide among these, the cheapest first: "
        "aggressive ($1.00, 50% of the facts, 40% of the questions for going on, 4 regrets); "
        "balanced ($1.20, 50% of the facts, 70% of the questions for going on, 4 regrets); "
        "conservative ($2.00, 90% of the facts, 70% of the questions for going on, no regrets)."
    )
    assert recommend_preset([beaten, more]).front_words == ""


@pytest.mark.parametrize("misfit", ["floor", "window"])
def test_a_preset_that_does_not_fit_is_never_best(misfit: str) -> None:
    small = row(regrets=0, misfit=misfit)
    told = recommend_preset([small, row("conservative", cost=4.0)])
    assert told.best is not None and told.best.name == "conservative" and not small.choice
    assert told.front_names == ["conservative"] and told.but == ""
    rejected = recommend_preset([replace(small, valid=False), row("conservative", cost=4.0)])
    assert rejected.but == "The provider would reject windows of balanced.", "other reasons are still told"
    told = recommend_preset([small, row("aggressive", misfit=misfit, cost=4.0)])
    assert told.best is None and told.but == "balanced and aggressive do not fit this session."


def test_where_regrets_are_level_cost_and_lost_facts_decide_together() -> None:
    cheap, more = row(regrets=0, cost=4.0, retained=0.48), row("conservative", regrets=0, cost=4.37, retained=0.78)
    told = recommend_preset([cheap, more, row("aggressive", regrets=6, cost=1.0)])
    assert told.best is not None and told.best.name == "conservative" and told.is_clear
    assert told.but == "balanced costs 8% less for 30 points less of the facts."
    told = recommend_preset([cheap, replace(more, cost=5.2)])
    assert told.best is not None and told.best.name == "balanced" and not told.is_clear
    assert told.but == "conservative keeps 30 points more of the facts for 30% more cost."


def test_what_could_not_be_sent_is_never_best_and_it_is_told_why() -> None:
    told = recommend_preset([row(), row("none", compressions=0, regrets=0, fits=False, tokens_sent=1_000_000)])
    assert told.best is not None and told.best.name == "balanced"
    assert told.but == "none would exceed the model's window."
    assert recommend_preset([row(valid=False)]).best is None


def test_what_the_recording_did_is_no_choice_but_it_is_said_where_it_beats_them() -> None:
    told = recommend_preset([row(), row("recorded", regrets=0, cost=2.5, simulated=0.1)])
    assert told.best is not None and told.best.name == "balanced"
    assert told.but == "The recording itself is better than all of them: no regrets, $0.10 simulated."
    for worse in ({"simulated": 2.1}, {"regrets": 5}, {"compressions": 0}, {"fits": False}):
        assert not recommend_preset([row(), row("recorded", **{"cost": 0.1, **worse})]).but
    cheaper = row("aggressive", regrets=0, cost=0.09)
    uncompressed = row("none", compressions=0, regrets=0, cost=0.2)
    told = recommend_preset([uncompressed, cheaper, row("recorded", regrets=0, cost=2.5, simulated=0.1)])
    assert "The recording itself" not in told.but


def test_a_session_below_every_trigger_has_no_best() -> None:
    told = recommend_preset([row(compressions=0, peak=900), row("none", compressions=0, peak=900)])
    assert told.best is None and "900 tokens" in told.why


def test_without_facts_it_says_that_they_were_not_looked_at() -> None:
    told = recommend_preset([row(retention={}, regrets=0), row("aggressive", cost=1.0, retention={}, regrets=0)])
    assert told.best is not None and told.best.name == "aggressive"
    assert "no regrets, $1.00, no facts in this session" in told.why


def test_no_rows_no_verdict() -> None:
    assert recommend_preset([]).best is None


def test_a_recall_counts_like_a_regret() -> None:
    judged = recommend_preset([row(), row("aggressive", regrets=0, recalls=6, cost=1.0)])
    assert judged.best is not None and judged.best.name == "balanced"
    judged = recommend_preset([row(regrets=6), row("aggressive", regrets=0, recalls=4, cost=2.5)])
    assert judged.best is not None and judged.best.name == "aggressive" and "4 recalls" in judged.why


def test_what_takes_away_what_was_only_just_read_is_never_best() -> None:
    judged = recommend_preset([row(), row("aggressive", regrets=0, cost=1.0, hasty=2)])
    assert judged.best is not None and judged.best.name == "balanced"
    assert judged.but == "aggressive drops results that were only just read."
    assert recommend_preset([row("aggressive", hasty=3)]).best is None
    judged = recommend_preset([row(), row("aggressive", regrets=0, cost=1.0, hasty=1)])
    assert judged.best is not None and judged.best.name == "aggressive"


def test_what_got_no_summaries_from_its_model_is_never_best() -> None:
    judged = recommend_preset([row(), row("early", regrets=0, cost=1.0, compressions=2, unwritten=2)])
    assert judged.best is not None and judged.best.name == "balanced"
    assert judged.but == "early got no usable summaries, so its figures are not those of summaries."
    judged = recommend_preset([row(), row("early", regrets=0, cost=1.0, compressions=2, unwritten=1)])
    assert judged.best is not None and judged.best.name == "early"


def test_no_compression_is_said_in_words_and_the_best_that_compresses_is_named() -> None:
    judged = recommend_preset([row(), row("none", compressions=0, regrets=0, cost=6.0)])
    assert judged.best is not None and judged.best.name == "none"
    assert judged.why == (
        "Leave it uncompressed, because the window fits: no regrets, $6.00, 90% of the facts, up to 95% with"
        " retrieval. Among the presets that compress, balanced leads: 4 regrets, $2.00, 90% of the facts, up to 95%"
        " with retrieval."
    )


def test_rows_that_do_the_same_are_one() -> None:
    judged = recommend_preset([row(), row("aggressive")])
    assert (
        judged.but == "aggressive does the same here." and judged.is_clear and judged.why.startswith("balanced is best")
    )
    assert (judged.close_names, judged.same_names) == ([], ["aggressive"])
    other = row("aggressive", state=StateKept(probes=4, answered=1))
    judged = recommend_preset([row(), other])
    assert (judged.close_names, judged.same_names, judged.is_clear) == (["aggressive"], [], False)
    judged = recommend_preset([row("none", compressions=0), row("aggressive", compressions=0), row(regrets=30)])
    assert judged.but == "aggressive never compresses." and judged.why.startswith("Leave it uncompressed")


@pytest.mark.parametrize("seed", range(40))
def test_a_best_row_is_clear_and_what_is_clear_is_called_best(seed: int) -> None:
    chance = random.Random(seed)
    names = ("aggressive", "balanced", "conservative", "early", "steady", "late")
    figures = {"regrets": (0, 0, 1, 3, 9), "cost": (0.0, 1.0, 1.02, 1.3, 2.0), "retained": (0.4, 0.6, 0.62, 0.9)}
    more = {"hasty": (0, 0, 3), "misfit": ("", "", "floor"), "compressions": (0, 3), "fits": (True, True, False)}
    drawn = [row(name, **{key: chance.choice(values) for key, values in (figures | more).items()}) for name in names]
    told = recommend_preset([row("none", compressions=0, regrets=0, cost=1.5), *drawn])
    said = " ".join(told.lines)
    assert ("is best here" in said or said.startswith("Leave it uncompressed, because")) == told.is_clear
    assert told.best is None or (told.is_clear == (not told.close) and not {*told.close_names} & {*told.same_names})
    assert "is best" not in said.replace("is best here", "") and bool(told.best) == (
        " best here" in said or told.is_clear
    )
    for one in (told.best, *told.close, *told.front):
        assert one is None or one.choice
    assert (
        told.best is None
        or told.best in told.front
        or any(told.best.cost == one.cost and told.best.misses == one.misses for one in told.front)
    )


def test_the_column_tells_what_a_preset_broke_from_what_was_recorded_so() -> None:
    texts = [cell("valid", each, True)[0] for each in (row(), row(valid=False), row(valid=False, is_recorded_so=True))]
    assert texts == ["✓", "✗ invalid", "✓"]
    assert [row(valid=False, is_recorded_so=known).recorded_so for known in (True, False)] == [True, False]
