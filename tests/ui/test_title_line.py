"""The first line of every screen: the tabs, what is told beside them, and leaving with q."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from rich.text import Text
from textual.pilot import Pilot
from textual.screen import Screen

from inspector.ui.app import InspectorApp
from inspector.ui.library_controller import IMPORTING, LibraryState
from inspector.ui.opening_screen import OpeningScreen
from inspector.ui.screens.inspect import Inspect
from inspector.ui.tabs import TABS, placed_tabs
from inspector.ui.widgets.status_line import StatusLine
from inspector.ui.widgets.title import TitleLine
from inspector.ui.workers.jobs import Busy
from tests.driving import SAMPLES, Opening, Writer, chat, inspect_screen, press, settled

NAMES = [tab.name for tab in TABS]


def front(pilot: Pilot[None]) -> Screen[Any]:
    return pilot.app.screen


def title(pilot: Pilot[None]) -> Text:
    return front(pilot).query_one(TitleLine).render()


@pytest.mark.parametrize("width", range(1, 200))
def test_tabs_fit_and_name_at_least_the_one_in_front(width: int) -> None:
    for tab in TABS:
        placed = placed_tabs(tab.mode, width)
        assert [each.tab for each in placed] == list(TABS)
        assert all(each.end - each.start == len(each.text) for each in placed)
        assert all(left.end == right.start for left, right in pairwise(placed))
        if width >= 30:
            assert placed[-1].end <= width and f" {tab.key} {tab.name} " in [each.text for each in placed]
        named = [each.tab.name for each in placed if len(each.text.split()) == 2]
        if width >= 80:
            assert named[:5] == NAMES[:5], "the last names are left out first"
        if width >= 88:
            assert named == NAMES


async def test_each_screen_leads_to_every_other_by_a_click(running: Opening) -> None:
    async with running(SAMPLES / "research.json", size=(80, 24)) as pilot:
        for tab in (*TABS, *reversed(TABS)):
            (place,) = (each for each in front(pilot).query_one(TitleLine).tabs if each.tab == tab)
            await pilot.click(TitleLine, offset=(place.end - 1, 0))
            await settled(pilot)
            assert pilot.app.current_mode == tab.mode
            assert all(name in title(pilot).plain for name in (*NAMES[:5], tab.name))


async def test_the_tabs_of_a_named_session_are_painted_before_its_screen_is_loaded(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        await settled(pilot)
        assert isinstance(pilot.app, InspectorApp) and isinstance(front(pilot), Inspect)
        first = pilot.app.base("opening")
        assert isinstance(first, OpeningScreen)
        assert first.query_one(TitleLine).tabs == front(pilot).query_one(TitleLine).tabs


async def test_tabs_that_need_a_session_are_dim_and_say_so_until_there_is_one(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat()).parent) as pilot:
        line = front(pilot).query_one(TitleLine)
        replay = next(place for place in line.tabs if place.tab.mode == "replay")

        def colour() -> object:
            return title(pilot).get_style_at_offset(pilot.app.console, replay.end - 2).color

        dim = colour()
        await pilot.click(TitleLine, offset=(replay.start + 1, 0))
        assert pilot.app.current_mode == "sessions"
        await press(pilot, "enter", "1")
        assert pilot.app.current_mode == "sessions" and colour() != dim
        await press(pilot, "3")
        assert pilot.app.current_mode == "replay"


async def test_the_first_line_tells_what_fits_the_turn_before_the_name(running: Opening) -> None:
    async with running(SAMPLES / "three-agents.jsonl", size=(230, 50)) as pilot:
        screen = inspect_screen(pilot)
        session = screen.state.bench.session
        await press(pilot, ".", "left")
        agent, turn = screen.state.agent, screen.state.turn
        place = f"turn {turn} of {screen.state.bench.turns(agent)}"
        wide = title(pilot).plain
        assert session.title in wide and session.model in wide and f"agent {agent}" in wide and place in wide
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert place in title(pilot).plain and session.title not in title(pilot).plain
        status = screen.query_one(StatusLine).render()
        assert session.title[:12] in status.plain and status.cell_len <= 78, "it stands under the bars, then"
        assert title(pilot).cell_len <= 80
        screen.busy = Busy("counting", 0.4)
        assert "counting 40%" in title(pilot).plain


async def test_the_agent_is_named_on_every_width(running: Opening) -> None:
    async with running(SAMPLES / "three-agents.jsonl", size=(120, 40)) as pilot:
        await press(pilot, ".")
        agent = inspect_screen(pilot).state.agent
        for size in ((160, 50), (80, 24), (60, 20)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            lines = title(pilot).plain + front(pilot).query_one(StatusLine).render().plain
            assert agent in lines, size


async def test_q_quits_from_a_screen_with_tabs_and_closes_what_lies_over_it(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        for keys in (("enter",), ("?",), ("s", "escape", "!")):
            await press(pilot, *keys, "q")
            assert pilot.app.is_running and isinstance(front(pilot), Inspect)
        await press(pilot, "3", "enter")
        assert len(pilot.app.screen_stack) == 2
        await press(pilot, "q")
        assert len(pilot.app.screen_stack) == 1
        await pilot.press("q")
        assert pilot.app._exit


async def test_q_is_a_letter_where_one_types(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        await press(pilot, "1", "/", "q")
        assert front(pilot).filtered == "q"  # type: ignore[attr-defined]  # the library


async def test_q_asks_again_while_files_are_imported(running: Opening) -> None:
    async with running(SAMPLES / "research.json") as pilot:
        app: Any = pilot.app
        app.sessions.state = LibraryState(app.sessions.state.entries, Busy(IMPORTING, 0.5))
        await pilot.press("q")
        assert not app._exit
        assert any("imported" in note.message for note in app._notifications)
        await pilot.press("q")
        assert app._exit
