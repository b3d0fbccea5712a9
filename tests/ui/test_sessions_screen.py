"""The library: listing, filtering, sorting, opening, importing and searching."""

from __future__ import annotations

import json
from pathlib import Path

from textual.widgets import Input, Static

from inspector.library import Library
from inspector.ui.dialogs.help import Help
from inspector.ui.screens.sessions import HitList, SearchScreen, SessionList, Sessions
from tests.driving import Opening, Word, chat, inspect_screen, press, settled


def fill(folder: Path) -> None:
    for number, title in enumerate(("Sort the scans", "Water the plants", "Find the tax letter")):
        request = chat(2 + number)
        request["messages"][1]["content"] = title
        (folder / f"{number}.json").write_text(json.dumps(request))
    (folder / "broken.json").write_text("{ no")


def titles(pilot) -> list[str]:  # type: ignore[no-untyped-def]
    return [entry.title for entry in pilot.app.screen.query_one(SessionList).entries]


async def test_a_folder_is_listed_with_what_cannot_be_read(running: Opening, tmp_path: Path) -> None:
    fill(tmp_path)
    async with running(tmp_path) as pilot:
        assert isinstance(pilot.app.screen, Sessions)
        assert {"Sort the scans", "Water the plants", "Find the tax letter"} < set(titles(pilot))
        broken = [entry for entry in pilot.app.screen.query_one(SessionList).entries if entry.problem]
        assert len(broken) == 1 and "broken.json" in broken[0].problem


async def test_enter_opens_the_session_under_the_cursor(running: Opening, tmp_path: Path) -> None:
    fill(tmp_path)
    async with running(tmp_path) as pilot:
        sessions = pilot.app.screen.query_one(SessionList)
        sessions.cursor = titles(pilot).index("Water the plants")
        await press(pilot, "enter")
        assert inspect_screen(pilot).state.bench.session.title == "Water the plants"


async def test_the_filter_leaves_what_matches_and_escape_brings_all_back(running: Opening, tmp_path: Path) -> None:
    fill(tmp_path)
    async with running(tmp_path) as pilot:
        await press(pilot, "/", Word("TAX"))
        assert titles(pilot) == ["Find the tax letter"]
        await press(pilot, "x", "y")
        assert titles(pilot) == []
        assert "No session matches" in str(pilot.app.screen.query_one("#empty", Static).content)
        await press(pilot, "escape")
        assert len(titles(pilot)) == 4


async def test_s_sorts_by_the_next_column(running: Opening, tmp_path: Path) -> None:
    fill(tmp_path)
    async with running(tmp_path) as pilot:
        await press(pilot, "s")
        assert titles(pilot) == sorted(titles(pilot), key=str.lower)
        await press(pilot, "s")
        tokens = [entry.tokens or 0 for entry in pilot.app.screen.query_one(SessionList).entries]
        assert tokens == sorted(tokens, reverse=True)


async def test_without_sessions_it_says_how_to_begin(running: Opening) -> None:
    async with running() as pilot:
        shown = pilot.app.screen.query_one("#empty", Static)
        assert shown.has_class("-shown") and "inspector PATH" in str(shown.content)
        await press(pilot, "enter", "s", "i", "2", "1")
        assert pilot.app.is_running


async def test_importing_makes_words_findable(running: Opening, tmp_path: Path, library: Library) -> None:
    fill(tmp_path)
    async with running(tmp_path) as pilot:
        await press(pilot, "i")
        assert library.store is not None and len(library.store.sessions()) == 3
        await press(pilot, "f")
        assert isinstance(pilot.app.screen, SearchScreen)
        pilot.app.screen.query_one(Input).value = "plants"
        await settled(pilot)
        hits = pilot.app.screen.query_one(HitList).hits
        assert len(hits) == 1 and hits[0].session == "Water the plants"
        await press(pilot, "down", "enter")
        await settled(pilot)
        assert inspect_screen(pilot).state.bench.session.title == "Water the plants"


async def test_help_opens_over_every_screen_and_closes_again(running: Opening, tmp_path: Path) -> None:
    fill(tmp_path)
    async with running(tmp_path) as pilot:
        await press(pilot, "?")
        assert isinstance(pilot.app.screen, Help)
        await press(pilot, "escape", "enter", "?")
        assert isinstance(pilot.app.screen, Help)


async def test_quitting_in_the_middle_of_work_leaves_nothing_half_done(
    running: Opening, tmp_path: Path, library: Library
) -> None:
    fill(tmp_path)
    async with running(tmp_path) as pilot:
        await pilot.press("i")
        await pilot.press("ctrl+q")
    assert library.store is not None
    for row in library.store.sessions():
        assert len(library.store.load(row.id).messages) == row.messages
