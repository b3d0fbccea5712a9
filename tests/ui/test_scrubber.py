"""The strip of turns: whatever it is given at one moment has a place on it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, strategies as st

from inspector.engine.window.timeline import Timeline
from inspector.ui.screens.inspect import Inspect
from inspector.ui.widgets.scrubber import TurnStrip
from tests.driving import SAMPLES, Opening, press, settled

TURNS = st.integers(1, 400)


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=300), TURNS, st.lists(TURNS, max_size=5), st.integers(1, 80)
)
def test_every_turn_has_a_column_also_one_that_the_timeline_does_not_know(
    totals: list[int], turn: int, plans: list[int], columns: int
) -> None:
    strip = TurnStrip(Timeline(tuple(totals), ()), turn, tuple(plans))
    places = [strip.column(each, columns) for each in (*range(1, len(totals) + 1), turn, *plans)]
    assert all(0 <= place < columns for place in places)
    assert places[: len(totals)] == sorted(places[: len(totals)])
    assert strip.cursor(columns).start in range(columns) and strip.cursor(columns).stop <= columns
    assert len(strip.heights(columns)) == columns
    assert max(strip.heights(columns)) <= max(totals)


async def test_a_timeline_of_a_shorter_log_is_drawn_until_the_next_one_has_come(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, Inspect) and screen.state.timeline is not None
        shorter = Timeline(screen.state.timeline.totals[:3], (2, 9))
        screen.state = replace(screen.state, timeline=shorter)
        await pilot.pause()
        await press(pilot, "left", "right", "home", "end")
        await settled(pilot)
        assert pilot.app.is_running
