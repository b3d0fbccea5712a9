"""The Overview screen, driven by keys."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from inspector.library import Library
from inspector.ui.palette import Palette
from inspector.ui.screens.overview.controller import OverviewState
from inspector.ui.screens.overview.panels import list_heads
from inspector.ui.screens.overview.screen import OverviewScreen
from tests.driving import SAMPLES, Opening, burst, inspect_screen, press, settled
from tests.store.made import chain


def overview(pilot: Pilot[None]) -> OverviewScreen:
    screen = pilot.app.screen
    assert isinstance(screen, OverviewScreen)
    return screen


@pytest.fixture
def filled(library: Library) -> None:
    """Import two samples."""
    targets = [str(SAMPLES / name) for name in ("coding-agent.jsonl", "three-agents.jsonl")]
    assert all(not outcome.problem for outcome in library.import_targets(targets))


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50), (40, 12)])
async def test_a_row_leads_to_its_sessions_and_they_open(running: Opening, size: tuple[int, int]) -> None:
    async with running(size=size) as pilot:
        await press(pilot, "8")
        screen = overview(pilot)
        assert screen.state.stats is not None and screen.state.stats.total.sessions == 2
        assert [row.name for row in screen.state.rows] == ["tidegate", "moonlight"]
        await press(pilot, "down", "enter")
        assert screen.state.opened == "moonlight" and len(screen.state.sessions) == 1
        await press(pilot, "escape", "tab")
        assert (screen.state.group, screen.totals.cursor) == ("week", 0)
        await press(pilot, "shift+tab", "enter", "enter")
        await settled(pilot)
        assert inspect_screen(pilot).state.bench.session.title.startswith("The hour that does not exist")


@pytest.mark.usefixtures("filled")
async def test_keys_in_one_burst(running: Opening) -> None:
    async with running() as pilot:
        await press(pilot, "8")
        await burst(pilot, "tab", "tab", "enter", "f", "f", "f", "f", "shift+tab", "shift+tab", "enter")
        await settled(pilot)
        screen = overview(pilot)
        assert (screen.state.group, screen.state.period) == ("project", 0)
        assert screen.state.stats is not None and screen.state.busy is None


@pytest.mark.usefixtures("filled")
async def test_escape_before_the_sessions_are_listed_returns_to_the_groups(running: Opening) -> None:
    async with running() as pilot:
        await press(pilot, "8")
        screen = overview(pilot)
        await burst(pilot, "enter", "escape")
        assert overview(pilot) is screen and screen.state.opened is None
        await burst(pilot, "down", "enter", "escape", "escape")
        assert not isinstance(pilot.app.screen, OverviewScreen)
        await press(pilot, "8")
        await burst(pilot, "escape", "7")
        assert pilot.app.current_mode == "live", "a screen that is left already does not lead elsewhere"


async def test_an_empty_store_says_what_to_do(running: Opening) -> None:
    async with running() as pilot:
        await press(pilot, "8", "enter", "tab", "f", "f5")
        screen = overview(pilot)
        assert "Press 1, and i there, to store the selected session" in screen.sentence(120).plain
        await press(pilot, "f", "f", "f", "escape")
        assert not isinstance(pilot.app.screen, OverviewScreen)


async def test_sessions_without_totals_name_the_key_that_adds_them_up(library: Library, running: Opening) -> None:
    for number in range(51):
        library.required_store.add(chain(f"Look at {number}.", "I look."))
    async with running() as pilot:
        await press(pilot, "8")
        screen = overview(pilot)
        assert screen.sentence(120).plain[1:] == "51 stored sessions are not added up yet. Press f5 to add up."
        await press(pilot, "f5")
        await settled(pilot)
        assert screen.state.stats is not None and screen.state.stats.total.sessions == 51
        assert "add up" not in screen.sentence(120).plain


def test_the_names_of_columns_are_apart() -> None:
    heads = list_heads(OverviewState(group="server"), 160, Palette({})).plain
    assert heads.split()[-3:] == ["defined", "no", "calls"]
