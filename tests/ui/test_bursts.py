"""Keys that arrive together, as a slow line, a held key or a double click delivers them: nothing is closed twice."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.events import Click, Key, MouseDown, Resize
from textual.pilot import Pilot
from textual.screen import Screen

from inspector.library import PlanStacks, Workbench
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.ask_dialog import AskScreen, QuestionDialog
from inspector.ui.dialogs.bookmarks_dialog import BookmarksScreen
from inspector.ui.dialogs.choice_dialog import ChoiceDialog, ValueScreen
from inspector.ui.dialogs.command_palette import CommandDialog, ThemeDialog
from inspector.ui.dialogs.diff_dialog import DiffScreen, TurnDiff
from inspector.ui.dialogs.export_dialog import ExportScreen
from inspector.ui.dialogs.help import Help
from inspector.ui.dialogs.layers import LayersScreen
from inspector.ui.dialogs.lost_dialog import LostScreen
from inspector.ui.dialogs.memories_dialog import WindowMemoriesScreen
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.next_loss_dialog import NextLossScreen
from inspector.ui.dialogs.origin import OriginScreen, SummaryReader
from inspector.ui.dialogs.overlay import Dialog, Overlay
from inspector.ui.dialogs.picker import Picker
from inspector.ui.dialogs.problems_dialog import ProblemsScreen
from inspector.ui.dialogs.question import Confirmation
from inspector.ui.dialogs.questions_dialog import QuestionsScreen
from inspector.ui.dialogs.save_preset import SavePreset
from inspector.ui.dialogs.sizes_dialog import SizesScreen
from inspector.ui.dialogs.sources_dialog import SourcesScreen
from inspector.ui.dialogs.stages import StagesScreen
from inspector.ui.dialogs.state_dialog import WorkStateScreen
from inspector.ui.dialogs.steps_dialog import StepsScreen
from inspector.ui.dialogs.weights import WeightsScreen
from inspector.ui.dialogs.write_dialog import WriteDialog
from inspector.ui.screens.compare.screen import CompareScreen
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.memory.inject_screen import InjectScreen
from inspector.ui.screens.memory.notes_screen import NotesScreen
from inspector.ui.screens.memory.stores_screen import StoresScreen
from inspector.ui.screens.replay.frame_window import FrameWindow
from inspector.ui.screens.replay.preset_dialog import PresetDialog
from inspector.ui.screens.replay.screen import ReplayScreen
from inspector.ui.screens.sessions import SearchScreen, Sessions
from inspector.ui.screens.sessions.columns_dialog import ColumnsDialog
from inspector.ui.screens.sessions.import_dialog import ImportDialog
from inspector.ui.screens.sessions.unsupported_dialog import UnsupportedDialog
from inspector.ui.screens.tune import CorpusScreen, Tune
from inspector.ui.screens.tune.preset_export_dialog import ExportPreset
from inspector.ui.screens.tune.sweep_dialog import SweepDialog
from inspector.ui.widgets.key_bar import KeyBar, _width_of
from inspector.ui.widgets.text_view import TextView
from tests.driving import SAMPLES, Opening, Word, burst, inspect_screen, press, settled
from tests.fuzz.steps import subclasses
from tests.generated import Ask, Reply, recorded, sized
from tests.terminal import running_app


@dataclass(frozen=True)
class Way:
    """How an overlay is reached: a mode, an action on its screen, and keys."""

    kind: type[Screen[Any]]
    mode: str
    keys: tuple[str, ...]
    action: str = ""


SUMMARY = "try('sliding_window')"
WAYS = (
    Way(SearchScreen, "1", ("F",)),
    Way(UnsupportedDialog, "1", (), "unsupported"),
    Way(ImportDialog, "1", (), "ask_import"),
    Way(ColumnsDialog, "1", ("L",)),
    Way(CorpusScreen, "1", ("P",)),
    Way(CommandDialog, "2", ("ctrl+p",)),
    Way(ThemeDialog, "2", ("ctrl+p", Word("theme"), "enter")),
    Way(Help, "2", ("?",)),
    Way(Picker, "2", ("s",)),
    Way(ExportScreen, "2", ("e",)),
    Way(ProblemsScreen, "2", ("!",)),
    Way(Reader, "2", ("enter",)),
    Way(ValueScreen, "2", ("t",), SUMMARY),
    Way(SavePreset, "2", ("w",), SUMMARY),
    Way(SizesScreen, "2", ("z",)),
    Way(BookmarksScreen, "2", ("b", "enter", "B")),
    Way(LostScreen, "2", ("x",), SUMMARY),
    Way(DiffScreen, "2", ("x", "d"), SUMMARY),
    Way(TurnDiff, "2", ("d",)),
    Way(OriginScreen, "2", ("ctrl+home", "o")),
    Way(SummaryReader, "2", ("ctrl+home", "o", "o")),
    Way(StagesScreen, "2", ("t",), "try('pipeline')"),
    Way(LayersScreen, "2", ("ctrl+home", "down", "down", "D", "l")),
    Way(NextLossScreen, "2", ("X",)),
    Way(WindowMemoriesScreen, "2", ("E",)),
    Way(SourcesScreen, "2", ("A",)),
    Way(AskScreen, "2", ("@",)),
    Way(QuestionDialog, "2", ("@", "t")),
    Way(WorkStateScreen, "2", ("V",)),  # it leads to another turn
    Way(PresetDialog, "3", ("s",)),
    Way(QuestionsScreen, "3", ("x",)),
    Way(WeightsScreen, "3", ("W",)),
    Way(FrameWindow, "3", ("home", "enter")),
    Way(QuestionsScreen, "4", ("home", "down", "down", "x")),
    Way(SweepDialog, "4", ("home", "down", "down", "*")),
    Way(ExportPreset, "4", ("home", "down", "down", "e")),
    Way(CompareScreen, "4", ("home", "down", "down", "v")),
    Way(FrameWindow, "4", ("home", "down", "down", "v", "enter")),
    Way(StepsScreen, "4", ("@",)),
    Way(InjectScreen, "5", ("i",)),
    Way(NotesScreen, "5", ("H",)),
    Way(StoresScreen, "5", ("h",)),
    Way(Confirmation, "5", ("]", "left", "D"), "tier('working')"),
)
BASES = {Overlay, Dialog, ChoiceDialog, WriteDialog}


def overlays() -> set[type[Any]]:
    return {kind for kind in subclasses(Overlay) if kind.__module__.startswith("inspector.")}


def test_every_overlay_is_tried() -> None:
    assert {way.kind for way in WAYS} == overlays() - BASES
    assert not [kind for kind in overlays() if "dismiss" in vars(kind)], "all are closed in the same way"


async def reach(pilot: Pilot[None], way: Way) -> None:
    while len(pilot.app.screen_stack) > 1:
        await pilot.app.pop_screen()
    await press(pilot, way.mode)
    if isinstance(pilot.app.screen, Inspect):
        pilot.app.screen.controller.try_trial(None)
    if way.action:
        await pilot.app.run_action(way.action, pilot.app.screen)
    await settled(pilot)  # keys act on what is shown
    await press(pilot, *way.keys)
    assert isinstance(pilot.app.screen, way.kind), (way, pilot.app.screen)


SAMPLE_OF = {
    "1": "support-ticket.json",
    "2": "coding-agent.jsonl",
    "3": "support-ticket.json",
    "4": "support-ticket.json",
    "5": "support-ticket.json",
}


@pytest.mark.parametrize("mode", list(SAMPLE_OF))
async def test_no_overlay_is_closed_twice(
    running: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(SAMPLES / SAMPLE_OF[mode]) as pilot:
        ways = [way for way in WAYS if way.mode == mode]
        for way in ways:
            await reach(pilot, way)
            await burst(pilot, "enter", "enter")
            assert pilot.app.is_running
            if way is not ways[0] and not isinstance(pilot.app.screen, way.kind):
                continue  # escape does the same in all of them, and is tried on the first and on those that stay open
            await reach(pilot, way)
            await burst(pilot, "escape", "escape")
            assert pilot.app.is_running and not isinstance(pilot.app.screen, way.kind), way
        await reach(pilot, ways[-1])
        overlay, *beneath = reversed(pilot.app.screen_stack)
        overlay.dismiss(None)
        overlay.dismiss(None)
        await settled(pilot)
        assert list(reversed(pilot.app.screen_stack)) == beneath


async def test_a_screen_that_is_dismissed_by_a_job_closes_when_it_is_in_front_again(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "e")
        dialog = pilot.app.screen
        await press(pilot, "ctrl+p")
        palette = pilot.app.screen
        dialog.dismiss(None)
        await settled(pilot)
        assert pilot.app.screen is palette
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Inspect)


@pytest.mark.parametrize("mode", ["1", "3", "4", "5"])
def test_in_a_real_terminal(tmp_path: Path, mode: str) -> None:
    """Enter twice in one write on each overlay: the app goes on, and quits as if nothing had been."""
    with running_app([str(SAMPLES / SAMPLE_OF[mode])], tmp_path) as terminal:
        terminal.wait_for("strategy")
        terminal.settle()
        for way in WAYS:
            if way.mode == mode and not way.action:
                for key in ("escape", "escape", "escape", mode, *way.keys):
                    terminal.send(key)
                terminal.send("enter", "enter")
                assert terminal.alive(), way
        terminal.send("ctrl+q")
        assert terminal.wait() == 0


async def test_typing_and_paging_fast_in_the_palette(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        for _ in range(3):
            await burst(pilot, "ctrl+p")
            assert isinstance(pilot.app.screen, CommandDialog)
            for letter in "presetxyz":
                await burst(pilot, letter, "pagedown", "pageup", "down", "pagedown")
            await burst(pilot, *["backspace"] * 9, "pagedown", "pageup", "up")
            await burst(pilot, "escape", "escape")


async def test_enter_twice_on_a_line_opens_it_once(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        for _ in range(3):
            await burst(pilot, "enter", "enter")
            assert len(pilot.app.screen_stack) <= 2
            await press(pilot, "escape", "2")


async def test_keys_that_are_still_queued_while_the_app_shuts_down_go_nowhere(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        app = pilot.app
    for key in ("down", "enter", "ctrl+p", "escape"):
        await app.on_event(Key(key, None))
    await app.on_event(MouseDown(None, 3, 3, 0, 0, 1, False, False, False))


@pytest.mark.parametrize("mode", ["sessions", "replay", "tune"])
async def test_what_comes_while_a_screen_is_being_made_is_shown_by_it_later(running: Opening, mode: str) -> None:
    async with running(str(SAMPLES / "support-ticket.json")) as pilot:
        app = pilot.app
        assert isinstance(app, InspectorApp)
        shown = app.switch_mode(mode)
        app.show_library()
        app.show_bench()
        await shown
        await app.action_mode(mode)
        await settled(pilot)
        front = app.screen
        assert isinstance(front, Sessions) or (isinstance(front, ReplayScreen | Tune) and front.controller.is_open)


async def test_a_session_opens_while_its_screen_is_being_made(running: Opening) -> None:
    session = recorded([Ask(), Reply()])
    bench = Workbench(session, sized(session))
    async with running(str(SAMPLES)) as pilot:
        app = pilot.app
        assert isinstance(app, InspectorApp)
        app.switch_mode("inspect")
        (await app.inspect()).open(PlanStacks(bench))
        await settled(pilot)
        assert inspect_screen(pilot).controller.is_open


async def test_what_comes_for_a_dialog_that_is_being_closed_is_dropped(running: Opening) -> None:
    async with running(str(SAMPLES / "support-ticket.json")) as pilot:
        await press(pilot, "s")
        picker = pilot.app.screen
        assert isinstance(picker, Picker) and picker.trial
        found = picker.look(picker.trial)
        picker.dismiss(None)
        while picker.query("#effect"):
            await asyncio.sleep(0)
            picker.effects.finish(found)
        picker.effects.finish(found)
        await settled(pilot)
        assert not pilot.app._notifications


async def test_what_an_overlay_wanted_to_do_after_a_refresh_is_dropped_when_it_is_closed(running: Opening) -> None:
    async with running(str(SAMPLES / "support-ticket.json")) as pilot:
        await press(pilot, "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader)
        reader.dismiss(None)
        while reader.query(TextView):
            await asyncio.sleep(0)
        reader._callbacks.append((reader.read, reader))
        await reader._invoke_and_clear_callbacks()
        reader.post_message(Resize(reader.size, reader.size))
        await settled(pilot)
        assert pilot.app.is_running and len(pilot.app.screen_stack) == 1


async def test_the_last_screen_is_never_taken_off(running: Opening) -> None:
    async with running(str(SAMPLES / "support-ticket.json")) as pilot:
        await press(pilot, "enter")
        bar = pilot.app.screen.query_one(KeyBar)
        back = sum(map(_width_of, bar.fitting()[:-2])) + 2
        pilot.app.screen.dismiss(None)
        await bar.on_click(Click(bar, back, 0, 0, 0, 1, False, False, False))
        await settled(pilot)
        await pilot.app.pop_screen()
        await pilot.app.run_action("screen.dismiss")
        await settled(pilot)
        assert pilot.app.is_running and pilot.app.screen is inspect_screen(pilot)


async def test_a_screen_without_widgets_is_asked_for_nothing(running: Opening) -> None:
    async with running(str(SAMPLES / "support-ticket.json")) as pilot:
        shown = pilot.app.switch_mode("tune")
        await pilot.app.run_action("screen.open")
        await pilot.app.run_action("screen.turn_knob(1)")
        await shown
        await settled(pilot)
        assert pilot.app.is_running
