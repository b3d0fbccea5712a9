"""The columns that Tune and Compare share: what names and bars get of a line."""

from __future__ import annotations

import pytest

from inspector.ui.preset_columns import ColumnRoom
from inspector.ui.screens.tune.preset_rows import SORTS


@pytest.mark.parametrize("width", [40, 79, 119, 159, 199])
@pytest.mark.parametrize("longest", [0, 13, 55, 300])
@pytest.mark.parametrize("order", ["", "invented", "going on", "sent"])
def test_a_line_is_never_overrun(width: int, longest: int, order: str) -> None:
    room = ColumnRoom(width, longest, order=order)
    numbers = sum(cells for _, cells, _ in room.columns)
    assert 3 + room.names + numbers + (3 + room.bar if room.bar else 0) <= width
    assert any("facts kept" in text for text, _ in room.heading()) is bool(room.bar)


def test_long_names_and_the_bar_share_what_a_wide_screen_has() -> None:
    room = ColumnRoom(159, 12)
    assert room.names == 26 and room.bar == 17, "short names leave it to the bar"
    assert ColumnRoom(199, 55).names == 55, "a title is whole where there is room for it"
    assert ColumnRoom(159, 300).bar == 14, "a name without an end leaves the bar what it needs"


@pytest.mark.parametrize("width", [30, 79, 119, 199])
@pytest.mark.parametrize("asked", [False, True])
def test_the_column_that_sorts_the_rows_is_shown_and_the_others_are_named(width: int, asked: bool) -> None:
    plain = ColumnRoom(width, 12, asked)
    for order in SORTS:
        room = ColumnRoom(width, 12, asked, order)
        names = [name for name, _, _ in room.columns]
        assert order in names or order in ("best", "name", "same step")
        assert sum(cells for _, cells, _ in room.columns) <= max(sum(cells for _, cells, _ in plain.columns), 30)
        assert {*names, *room.hidden} >= {*SORTS} - {"best", "name", "same step"} and not {*names} & {*room.hidden}
        arrows = [text for text, is_sorted in room.heading() if is_sorted]
        assert len(arrows) == (order not in ("best", "same step") or (order == "same step" and asked))
