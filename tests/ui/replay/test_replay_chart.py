"""The chart of Replay as plain cells."""

from __future__ import annotations

import pytest

from inspector.analysis.replay import CompactionEvent, Frame
from inspector.ui.mark_lines import free_cells
from inspector.ui.screens.replay.chart import (
    EMPTY,
    ChartCell,
    ChartData,
    ChartGrid,
    chart_cell,
    column_of,
    stacked_cells,
    turn_range,
)


def frame(turn: int, *sections: int) -> Frame:
    return Frame(turn, turn, (*sections, *[0] * (6 - len(sections))), sum(sections), 1)


def test_a_cell_shows_one_boundary_and_the_two_largest_of_what_meets_in_it() -> None:
    assert chart_cell([8], 0) == ChartCell(8, 0, 0)
    assert chart_cell([3], 0) == ChartCell(3, 0, EMPTY)
    assert chart_cell([3, 8], 0) == ChartCell(3, 0, 1)
    assert chart_cell([1, 5, 8], 0) == ChartCell(5, 1, 2)
    assert chart_cell([0], 0) == ChartCell(0, EMPTY, EMPTY)


def test_a_column_is_as_high_as_its_window_to_an_eighth() -> None:
    cells = stacked_cells([500, 0, 0, 250], 1000, 4)
    assert cells == [ChartCell(8, 0, 0), ChartCell(8, 0, 0), ChartCell(8, 3, 3), ChartCell(0, EMPTY, EMPTY)]
    assert stacked_cells([1, 999], 1000, 2) == [ChartCell(8, 1, 1), ChartCell(8, 1, 1)]


@pytest.mark.parametrize(("count", "columns"), [(5, 40), (138, 74), (7, 7), (2000, 60)])
def test_every_turn_has_a_column_that_shows_it(count: int, columns: int) -> None:
    for turn in range(1, count + 1):
        first, last = turn_range(column_of(turn, count, columns), count, columns)
        assert first <= turn - 1 < last


def test_marks_tell_lossy_from_reversible_and_the_lossy_one_wins() -> None:
    compactions = [CompactionEvent(turn, 9, 5, "x", 2, turn != 2) for turn in (2, 3, 4)]
    data = ChartData(tuple(frame(turn, 5) for turn in range(1, 5)), 4, 6, compactions=tuple(compactions))
    assert ChartGrid(data, 4, 3).marks() == ["", "◆", "◇", "◇"]
    assert ChartGrid(data, 2, 3).marks() == ["◆", "◇"]


def test_letters_stand_in_the_areas_that_are_large_enough() -> None:
    data = ChartData(tuple(frame(turn, 400, 0, 0, 600) for turn in range(1, 11)), 10)
    letters = ChartGrid(data, 10, 10).letters
    assert sorted(letters.values()) == ["H", "S"]


def test_a_turn_that_is_compacted_and_needs_what_was_lost_shows_both() -> None:
    compactions = tuple(CompactionEvent(turn, 9, 5, "x", 2, False) for turn in (2, 4))
    frames = tuple(frame(turn, 5) for turn in range(1, 7))
    data = ChartData(frames, 6, 6, compactions=compactions, regret_turns=frozenset({2, 4, 6}))
    wide = ChartGrid(data, 18, 3).marks()
    assert "".join(mark or "." for mark in wide) == "...◆!....◆!....!.."
    narrow = ChartGrid(data, 6, 3).marks()
    assert "".join(mark or "." for mark in narrow) == ".◆!◆!!"


def test_signs_of_one_kind_never_take_the_place_of_one_another() -> None:
    assert list(free_cells({3}, {3}, 8)) == [4]
    assert list(free_cells({3, 4}, {3}, 8)) == [2, 4]
    assert list(free_cells({0, 2}, {0, 1, 2, 3}, 4)) == [0, 2], "where there is no room, in its own place"
    assert list(free_cells({1, 3}, {1, 3}, 4)) == [2, 3]


def test_a_pattern_has_all_of_a_cell() -> None:
    assert ChartCell(3, 0, 1).whole == ChartCell(8, 1, 1)
    assert ChartCell(4, 0, 1).whole == ChartCell(8, 0, 0)
    assert ChartCell(3, 0, EMPTY).whole == ChartCell(3, 0, EMPTY), "the upper edge stays as it is"
