"""What the keys of Tune do to its rows, without an app."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.analysis.experiments import USUAL
from inspector.analysis.replay import NONE, RECORDED
from inspector.engine.compression import BUILT_IN, PRESETS, Preset
from inspector.engine.facts import Weights
from inspector.library import Workbench
from inspector.ui.preset_columns import ColumnRoom
from inspector.ui.screens.tune.controller import TuneController, TuneState
from inspector.ui.screens.tune.preset_rows import PresetRow, knobs_of
from tests.generated import LONG, Ask, Step, recorded, sized, work
from tests.manual_jobs import ManualJobs, RecordingHost

STEPS: list[Step] = [
    Ask(LONG),
    *(work(content=LONG, result=f"{n} " + LONG * 6) for n in range(10)),
    Ask("And now?"),
]
TIGHT = Preset("tight", 800, 0.2, 2, "deletion")


class Driven:
    """A controller with its jobs and every state that it has been in."""

    def __init__(self, cursor: str = "") -> None:
        self.jobs, self.host = ManualJobs(), RecordingHost()
        self.states: list[TuneState] = []
        self.controller = TuneController(
            self.jobs, self.host, self.states.append, lambda: self.row(cursor).number if cursor else -1
        )

    @property
    def state(self) -> TuneState:
        return self.controller.state

    @property
    def notices(self) -> list[str]:
        return [text for text, _ in self.host.notices]

    def row(self, name: str) -> PresetRow:
        return next(row for row in self.state.table.rows if row.origin.name == name)

    def opened(self) -> Driven:
        session = recorded(STEPS)
        self.controller.open(Workbench(session, sized(session)))
        self.jobs.finish()
        return self


@pytest.fixture
def driven(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Driven:
    monkeypatch.setenv("INSPECTOR_PRESETS", f"{tmp_path}/presets.toml")
    return Driven().opened()


def test_every_preset_has_a_result_and_the_best_row_comes_first(driven: Driven) -> None:
    table = driven.state.table
    assert [row.preset for row in table.rows if row.preset in (RECORDED, NONE)] and len(table.rows) == 2 + len(BUILT_IN)
    assert not table.stale and driven.state.is_sorted and driven.state.busy is None
    assert all(row.result is not None and row.result.preset == row.preset for row in table.rows)
    assert driven.state.context.facts is not None and table.has_facts


def test_the_row_under_the_cursor_is_worked_out_first(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("INSPECTOR_PRESETS", f"{tmp_path}/presets.toml")
    driven = Driven(cursor="aggressive").opened()
    first = next(state.table for state in driven.states if state.table.results)
    assert [result.name for result in first.results.values()] == ["aggressive"]


def test_the_same_session_is_not_worked_out_twice(driven: Driven) -> None:
    driven.controller.open(driven.state.context.bench)
    assert not driven.jobs.waiting


def test_better_counts_work_every_row_out_once_more(driven: Driven) -> None:
    bench, before = driven.state.context.bench, driven.controller.worker.count
    driven.controller.open(bench.with_sizes(sized(bench.session, limit=9_000)))
    assert driven.state.table.stale == len(driven.state.table.rows)
    driven.jobs.finish()
    assert not driven.state.table.stale and driven.controller.worker.count == before + len(driven.state.table.rows)


def test_a_turned_knob_makes_one_row_stale_and_its_old_numbers_stay_meanwhile(driven: Driven) -> None:
    row = driven.row("balanced")
    assert not driven.controller.turn_knob(row, -1)
    turned = driven.row("balanced")
    assert turned.is_changed and turned.stale and turned.result == row.result and driven.state.table.stale == 1
    driven.jobs.finish()
    turned = driven.row("balanced")
    assert turned.result is not None and turned.result.preset == turned.preset
    driven.controller.undo(turned)
    driven.jobs.finish()
    assert not driven.row("balanced").is_changed and driven.row("balanced").result == row.result
    for _ in range(2):
        driven.controller.undo(driven.row("balanced"), is_redo=True)
        driven.jobs.finish()
        assert driven.row("balanced").preset == turned.preset


def test_what_was_begun_for_the_last_place_of_a_knob_is_given_up(driven: Driven) -> None:
    for _ in range(3):
        driven.controller.turn_knob(driven.row("balanced"), -1)
    wanted = driven.row("balanced").preset
    before = len(driven.states)
    driven.jobs.finish()
    results = [state.table.results[driven.row("balanced").number].preset for state in driven.states[before:]]
    assert all(preset in (PRESETS["balanced"], wanted) for preset in results) and results[-1] == wanted


def test_what_was_recorded_has_no_knob(driven: Driven) -> None:
    row = next(row for row in driven.state.table.rows if row.is_recording)
    assert not driven.controller.turn_knob(row, 1) and "This row has no settings" in driven.notices[-1]
    driven.controller.undo(row)
    assert not driven.jobs.waiting


def test_knobs_are_chosen_round(driven: Driven) -> None:
    row = driven.row("balanced")
    count = len(knobs_of(row.preset))
    driven.controller.choose_knob(row, -1)
    assert driven.state.knob == count - 1
    driven.controller.choose_knob(row, 1)
    assert driven.state.knob == 0


def test_a_value_that_was_not_given_changes_nothing(driven: Driven) -> None:
    row = driven.row("balanced")
    knob = driven.controller.knob_of(row)
    assert knob is not None
    driven.controller.set_knob(row, knob, None)
    assert not driven.row("balanced").is_changed and not driven.jobs.waiting


def test_rows_are_sorted_by_the_next_column_and_the_other_way_round(driven: Driven) -> None:
    driven.controller.sort_by_next()
    names = [row.name for row in driven.state.table.rows]
    assert driven.state.order == "name" and names == sorted(names, key=str.lower)
    driven.controller.reverse()
    assert [row.name for row in driven.state.table.rows] == names[::-1]


def test_a_column_sorts_by_its_head_and_a_second_click_reverses_it(driven: Driven) -> None:
    driven.controller.sort_by("name")
    names = [row.name for row in driven.state.table.rows]
    assert names == sorted(names, key=str.lower)
    driven.controller.sort_by("name")
    assert [row.name for row in driven.state.table.rows] == names[::-1]
    driven.controller.sort_by("cost")
    assert (driven.state.order, driven.state.worst) == ("cost", False)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_head_is_found_at_each_of_its_letters(width: int) -> None:
    room = ColumnRoom(width, 30)
    line = "".join(text for text, _ in room.heading())
    names = ["preset", *(name for name, _, _ in room.columns)]
    for name in names:
        start = line.index(name)
        found = {room.column_at(x) for x in range(start, start + len(name))}
        assert found == {"name" if name == "preset" else name}
    assert room.column_at(len(line) - 1) == ("kept" if "facts kept" in line else names[-1])


def test_other_weights_are_counted_without_a_replay(driven: Driven) -> None:
    before = driven.controller.worker.count
    weights = Weights({"path": 9.0, "number": 0.0})
    driven.controller.set_weights(weights)
    assert driven.state.weights == weights and driven.controller.worker.count == before and not driven.jobs.waiting
    shown = len(driven.states)
    driven.controller.set_weights(weights)
    assert len(driven.states) == shown
    assert "keeps" in driven.controller.effect(USUAL, driven.row("balanced"))


def test_two_rows_are_compared_the_marked_one_first(driven: Driven) -> None:
    one, other = driven.row("balanced"), driven.row("aggressive")
    partner = driven.controller.partner(one)
    assert partner is not None and partner.is_recording
    assert driven.controller.mark(other) and driven.state.mark == other.number
    assert not driven.controller.mark(one), "another one is marked: these two are to be compared"
    assert driven.controller.partner(one) == other
    assert driven.controller.mark(other) and driven.state.mark == -1


def test_a_sweep_adds_rows_that_can_be_taken_out_again(driven: Driven) -> None:
    presets = [replace(TIGHT, name=f"tight {size}", threshold=size) for size in (700, 900)]
    before = len(driven.state.table.rows)
    driven.controller.start_sweep(presets)
    assert driven.state.has_sweep and driven.state.busy is not None
    assert not driven.controller.may_sweep(driven.row("balanced")) and "A sweep is running" in driven.notices[-1]
    driven.jobs.finish()
    assert not driven.state.has_sweep and driven.state.busy is None
    assert sorted(row.name for row in driven.state.table.rows if row.is_of_sweep) == ["tight 700", "tight 900"]
    driven.controller.clear_sweep()
    assert len(driven.state.table.rows) == before
    driven.controller.clear_sweep()
    assert "no rows of a sweep" in driven.notices[-1]


def test_what_a_stopped_sweep_finds_later_is_dropped(driven: Driven) -> None:
    driven.controller.start_sweep([TIGHT])
    driven.jobs.run()
    assert driven.controller.back() and "Stopped" in driven.notices[-1]
    driven.jobs.finish()
    assert not any(row.is_of_sweep for row in driven.state.table.rows) and not driven.state.has_sweep
    assert not driven.controller.back()


def test_a_sweep_that_fails_says_why(driven: Driven) -> None:
    driven.controller.start_sweep([replace(TIGHT, strategy="no such strategy")])
    driven.jobs.finish()
    assert not driven.state.has_sweep and len(driven.notices) == 1


def test_a_closed_dialog_sweeps_nothing(driven: Driven) -> None:
    driven.controller.start_sweep(None)
    driven.controller.start_sweep(())
    assert not driven.jobs.waiting and not driven.state.has_sweep


def test_only_presets_can_be_kept(driven: Driven) -> None:
    assert driven.controller.preset_to_keep(driven.row("balanced")) == PRESETS["balanced"]
    assert driven.controller.preset_to_keep(next(row for row in driven.state.table.rows if row.is_recording)) is None
    assert "not a preset" in driven.notices[-1]


def test_rows_wait_until_the_session_has_been_counted(driven: Driven) -> None:
    session = recorded(STEPS)
    sizes = sized(session)
    driven.controller.open(Workbench(session, replace(sizes, is_partial=True)))
    driven.jobs.finish()
    assert not driven.state.table.results and driven.state.busy is not None and driven.state.busy.what == "counting"
    driven.controller.open(Workbench(session, sizes))
    driven.jobs.finish()
    assert not driven.state.table.stale and driven.state.busy is None
