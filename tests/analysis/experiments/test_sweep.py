"""Sweeps: many presets at once are the same as one by one, however they are made, and they can be stopped."""

from __future__ import annotations

import multiprocessing
import os
import sys
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.experiments.grid import MAX_COMBINATIONS, parse_axes, preset_grid
from inspector.analysis.experiments.sweep import (
    Progress,
    SweepError,
    mixed_order,
    run_sweep,
    sweep_results,
    worker_count,
)
from inspector.analysis.experiments.trial_processes import portions, start_method
from inspector.analysis.experiments.trials import TrialSetup, mark_front, policy_key, run_trial, run_trials
from inspector.analysis.replay.run import NONE, RECORDED
from inspector.core.conversation import Raw, Session
from inspector.engine.compression.presets import PRESETS, Preset, PresetError
from inspector.engine.strategies import Services
from inspector.library import Library
from tests import warm
from tests.analysis.experiments.test_trials import names, presets, subject
from tests.analysis.replay.test_run import PRICE, TALK
from tests.generated import conversations, recorded
from tests.killed_program import check_workers_end
from tests.places import ROOT

TIGHT = Preset("tight", 1_000, 0.2, 2)


@cache
def talk() -> TrialSetup:
    return subject(recorded(TALK))


def variants(*words: str) -> tuple[Preset, ...]:
    return preset_grid([TIGHT], parse_axes(words))


@given(conversations(most=12), st.lists(presets(), max_size=5))
def test_a_sweep_is_its_rows_one_by_one(session: Session, drawn: list[Preset]) -> None:
    given = [*drawn, RECORDED, NONE]
    assert run_sweep(subject(session), given, workers=1) == run_trials(subject(session), given)


@pytest.mark.parametrize("workers", [1, 2])
def test_processes_beside_each_other_give_the_rows_one_by_one(workers: int) -> None:
    given = [NONE, RECORDED, *variants("strategy=sliding_window,token_window,importance", "threshold=600,1000,2000")]
    assert len(given) == 11
    told: list[Progress] = []
    found = run_sweep(talk(), given, workers=workers, on_progress=told.append)
    assert found == run_trials(talk(), given)
    assert {each.count for each in told} >= set(range(1, 12)) and told[-1].share == 1
    assert [each.share for each in told] == sorted(each.share for each in told)


def test_the_share_of_a_sweep_grows_while_its_first_row_is_made() -> None:
    told: list[Progress] = []
    run_sweep(talk(), [TIGHT, NONE], workers=1, on_progress=told.append)
    first = [each for each in told if each.count == 0]
    assert first and all(0 < each.share < 0.51 for each in first) and any(each.remaining for each in first)


def test_rows_of_a_stored_session_are_made_by_processes_that_open_the_store_themselves(tmp_path: Path) -> None:
    given = [replace(preset, threshold=4_000) for preset in PRESETS.values()]
    with Library(tmp_path / "inspector.db") as library:
        (taken,) = library.import_targets([str(ROOT / "sessions" / "support-ticket.json")])
        assert taken.addition
        bench = library.open(taken.addition.id).bench
        stored = TrialSetup(bench.session, bench.sizes, PRICE)
        assert start_method(stored) == "spawn"
        found = run_trials(stored, given)
        assert all(each.compressions for each in found)
        assert run_sweep(stored, given, workers=2) == found


def test_a_program_with_one_thread_forks_and_gives_the_same_rows() -> None:
    script = """
import sys
from tests.analysis.experiments.test_sweep import talk, variants
from inspector.analysis.experiments.sweep import run_sweep
from inspector.analysis.experiments.trials import run_trials
from inspector.analysis.experiments.trial_processes import start_method
given = variants("threshold=600,1000,2000,3000", "keep_recent=0,2,4")
print(start_method(talk()), run_sweep(talk(), given, workers=2) == run_trials(talk(), given))
"""
    done = warm.run(["-c", script], cwd=ROOT, text=True)
    assert done.stdout == ("fork True\n" if sys.platform == "linux" else "spawn True\n"), done.stderr


def test_a_sweep_that_is_cancelled_gives_the_rows_that_it_has() -> None:
    cancel = Event()

    def on_progress(progress: Progress) -> None:
        if progress.count == 3:
            cancel.set()

    given = variants("threshold=600,1000,2000", "keep_recent=0,2,4")
    found = run_sweep(talk(), given, workers=1, on_progress=on_progress, cancel=cancel)
    assert len(found) == 3
    assert found == mark_front(
        [each for each in run_trials(talk(), given) if each.preset in [row.preset for row in found]]
    )


def test_a_sweep_that_is_cancelled_before_it_begins_makes_no_row() -> None:
    cancel = Event()
    cancel.set()
    given = variants("threshold=600,1000,2000")
    assert run_sweep(talk(), given, workers=1, cancel=cancel) == ()
    assert run_sweep(talk(), given, workers=2, cancel=cancel) == ()


def test_no_process_is_left_when_nobody_asks_for_more_rows() -> None:
    found = sweep_results(talk(), variants("threshold=600,1000,2000,3000"), workers=2)
    next(found), next(found)
    assert len(multiprocessing.active_children()) == 2
    found.close()  # type: ignore[attr-defined]  # it is a generator
    assert multiprocessing.active_children() == []


@dataclass(frozen=True)
class Fatal:
    """A text at which the process that reads it ends, unless it is the test's own."""

    def load(self) -> tuple[Raw, Raw]:
        if multiprocessing.parent_process():
            os._exit(9)
        return {"role": "user", "content": "words " * 400}, {}


def fatal_for_workers() -> TrialSetup:
    session = recorded(TALK)
    first, *others = session.messages
    return subject(replace(session, messages=(first, replace(others[0], body=Fatal(), chars=50_000), *others[1:])))


@pytest.mark.skipif(sys.platform != "linux", reason="processes are not forked")
def test_forked_processes_share_what_the_first_row_has_read() -> None:
    given, broken = variants("threshold=600,1000,2000"), fatal_for_workers()
    assert len(list(sweep_results(broken, given, workers=2, start="fork"))) == 3
    assert multiprocessing.active_children() == []


def test_a_process_that_ends_early_is_told_in_one_sentence() -> None:
    with pytest.raises(SweepError, match=r"^A worker process died\. Try one process\.$"):
        list(sweep_results(fatal_for_workers(), variants("threshold=600,1000,2000"), workers=2, start="spawn"))
    assert multiprocessing.active_children() == []


def test_a_preset_that_cannot_be_meant_is_told_as_if_it_were_alone() -> None:
    given = [TIGHT, Preset("odd", settings={"depth": 3}), NONE]
    for workers in (1, 2):
        with pytest.raises(ValueError, match="no setting 'depth'"):
            run_sweep(talk(), given, workers=workers)


LONG_SWEEP = """
from tests.analysis.experiments.test_sweep import talk, variants
from inspector.analysis.experiments.sweep import sweep_results
if __name__ == "__main__":
    given = variants("threshold=" + ",".join(map(str, range(300, 20_000))))
    for _ in sweep_results(talk(), given, workers=2, start="{start}"):
        print("begun", flush=True)
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers_end_with_the_program_however_it_ends(start: str, tmp_path: Path) -> None:
    script = tmp_path / "sweeps.py"
    script.write_text(LONG_SWEEP.format(start=start))
    check_workers_end(script)


def test_the_time_that_is_left_is_estimated_from_the_rows_that_are_done() -> None:
    told: list[Progress] = []
    seconds = count(100.0, 2.0)
    run_sweep(talk(), variants("threshold=600,1000"), workers=1, on_progress=told.append, clock=lambda: next(seconds))
    assert [each.elapsed for each in told] == [2.0 * number for number in range(1, len(told) + 1)]
    assert told[-1].remaining == 0 and all(each.remaining == each.elapsed for each in told if each.share == 0.5)
    assert Progress(1, 4, 2.0).remaining == 6 and Progress(1, 4, 2.0, 0.5).remaining == 2
    assert Progress(0, 4, 1.0).remaining is None and Progress(0, 4, 60.0, 0.02).remaining is None


@given(st.integers(0, 300))
def test_every_place_comes_once_and_beginnings_are_spread_over_all(count: int) -> None:
    order = mixed_order(count)
    assert sorted(order) == list(range(count))
    begun = sorted(order[: count // 4])
    gaps = [after - before for before, after in zip([-1, *begun], [*begun, count], strict=True)]
    assert max(gaps, default=0) <= 16


@given(st.integers(0, 500), st.integers(1, 8))
def test_every_preset_is_in_one_piece_of_work(count: int, workers: int) -> None:
    assert [place for piece in portions(count, workers) for place in piece] == list(range(count))


def test_a_small_sweep_and_one_with_services_of_its_own_stay_in_this_process() -> None:
    assert worker_count(talk(), 3) == 1
    assert worker_count(replace(talk(), services=Services()), 1_000_000) == 1
    assert worker_count(talk(), 1_000_000) >= 1


def test_a_sweep_of_a_session_that_would_not_fit_in_the_memory_twice_stays_in_one_process() -> None:
    session = talk().session
    first, *others = session.messages
    large = replace(session, messages=(replace(first, chars=1 << 50), *others))
    assert worker_count(replace(talk(), session=large), 1_000_000) == 1


def test_a_grid_has_every_combination_once() -> None:
    found = preset_grid([PRESETS["balanced"]], parse_axes(["threshold=20000,30000", "keep-recent=5,10,5"]))
    assert [(each.name, each.threshold, each.keep_recent, each.ratio) for each in found] == [
        ("threshold=20000 keep_recent=5", 20_000, 5, 0.3),
        ("threshold=20000 keep_recent=10", 20_000, 10, 0.3),
        ("threshold=30000 keep_recent=5", 30_000, 5, 0.3),
        ("threshold=30000 keep_recent=10", 30_000, 10, 0.3),
    ]


def test_a_grid_over_strategies_gives_each_the_settings_that_it_has() -> None:
    given = parse_axes(["strategy=sliding_window,token_window,clear_tool_uses", "ratio=0.2,0.4", "keep=2,6"])
    assert [each.name for each in preset_grid([TIGHT], given)] == [
        "sliding_window ratio=0.2",
        "sliding_window ratio=0.4",
        "token_window",
        "clear_tool_uses keep=2",
        "clear_tool_uses keep=6",
    ]


def test_a_grid_over_several_presets_says_whose_each_is() -> None:
    found = preset_grid(list(PRESETS.values()), parse_axes(["threshold=10000"]))
    assert [each.name for each in found] == [f"{name} threshold=10000" for name in PRESETS]
    assert [each.ratio for each in found] == [0.2, 0.3, 0.5]


def test_a_value_of_the_grid_wins_over_a_setting_of_the_preset() -> None:
    base = Preset("mine", settings={"ratio": 0.5})
    found = preset_grid([base], parse_axes(["ratio=0.2,0.4"]))
    assert [each.values()["ratio"] for each in found] == [0.2, 0.4]


@given(st.lists(presets(), min_size=1, max_size=3), st.sampled_from([["threshold=600,900"], ["keep_recent=1,2"]]))
def test_no_two_of_a_grid_do_the_same(bases: list[Preset], words: list[str]) -> None:
    try:
        found = preset_grid(bases, parse_axes(words))
    except PresetError:
        return
    keys = [policy_key(each) for each in found]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["threshold"], "A grid must be KEY=VALUE,VALUE,…, not 'threshold'."),
        (["threshold="], "A grid must be KEY=VALUE,VALUE,…, not 'threshold='."),
        (["ratio=0.2", "ratio=0.3"], "The grid contains ratio twice. Put all its values after one ratio=."),
        (["depth=3"], "There is no setting 'depth'. Settings: strategy, threshold, "),
        (["strategy=fifo", "keep=3"], "There is no setting 'keep'."),
        (["strategy=slide"], "In the grid, strategy must be one of "),
        (["threshold=30,000"], "In the grid, threshold must be between 1 and 100,000,000, not 000."),
        (
            ["keep_recent=" + ",".join(map(str, range(MAX_COMBINATIONS + 1)))],
            f"This grid has {MAX_COMBINATIONS + 1:,} combinations; the maximum ",
        ),
    ],
)
def test_a_grid_that_cannot_be_meant_is_refused_in_one_sentence(words: list[str], says: str) -> None:
    with pytest.raises(PresetError) as caught:
        preset_grid([TIGHT], parse_axes(words))
    assert str(caught.value).startswith(says)


def test_one_row_of_a_grid_is_what_its_preset_gives_alone() -> None:
    given = variants("threshold=600,1000", "ratio=0.1,0.3")
    assert names(run_sweep(talk(), given)) == [each.name for each in given]
    assert replace(run_sweep(talk(), given)[2], pareto=False) == run_trial(talk(), given[2])
