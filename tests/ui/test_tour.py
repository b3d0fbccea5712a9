"""The sample sessions and the tour through them: each step is one key, and no key is kept from the screen."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from inspector.library import FIRST_SAMPLE, Library, sample_place
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.hints import HINTS, HintBook, show_hint
from inspector.ui.key_remaps import key_of
from inspector.ui.screens.sessions import SessionList
from inspector.ui.tour import STEPS, TourLine
from inspector.ui.widgets.key_bar import KeyBar
from tests.driving import SAMPLES, Word, inspect_screen, press, settled


@pytest.fixture
def app(library: Library) -> InspectorApp:
    return InspectorApp((), library, look_around=False)


async def begin(pilot: Pilot[None]) -> None:
    await settled(pilot)
    await press(pilot, "T")
    await looked(pilot)


async def looked(pilot: Pilot[None]) -> None:
    """Until the tour has seen how far one is."""
    assert isinstance(pilot.app, InspectorApp)
    pilot.app.tour.look()
    await pilot.pause()


def line(pilot: Pilot[None]) -> str:
    return str(pilot.app.screen.query_one(TourLine).render())


async def test_the_empty_library_offers_the_samples_and_the_first_is_under_the_cursor(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "try sample sessions" in str(app.screen.query_one("#empty", Static).content)
        await begin(pilot)
        current = app.screen.query_one(SessionList).current
        assert current is not None and current.path == str(FIRST_SAMPLE) == str(SAMPLES / "coding-agent.jsonl")
        assert (app.tour.step, line(pilot)[:6]) == (0, "1 of 5")
        book = HintBook()
        app.screen.signs = HINTS  # type: ignore[attr-defined]
        show_hint(app, book)
        assert not app.screen.query_one(KeyBar).hint, "the tour tells what there is to see"
        assert sample_place(current.path) == "sample coding-agent.jsonl"
        assert sample_place(str(SAMPLES / "damaged.jsonl")).endswith(", damaged on purpose")
        assert not sample_place("/elsewhere/damaged.jsonl")


async def test_five_keys_lead_through_the_tour(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(pilot)
        for number, step in enumerate(STEPS[:2]):
            assert app.tour.step == number and key_of(step.verb) in line(pilot)
            await press(pilot, key_of(step.verb))
            await looked(pilot)
        state = inspect_screen(pilot).state
        assert state.timeline is not None and state.preview is not None
        assert state.preview.recorded.turn in state.timeline.compactions
        assert [key_of(step.verb) for step in STEPS] == ["enter", "c", "x", "3", "4"]
        await press(pilot, "x")
        for number in (3, 4):
            await press(pilot, key_of(STEPS[number].verb))
            await looked(pilot)
            assert app.tour.step == number + 1
        assert "End of the tour" in line(pilot)
        await press(pilot, "escape")
        assert not app.tour.is_on and not app.screen.query(TourLine) and app.current_mode == "tune"


async def test_another_screen_over_inspect_is_no_step(app: InspectorApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await begin(pilot)
        await press(pilot, "enter", "enter")
        assert isinstance(app.screen, Reader)
        await looked(pilot)
        assert app.tour.step == 1 and STEPS[1].text.split()[0] in line(pilot)


async def test_escape_ends_the_tour_and_then_is_the_screens_own_again(app: InspectorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(pilot)
        await press(pilot, "enter")
        await looked(pilot)
        await press(pilot, "escape")
        assert app.current_mode == "inspect" and not app.tour.is_on
        await press(pilot, "escape")
        assert app.current_mode == "sessions" and not app.screen.query(TourLine)


async def test_no_other_key_is_kept_from_the_screen(app: InspectorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(pilot)
        await press(pilot, "down", "/", Word("moon"))
        assert [entry.project for entry in app.screen.query_one(SessionList).entries] == ["moonlight"]
        await press(pilot, "escape")
        assert app.tour.is_on, "esc was for the filter"
        assert len(app.screen.query_one(SessionList).entries) > 1


async def test_whoever_goes_another_way_is_told_where_the_tour_goes_on(app: InspectorApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(pilot)
        await press(pilot, "enter", "5")
        await looked(pilot)
        assert app.tour.step == 1 and "The tour continues in Inspect" in line(pilot)
        await press(pilot, "4")
        await looked(pilot)
        assert app.tour.step == len(STEPS)
