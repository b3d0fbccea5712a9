"""Rows: a whole replay in a few numbers, and which of them no other one beats."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from hypothesis.strategies import DrawFn

from inspector.analysis.experiments.trial_columns import COLUMNS, column_of, sort_results
from inspector.analysis.experiments.trials import (
    TrialResult,
    TrialSetup,
    distinct,
    mark_front,
    pareto_front,
    policy_key,
    run_trial,
    run_trials,
)
from inspector.analysis.replay.frames import ReplayCancelled, RetainedFact
from inspector.analysis.replay.run import NONE, RECORDED, replay
from inspector.analysis.replay.state_counts import StateKept
from inspector.core.conversation import Session
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.facts import FactIndex, Weights
from inspector.engine.strategies import STRATEGIES, Services
from inspector.llm.tokens import TokenCount
from tests.analysis.replay.test_run import PRICE, TALK
from tests.engine.strategies.passes import refusing
from tests.generated import LONG, Ask, Reply, conversations, recorded, sized, work

NUMBERS = st.integers(0, 6)


@st.composite
def presets(draw: DrawFn) -> Preset:
    threshold = draw(st.integers(60, 900))
    return Preset("drawn", threshold, 0.3, draw(st.integers(0, 4)), draw(st.sampled_from(sorted(STRATEGIES))))


def subject(session: Session) -> TrialSetup:
    return TrialSetup(session, sized(session), PRICE, facts=FactIndex(session))


def made(name: str, sent: int, retained: float, **more: object) -> TrialResult:
    return replace(TrialResult(Preset(name), 10, 1, sent, sent, sent / 100, sent / 50, retained), **more)  # type: ignore[arg-type]


def names(found: tuple[TrialResult, ...]) -> list[str]:
    return [each.name for each in found]


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12))
def test_a_point_is_on_the_front_when_no_other_one_is_better_in_one_way_and_not_worse_in_the_other(
    points: list[tuple[int, int]],
) -> None:
    def beaten(point: tuple[int, int]) -> bool:
        return any(other != point and other[0] <= point[0] and other[1] >= point[1] for other in points)

    assert pareto_front(points) == tuple(not beaten(point) for point in points)


@given(conversations(most=14), presets())
def test_a_row_says_what_the_replay_says(session: Session, preset: Preset) -> None:
    given = subject(session)
    done, found = replay(session, given.sizes, preset, PRICE, facts=given.facts), run_trial(given, preset)
    assert (found.preset, found.turns, found.compressions) == (preset, done.turns, len(done.compactions))
    assert (found.peak, found.tokens_sent, found.regrets) == (done.peak, done.tokens_sent, len(done.regrets))
    assert (found.cost, found.cost_uncached) == (done.cost, done.cost_uncached)
    assert (found.retained, found.retention, found.valid) == (done.retained, done.retention, done.valid)
    assert found.reach == (done.facts.reach if done.facts else 1.0) >= found.retained - 1e-9
    assert found.fits == (done.peak <= given.sizes.limit)


def test_a_preset_that_sends_more_and_keeps_less_is_not_on_the_front() -> None:
    found = mark_front([made("small", 10, 0.5), made("large", 30, 0.9), made("worse", 30, 0.5), made("same", 10, 0.5)])
    assert [each.pareto for each in found] == [True, True, False, True]


def test_what_could_not_be_sent_is_not_on_the_front_and_keeps_nobody_off_it() -> None:
    found = mark_front([made("best", 1, 1.0, valid=False), made("full", 2, 1.0, fits=False), made("real", 9, 0.1)])
    assert [each.pareto for each in found] == [False, False, True]


@pytest.mark.parametrize("fault", [{"hasty": 1}, {"misfit": "floor"}, {"unwritten": 1}])
def test_what_is_advised_against_is_not_on_the_front_and_keeps_no_row_off_it(fault: dict[str, object]) -> None:
    found = mark_front([made("hollow", 1, 1.0, **fault), made("real", 9, 0.8), made("worse", 9, 0.5)])
    assert [each.pareto for each in found] == [False, True, False] and found[0].is_discouraged


def test_the_peak_of_the_recording_is_the_reported_one_and_what_is_compared_is_counted() -> None:
    session = recorded(TALK)
    row = run_trial(TrialSetup(session, sized(session), PRICE), RECORDED)
    assert row.reported is not None and not row.reported.unreported
    assert row.largest == TokenCount(row.reported.peak, "reported")
    other = run_trial(TrialSetup(session, sized(session), PRICE), NONE)
    assert row.sent == other.sent and str(other.largest).startswith("≈")


def test_a_summariser_that_fails_makes_no_choice_of_its_row() -> None:
    tight, given = Preset("tight", 1_000, 0.2, 2), subject(recorded(TALK))
    own, failed = run_trial(given, tight), run_trial(replace(given, services=Services(summarise=refusing)), tight)
    assert (own.unwritten, own.is_unwritten, failed.compressions) == (0, False, 0)
    assert failed.unwritten and failed.is_unwritten and not failed.choice


def test_rows_come_in_the_order_of_their_presets() -> None:
    tight = Preset("tight", 1_000, 0.2, 2)
    found = run_trials(subject(recorded(TALK)), [NONE, tight, RECORDED])
    assert names(found) == ["none", "tight", "recorded"]
    assert found[1].tokens_sent < found[0].tokens_sent == found[2].tokens_sent
    assert (found[0].compressions, found[1].compressions > 0) == (0, True)
    assert found[0].pareto and found[1].is_discouraged and not found[1].pareto


def test_a_row_that_is_no_longer_wanted_is_not_finished() -> None:
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) == 3

    with pytest.raises(ReplayCancelled):
        run_trial(subject(recorded(TALK)), NONE, stop)
    assert len(asked) == 3


def test_a_preset_that_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ValueError, match="no setting 'depth'"):
        run_trial(subject(recorded(TALK)), Preset("odd", settings={"depth": 3}))


def test_presets_that_do_the_same_are_found_once_under_the_first_of_their_names() -> None:
    settings = {"max_tokens": 9_000}
    given = [
        Preset("a"),
        PRESETS["balanced"],
        Preset("b", strategy="token_window", settings=settings),
        Preset("c", strategy="token_window", ratio=0.5, keep_recent=3, settings=settings),
        Preset("off", enabled=False),
        NONE,
        RECORDED,
    ]
    assert [each.name for each in distinct(given)] == ["a", "b", "off", "recorded"]


@given(conversations(most=10), presets(), st.floats(0.1, 0.9), st.integers(0, 5))
def test_presets_with_the_same_key_have_the_same_row(session: Session, one: Preset, ratio: float, keep: int) -> None:
    other = replace(one, name="other", ratio=ratio, keep_recent=keep)
    if policy_key(one) == policy_key(other):
        assert replace(run_trial(subject(session), one), preset=other) == run_trial(subject(session), other)


def test_rows_are_sorted_by_any_column_the_best_first() -> None:
    given = [
        made("a", 20, 0.9, regrets=2, compressions=3, valid=False, state=StateKept(probes=4, answered=1)),
        made("b", 10, 0.5, regrets=0, compressions=5),
        made("c", 30, 0.9, regrets=2, compressions=1, pareto=True),
    ]
    best = {
        "preset": "abc",
        "turns": "abc",
        "compressions": "cab",
        "threshold": "abc",
        "peak": "bac",
        "tokens_sent": "bac",
        "cost": "bac",
        "cost_uncached": "bac",
        "simulated": "abc",
        "retained": "acb",
        "reach": "abc",
        "regrets": "bac",
        "recalls": "abc",
        "reused": "abc",
        "sealed": "abc",
        "hasty": "abc",
        "unwritten": "abc",
        "valid": "bca",
        "recorded_so": "abc",
        "fits": "abc",
        "choice": "bca",
        "state_kept": "abc",
        "going_on": "bca",
        "revived": "abc",
        "invented": "abc",
        "unchecked": "abc",
        "pareto": "cab",
    }
    assert best.keys() == COLUMNS.keys()
    assert {name: "".join(names(sort_results(given, column_of(name)))) for name in best} == best
    assert "".join(names(sort_results(given, column_of("tokens_sent"), worst=True))) == "cab"
    titles = ("times", "sent", "uncached", "kept", "state kept", "going on", "going-on")
    assert [column_of(title).name for title in titles] == [
        *("compressions", "tokens_sent", "cost_uncached", "retained", "state_kept", "going_on", "going_on")
    ]


def test_rows_are_sorted_by_a_class_of_facts() -> None:
    given = [
        made("lost", 1, 0.5, retention={"path": RetainedFact(1, 0, 3)}),
        made("found", 1, 0.5, retention={"path": RetainedFact(3, 1, 0), "url": RetainedFact(0, 0, 0)}),
        made("nothing", 1, 0.5),
    ]
    assert [each.share("path") for each in given] == [0.25, 0.75, None]
    assert given[1].share("url") is None
    assert names(sort_results(given, column_of("path"))) == ["found", "lost", "nothing"]


def test_a_column_that_there_is_not_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"There is no column 'tokens'. Columns: preset, .*, pareto, constraint, .*\."):
        column_of("tokens")


def test_a_window_that_is_larger_than_the_models_does_not_fit() -> None:
    session = recorded([Ask(LONG), *(work(content=LONG, result=LONG * 4) for _ in range(4))])
    small = TrialSetup(session, sized(session, limit=300), PRICE)
    assert not run_trial(small, NONE).fits
    assert run_trial(subject(session), NONE).fits


def test_what_a_class_counts_can_be_changed() -> None:
    lost, kept = Ask("Mail it to ann@example.org, please."), Ask("Read /srv/lamps/north.txt, please.")
    steps = [TALK[0], *[Reply("Yes. " * 90), lost, *TALK[1:], kept, Reply("Done.")]]
    given, tight = subject(recorded(steps)), Preset("tight", 1_000, 0.2, 2, "deletion")
    found = {name: run_trial(replace(given, weights=Weights({name: 1_000.0})), tight) for name in ("email", "path")}
    shares = {name: each.share(name) for name, each in found.items()}
    assert shares["email"] == 0.0
    assert shares["path"]
    assert {name: each.retained for name, each in found.items()} == pytest.approx(shares, abs=0.02)
