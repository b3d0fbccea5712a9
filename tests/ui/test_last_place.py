"""The app returns to the session, turn and screen that it showed last."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.last_place import LastPlace, PlaceKeeper, last_place_path, load_last_place
from inspector.ui.screens.replay.screen import ReplayScreen
from inspector.ui.screens.sessions import Sessions
from tests.driving import SAMPLES, Writer, chat, inspect_screen, press, settled


def app_at(library: Library, place: LastPlace, path: Path) -> InspectorApp:
    app = InspectorApp([place.target], library, look_around=False)
    app.places = PlaceKeeper(path, place)
    return app


async def test_it_ends_and_begins_at_the_same_place(library: Library, tmp_path: Path) -> None:
    path = last_place_path(tmp_path / "store.db")
    app = InspectorApp([str(SAMPLES / "coding-agent.jsonl")], library, look_around=False)
    app.places = PlaceKeeper(path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "left", "left", "3")
    place = load_last_place(path)
    assert place == LastPlace(str(SAMPLES / "coding-agent.jsonl"), "replay", MAIN, 35)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = app_at(library, place, path)
    async with again.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert isinstance(again.screen, ReplayScreen)
        await press(pilot, "2")
        assert inspect_screen(pilot).state.turn == 35


async def test_a_session_that_has_vanished_is_named_and_the_library_opens(library: Library, tmp_path: Path) -> None:
    app = app_at(library, LastPlace(str(tmp_path / "gone.jsonl")), tmp_path / "last.json")
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, Sessions)
        (notice,) = app._notifications
        assert notice.message.startswith("The last session cannot be reopened: ") and "gone.jsonl" in notice.message
    assert not (tmp_path / "last.json").exists()


async def test_another_session_is_not_moved_to_the_last_turn(library: Library, tmp_path: Path, write: Writer) -> None:
    app = InspectorApp([str(write("one.json", chat(6)))], library, look_around=False)
    app.places = PlaceKeeper(tmp_path / "last.json", LastPlace("other.json", "tune", MAIN, 2))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        screen = inspect_screen(pilot)
        assert app.current_mode == "inspect" and screen.state.turn == screen.controller.last_turn
    assert load_last_place(tmp_path / "last.json") == LastPlace(str(tmp_path / "one.json"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"target": "a", "mode": "moon", "agent": "", "turn": 1}', "\xff"])
def test_a_damaged_file_is_no_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "last.json"
    path.write_text(text, encoding="latin-1")
    assert load_last_place(path) is None and load_last_place(tmp_path / "none.json") is None
