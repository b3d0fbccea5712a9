"""The columns that Tune and Compare share: what names and bars get of a line."""

from __future__ import annotations

import pytest

from inspector.ui.preset_columns import bar_room, heading, name_room, shown_columns


@pytest.mark.parametrize("width", [40, 79, 119, 159, 199])
@pytest.mark.parametrize("longest", [0, 13, 55, 300])
def test_a_line_is_never_overrun(width: int, longest: int) -> None:
    numbers = sum(cells for _, cells, _ in shown_columns(width))
    bar = bar_room(width, longest)
    assert 3 + name_room(width, longest) + numbers + (3 + bar if bar else 0) <= width
    assert any("facts kept" in text for text, _ in heading(width, "", False, longest)) is bool(bar)


def test_long_names_and_the_bar_share_what_a_wide_screen_has() -> None:
    assert name_room(159, 12) == 26 and bar_room(159, 12) == 17, "short names leave it to the bar"
    assert name_room(199, 55) == 55, "a title is whole where there is room for it"
    assert bar_room(159, 300) == 14, "a name without an end leaves the bar what it needs"
