"""Keys that are pressed before the session they are meant for can be seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest
from textual.events import Key
from textual.pilot import Pilot

from inspector import library as libraries
from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.picker import Picker
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.replay.screen import ReplayScreen
from inspector.ui.screens.sessions import Sessions
from inspector.ui.screens.sessions.session_list import SessionList
from tests.driving import SAMPLES, Writer, chat, inspect_screen, press, send_key, settled


class SlowFile:
    """Reading a session waits, as on a slow disk, until the test lets it go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_ready = Event()
        steps = libraries.Opener.steps

        def wait(*rest: object, **options: object) -> object:
            self.is_ready.wait(30)
            return steps(*rest, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(libraries.Opener, "steps", wait)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowFile:
    return SlowFile(monkeypatch)


@asynccontextmanager
async def loading(library: Library, slow: SlowFile, target: Path, *keys: str) -> AsyncIterator[Pilot[None]]:
    """The app with keys pressed while it reads a file, when that has been read and nothing is going on any more."""
    app = InspectorApp([str(target)], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        try:
            await send_all(pilot, *keys)
        finally:
            slow.is_ready.set()
        await settled(pilot)
        yield pilot


async def send_all(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        send_key(pilot, key)
        await pilot.pause()


async def test_keys_wait_for_the_window_and_come_in_their_order(
    library: Library, write: Writer, slow: SlowFile
) -> None:
    path = write("chat.json", chat())
    async with loading(library, slow, path, "ctrl+home", "down", "down", "enter") as pilot:
        assert inspect_screen(pilot).messages.cursor == 2 and isinstance(pilot.app.screen, Reader)


async def test_a_key_behind_one_that_opens_a_dialog_goes_to_the_dialog(
    library: Library, write: Writer, slow: SlowFile
) -> None:
    async with loading(library, slow, write("chat.json", chat()), "s", "down", "enter") as pilot:
        assert not isinstance(pilot.app.screen, Picker) and inspect_screen(pilot).state.trial is not None


async def test_a_key_that_comes_back_from_a_screen_is_not_held_again(library: Library, slow: SlowFile) -> None:
    app = InspectorApp([str(SAMPLES / "research.json")], library, look_around=False)
    async with app.run_test() as pilot:
        key = Key("f9", None)
        key._set_forwarded()
        await app.on_event(key)
        assert app.early_keys.is_idle
        slow.is_ready.set()
        await settled(pilot)


async def test_a_compaction_is_gone_to_as_soon_as_the_turns_are_known(library: Library, slow: SlowFile) -> None:
    async with loading(library, slow, SAMPLES / "coding-agent.jsonl", "c") as pilot:
        state = inspect_screen(pilot).state
        assert state.timeline is not None and state.turn in state.timeline.compactions


async def test_a_screen_that_needs_a_session_waits_for_it(library: Library, write: Writer, slow: SlowFile) -> None:
    async with loading(library, slow, write("chat.json", chat()), "3") as pilot:
        assert isinstance(pilot.app.screen, ReplayScreen)


async def test_the_library_is_listed_while_a_session_that_was_named_is_opened(library: Library, slow: SlowFile) -> None:
    app = InspectorApp([str(SAMPLES / "research.json")], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await send_all(pilot, "1")
        await pilot.pause(0.2)
        assert app.sessions.has_begun and isinstance(app.screen, Sessions)
        slow.is_ready.set()
        await settled(pilot)


async def test_a_key_that_leads_away_drops_those_that_wait(library: Library, write: Writer, slow: SlowFile) -> None:
    async with loading(library, slow, write("chat.json", chat()), "s", "question_mark", "escape") as pilot:
        assert isinstance(pilot.app.screen, Inspect), "the picker is not opened behind the person's back"


async def test_keys_for_a_file_that_cannot_be_opened_are_dropped(
    library: Library, tmp_path: Path, slow: SlowFile
) -> None:
    (tmp_path / "empty.json").write_text("", encoding="utf-8")
    async with loading(library, slow, tmp_path / "empty.json", "s", "f") as pilot:
        assert isinstance(pilot.app.screen, Sessions)
        await press(pilot, "S")
        assert pilot.app.screen.order == ("session", False), "the next key is for the list"


async def test_the_list_can_be_moved_through_while_a_session_of_it_is_opened(
    library: Library, write: Writer, slow: SlowFile
) -> None:
    folder = write("one.json", chat(3)).parent
    write("two.json", chat(4))
    app = InspectorApp([str(folder)], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        slow.is_ready.set()
        await settled(pilot)
        slow.is_ready.clear()
        await send_all(pilot, "enter", "down", "s")
        assert app.screen.query_one(SessionList).cursor > 0
        slow.is_ready.set()
        await settled(pilot)
        assert isinstance(pilot.app.screen, Picker), "the letter was meant for the session"


async def test_keys_wait_for_a_session_that_is_opened_again(library: Library, write: Writer, slow: SlowFile) -> None:
    path = write("chat.json", chat())
    async with loading(library, slow, path) as pilot:
        await press(pilot, "1")
        slow.is_ready.clear()
        await send_all(pilot, "ctrl+j", "s")  # enter as it arrives when pressed before the terminal is in raw mode
        slow.is_ready.set()
        await settled(pilot)
        assert isinstance(pilot.app.screen, Picker)


async def test_keys_that_come_in_one_read_with_the_one_that_opens_go_to_the_session(
    library: Library, write: Writer, slow: SlowFile
) -> None:
    folder = write("one.json", chat(3)).parent
    slow.is_ready.set()
    app = InspectorApp([str(folder)], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        slow.is_ready.clear()
        send_keys(pilot, "enter", "2", "3")
        await pilot.pause(0.3)
        slow.is_ready.set()
        await settled(pilot)
        assert isinstance(app.screen, ReplayScreen)


async def test_keys_behind_an_enter_that_opens_nothing_go_to_the_list(library: Library) -> None:
    app = InspectorApp([], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        send_keys(pilot, "enter", "S")
        await pilot.pause(0.3)
        assert isinstance(app.screen, Sessions) and app.screen.order == ("session", False)


def send_keys(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        send_key(pilot, key)
