"""Which preset is called the best, and what is said for it and against it."""

from __future__ import annotations

from dataclasses import replace

from inspector.analysis.experiments.recommend import recommend_preset
from inspector.analysis.experiments.trials import TrialResult
from inspector.analysis.replay.frames import RetainedFact
from inspector.analysis.replay.run import NONE, RECORDED
from inspector.analysis.replay.state_counts import StateKept
from inspector.engine.compression.presets import PRESETS
from inspector.ui.preset_columns import cell

FACTS = {"path": RetainedFact(8, 1, 1)}


def row(name: str = "balanced", **given: object) -> TrialResult:
    known = {**PRESETS, "none": NONE, "recorded": RECORDED}
    plain = TrialResult(known[name], 20, 3, 40_000, 500_000, 2.0, 5.0, 0.9, FACTS, regrets=4, reach=0.95)
    return replace(plain, **given)  # type: ignore[arg-type]


def test_the_fewest_regrets_come_first_and_the_second_sentence_tells_what_they_cost() -> None:
    told = recommend_preset(
        [row(), row("aggressive", regrets=9, cost=1.0), row("none", compressions=0, regrets=5, cost=6.0)]
    )
    assert told.best is not None and told.best.name == "balanced"
    assert (
        "the fewest regrets of the presets (4), $2.00" in told.why
        and "keeps 90% of the facts and can retrieve up to 95%" in told.why
    )
    assert told.but == "aggressive costs 50% less ($1.00), with 5 more regrets."


def test_where_regrets_are_level_the_cheapest_is_best() -> None:
    told = recommend_preset([row(), row("aggressive", cost=1.5)])
    assert told.best is not None and told.best.name == "aggressive" and told.but == ""


def test_a_superlative_says_which_rows_it_is_one_of() -> None:
    level = [row(regrets=0, cost=3.6), row("conservative", regrets=0, cost=3.7), row("aggressive", regrets=4, cost=2.6)]
    told = recommend_preset([*level, row("recorded", regrets=4, cost=3.2)])
    both = "No preset is clearly best here: balanced and conservative differ by less than the noise."
    assert told.why.startswith(f"{both} balanced: the cheapest of the 2 presets without regrets ($3.60)")
    assert not told.is_clear
    told = recommend_preset([level[0], row("conservative", regrets=0, cost=4.2)])
    assert told.why.startswith("balanced is best here: the cheapest of the 2 presets without regrets ($3.60)")
    assert told.is_clear
    told = recommend_preset([row(), row("conservative", cost=3.0), row("recorded", regrets=1)])
    assert "the fewest regrets of the presets (4), and the cheapest of the 2 presets with as few ($2.00)" in told.why
    told = recommend_preset([row(), row("none", compressions=0, regrets=0, fits=False)])
    assert "the fewest regrets of the valid presets (4), $2.00" in told.why


def test_a_row_that_keeps_far_more_for_a_little_more_is_offered() -> None:
    more = row("conservative", cost=4.37, retained=0.78)
    told = recommend_preset([row(cost=4.0, retained=0.48, regrets=3), more])
    assert told.best is not None and told.best.name == "balanced"
    assert told.but == "conservative keeps 30 points more of the facts for 9% more."
    told = recommend_preset([row(cost=4.0, retained=0.48, regrets=3), replace(more, cost=4.8)])
    assert told.but == ""


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


def test_a_preset_that_does_not_fit_is_best_only_if_none_fits() -> None:
    small = row(regrets=0, misfit="floor")
    told = recommend_preset([small, row("conservative", cost=4.0)])
    assert told.best is not None and told.best.name == "conservative" and "balanced" not in told.but
    assert "the fewest regrets of the presets that fit (4), $4.00" in told.why
    told = recommend_preset([small, row("aggressive", misfit="floor", cost=4.0)])
    assert told.best is small and told.why.startswith("No preset fits this session. balanced is best here: no regrets")


def test_where_regrets_are_level_cost_and_lost_facts_decide_together() -> None:
    cheap, more = row(regrets=0, cost=4.0, retained=0.48), row("conservative", regrets=0, cost=4.37, retained=0.78)
    told = recommend_preset([cheap, more, row("aggressive", regrets=2, cost=1.0)])
    assert told.best is not None and told.best.name == "conservative"
    gain = "keeps 78% of the facts (30 points more than balanced, the cheapest without regrets at $4.00)"
    assert told.why.startswith("conservative is best here: no regrets, $4.37. It") and gain in told.why
    assert told.but == "aggressive costs 77% less ($1.00), with 2 more regrets."
    assert recommend_preset([cheap, more]).but == ""
    told = recommend_preset([cheap, replace(more, cost=5.2)])
    assert told.best is not None and told.best.name == "balanced"


def test_what_could_not_be_sent_is_never_best_and_it_is_told_why() -> None:
    told = recommend_preset([row(), row("none", compressions=0, regrets=0, fits=False, tokens_sent=1_000_000)])
    assert told.best is not None and told.best.name == "balanced"
    assert "sends 50% fewer tokens than none" in told.why
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
    assert "the cheapest of the presets ($1.00); no facts in this session" in told.why


def test_no_rows_no_verdict() -> None:
    assert recommend_preset([]).best is None


def test_a_recall_counts_like_a_regret() -> None:
    judged = recommend_preset([row(), row("aggressive", regrets=0, recalls=5, cost=1.0)])
    assert judged.best is not None and judged.best.name == "balanced"
    judged = recommend_preset([row(regrets=5), row("aggressive", regrets=0, recalls=4, cost=2.5)])
    assert "the fewest regrets and recalls of the presets (4)" in judged.why


def test_what_takes_away_what_was_only_just_read_is_never_best() -> None:
    judged = recommend_preset([row(), row("aggressive", regrets=0, cost=1.0, hasty=2)])
    assert judged.best is not None and judged.best.name == "balanced"
    assert judged.but == "aggressive drops results that were only just read."
    assert recommend_preset([row("aggressive", hasty=3)]).best is None
    judged = recommend_preset([row(), row("aggressive", regrets=0, cost=1.0, hasty=1)])
    assert judged.best is not None and judged.best.name == "aggressive"


def test_no_compression_is_said_in_words_and_the_best_that_compresses_is_named() -> None:
    judged = recommend_preset([row(), row("none", compressions=0, regrets=0, cost=6.0)])
    assert judged.best is not None and judged.best.name == "none"
    assert judged.why == (
        "Leave it uncompressed, because the window fits: no regrets, $6.00."
        " Of the presets that compress, balanced is best: 4 regrets, $2.00."
    )


def test_rows_that_such_numbers_cannot_tell_apart_are_said_to_be_close() -> None:
    judged = recommend_preset([row(), row("aggressive", regrets=5, cost=1.96)])
    assert [other.name for other in judged.close] == ["aggressive"]
    assert judged.but == "Too close to call: aggressive (5 regrets, $1.96)."
    assert recommend_preset([row(), row("aggressive")]).but == "aggressive does the same here."
    assert not recommend_preset([row(), row("aggressive", regrets=6)]).close
    assert not recommend_preset([row(), row("aggressive", cost=2.2)]).close
    assert not recommend_preset([row(), row("aggressive", retained=0.8)]).close


def test_the_column_tells_what_a_preset_broke_from_what_was_recorded_so() -> None:
    texts = [cell("valid", each, True)[0] for each in (row(), row(valid=False), row(valid=False, is_recorded_so=True))]
    assert texts == ["✓", "✗ invalid", "✓"]
    assert [row(valid=False, is_recorded_so=known).recorded_so for known in (True, False)] == [True, False]
