"""What a person does is kept: once, in order, also while the session is still on its way into the store."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.library import Library
from inspector.store import Store, StoreError
from inspector.ui.app import InspectorApp
from inspector.ui.screens.sessions import SessionList
from inspector.ui.widgets.message_list import MessageList
from inspector.ui.workers.jobs import WriteQueue
from tests.driving import Opening, Writer, chat, inspect_screen, press, settled, until


async def drop_first_step(pilot: Pilot[None]) -> None:
    screen = inspect_screen(pilot)
    await until(pilot, lambda: not screen.controller.previews.is_running)
    screen.query_one(MessageList).cursor = 2
    await pilot.press("D")


async def test_a_plan_made_while_the_session_is_being_stored_is_kept_once(
    write: Writer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    add = Store.add

    def slow(self: Store, *args: Any, **extra: Any) -> Any:
        go_on.wait(10)
        return add(self, *args, **extra)

    monkeypatch.setattr(Store, "add", slow)
    app = InspectorApp([str(write("scans.json", chat()))], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.base("inspect") and inspect_screen(pilot).state.preview)
        await until(pilot, lambda: "storing" in str(inspect_screen(pilot).busy))
        await drop_first_step(pilot)
        await pilot.pause(0.1)
        go_on.set()
        await settled(pilot)
        bench = inspect_screen(pilot).state.bench
        assert bench.store_id and len(bench.plans["main"]) == 1
        assert library.store is not None and len(library.store.plans(bench.store_id, "main")) == 1
        await press(pilot, "u")
        assert not bench.plans["main"] and library.store.plans(bench.store_id, "main") == []


def test_a_change_that_fails_is_told_and_the_next_is_made() -> None:
    told: list[Exception] = []
    made: list[int] = []
    with Store() as store:
        changes = WriteQueue(store, told.append)
        for number in range(50):
            changes.add(lambda _, number=number: made.append(number) if number % 10 else raise_(number))  # type: ignore[misc]
        changes.close()
    assert made == [number for number in range(50) if number % 10]
    assert len(told) == 5


def raise_(number: int) -> None:
    raise (StoreError if number else TypeError)(f"number {number}")


async def test_quitting_right_after_a_change_does_not_lose_it(
    write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push = Store.push

    def slow(self: Store, *args: Any) -> None:
        threading.Event().wait(0.3)
        push(self, *args)

    monkeypatch.setattr(Store, "push", slow)
    path = write("scans.json", chat())
    with Library(tmp_path / "quit.db", required=True) as library:
        app = InspectorApp([str(path)], library, look_around=False)
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            stored = inspect_screen(pilot).state.bench.store_id
            await pilot.press("p")
            await pilot.pause(0.05)
            await pilot.press("ctrl+q")
        assert library.store is not None and len(library.store.plans(stored, "main")) == 1


async def test_dropping_what_the_conversation_needs_is_refused_in_a_sentence(running: Opening, write: Writer) -> None:
    async with running(
        write("short.json", {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]})
    ) as pilot:
        await press(pilot, "D")
        assert inspect_screen(pilot).state.bench.plans == {}
        told = [note.message for note in pilot.app._notifications]
        assert told == ["Nothing was dropped, because the conversation would be empty."]


async def test_notices_are_cleaned_and_one_takes_the_place_of_the_other(running: Opening) -> None:
    async with running() as pilot:
        pilot.app.notify("first")
        await settled(pilot)
        pilot.app.notify("\x1b[31m [red]second[/red] \u202eback [/x]")
        await settled(pilot)
        told = [note.message for note in pilot.app._notifications]
        assert told == ["␛[31m [red]second[/red] ⟨RLO⟩back [/x]"]
        assert pilot.app.is_running


async def test_the_library_knows_the_session_that_was_opened_directly(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "escape")
        await settled(pilot)
        entries = pilot.app.screen.query_one(SessionList).entries
        assert [entry.title for entry in entries] == ["Sort the scans of 1968 into albums, please."]


async def test_after_an_import_the_library_shows_the_stored_sessions(
    running: Opening, tmp_path: Path, write: Writer
) -> None:
    write("one.json", chat(3))
    async with running(tmp_path) as pilot:
        await press(pilot, "i")
        await settled(pilot)
        entries = pilot.app.screen.query_one(SessionList).entries
        assert [entry.origin for entry in entries] == ["stored"]


def in_store(library: Library, stored: str) -> list[str]:
    assert library.store is not None
    return [plan.strategy for plan in library.store.plans(stored, "main")]


def notices(pilot: Pilot[None]) -> list[str]:
    return [note.message for note in pilot.app._notifications]


async def test_a_plan_made_for_plans_that_another_program_has_changed_is_refused_and_what_is_stored_is_shown(
    running: Opening, write: Writer, library: Library
) -> None:
    path = write("scans.json", chat())
    async with running(path) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter")
        with Library(Path(library.path), required=True) as other:
            opened = other.open(str(path))
            opened.push(opened.bench.hand_plan((opened.bench.session.messages[3].id,), "dropped", None), "main")
        await press(pilot, "a")
        assert "the session has changed since it was opened, so nothing was stored" in notices(pilot)[0]
        assert in_store(library, screen.state.bench.store_id) == ["by hand"]
        assert [plan.strategy for plan in screen.state.stack] == ["by hand"]
        assert screen.state.preview is not None and len(screen.state.preview.applied) == 1
        await press(pilot, "s", "enter", "a")
        assert in_store(library, screen.state.bench.store_id) == ["by hand", "sliding_window"]
        assert [plan.strategy for plan in screen.state.stack] == ["by hand", "sliding_window"]


async def test_an_undo_of_what_another_program_has_undone_is_refused(
    running: Opening, write: Writer, library: Library
) -> None:
    path = write("scans.json", chat())
    async with running(path) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "p", "s", "enter", "a")
        assert len(screen.state.stack) == 2
        with Library(Path(library.path), required=True) as other:
            other.open(str(path)).undo("main")
        await press(pilot, "u")
        assert "the session has changed since it was opened" in notices(pilot)[0]
        assert (
            in_store(library, screen.state.bench.store_id)
            == [plan.strategy for plan in screen.state.stack]
            == ["by hand"]
        )
        await press(pilot, "u")
        assert in_store(library, screen.state.bench.store_id) == [plan.strategy for plan in screen.state.stack] == []


async def test_what_was_asked_for_behind_a_change_that_failed_fails_too(
    running: Opening, write: Writer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    push, go_on, calls = Store.push, threading.Event(), []

    def first_fails(self: Store, *args: Any) -> int:
        go_on.wait(10)
        calls.append(args)
        if len(calls) == 1:
            raise StoreError("the disk is full")
        return push(self, *args)

    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        monkeypatch.setattr(Store, "push", first_fails)
        screen.query_one(MessageList).cursor = 4
        await pilot.press("p")
        await until(pilot, lambda: len(screen.state.stack) == 1 and not screen.controller.previews.is_running)
        screen.query_one(MessageList).cursor = 8
        await pilot.press("p")
        await until(pilot, lambda: len(screen.state.stack) == 2)
        go_on.set()
        await settled(pilot)
        assert (len(calls), in_store(library, screen.state.bench.store_id), len(screen.state.stack)) == (
            2,
            [],
            0,
        )
        await press(pilot, "p")
        assert len(in_store(library, screen.state.bench.store_id)) == len(screen.state.stack) == 1


async def test_a_plan_made_before_the_stored_plans_were_seen_is_refused(
    write: Writer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("scans.json", chat())
    opened = library.open(str(path))
    opened.push(opened.bench.hand_plan((opened.bench.session.messages[3].id,), "dropped", None), "main")
    go_on, stack = threading.Event(), Store.stack

    def slow(self: Store, *args: Any) -> Any:
        go_on.wait(10)
        return stack(self, *args)

    monkeypatch.setattr(Store, "stack", slow)
    app = InspectorApp([str(path)], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.base("inspect") and inspect_screen(pilot).state.preview)
        inspect_screen(pilot).query_one(MessageList).cursor = 8
        await pilot.press("p")
        await until(pilot, lambda: len(inspect_screen(pilot).state.stack) == 1)
        go_on.set()
        await settled(pilot)
        bench = inspect_screen(pilot).state.bench
        assert [plan.counts.get("dropped", 0) > 0 for plan in bench.plans["main"]] == [True]
        assert in_store(library, bench.store_id) == ["by hand"]
        assert any("has changed since it was opened" in notice for notice in notices(pilot))
