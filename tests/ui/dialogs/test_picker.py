"""The picker: everything that can be tried, grouped by what is lost, filtered by typing."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from inspector.engine.compression.presets import BUILT_IN, Preset, save
from inspector.engine.strategies import STRATEGIES
from inspector.ui.dialogs.lost_dialog import LostScreen
from inspector.ui.dialogs.picker import Picker
from inspector.ui.widgets.bars import WindowBars
from inspector.ui.widgets.grouped import Group, GroupChoice, GroupedList
from tests.driving import Opening, Word, Writer, chat, inspect_screen, press, settled


def picker(pilot: Pilot[None]) -> Picker:
    screen = pilot.app.screen
    assert isinstance(screen, Picker)
    return screen


def headings(names: GroupedList[object]) -> list[str]:
    return [line.heading for line in names.lines if isinstance(line, Group)]


def offered(names: GroupedList[object]) -> list[str]:
    return [line.name for line in names.lines if isinstance(line, GroupChoice)]


def said(pilot: Pilot[None], id: str) -> str:
    return str(picker(pilot).query_one(id, Static).render())


async def test_all_presets_and_strategies_stand_under_what_they_cost(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s")
        names = picker(pilot).query_one(GroupedList)
        assert headings(names) == ["presets", "free", "lossy", "with a summary"]
        assert offered(names)[:6] == list(BUILT_IN)
        assert sorted(offered(names)[6:]) == sorted(STRATEGIES)
        costs = [{STRATEGIES[choice.name].cost for choice in group.choices} for group in names.groups[1:]]
        assert costs == [{"free"}, {"lossy"}, {"needs a model"}]
        abouts = [choice.about for choice in names.groups[0].choices]
        assert all(about.startswith(preset.about) for about, preset in zip(abouts, BUILT_IN.values(), strict=True))


async def test_the_arrows_step_over_headings_and_stop_at_both_ends(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s")
        names = picker(pilot).query_one(GroupedList)
        seen = [names.current and names.current.name]
        await pilot.click(GroupedList, offset=(4, 0))
        assert names.current is not None and names.current.name == seen[0], "a heading is nothing to choose"
        for _ in range(4):
            await pilot.press("down")
            seen.append(names.current and names.current.name)
        assert seen == offered(names)[1:6]
        await press(pilot, *["pageup"] * 4)
        assert names.current is not None and names.current.name == "aggressive"
        await press(pilot, *["pagedown"] * 5)
        assert names.current is not None and names.current.name == offered(names)[-1]


async def test_typing_leaves_what_matches_and_enter_tries_it(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("dedup"))
        names = picker(pilot).query_one(GroupedList)
        assert offered(names) == ["dedupe"] and headings(names) == ["free"]
        await press(pilot, "enter")
        trial = inspect_screen(pilot).state.trial
        assert trial is not None and trial.strategy == "dedupe" and trial.preset is None


async def test_what_matches_nothing_says_so_and_enter_does_no_harm(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("zzz"), "down", "up", "tab", "enter")
        assert picker(pilot).query_one(GroupedList).count == 0
        await press(pilot, *["backspace"] * 3)
        assert len(offered(picker(pilot).query_one(GroupedList))) == len(BUILT_IN) + len(STRATEGIES)
        await press(pilot, "escape")
        assert inspect_screen(pilot).state.trial is None and pilot.app.screen is inspect_screen(pilot)


async def test_what_is_under_the_cursor_is_told_with_its_effect_on_this_window(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("sliding_window"))
        assert STRATEGIES["sliding_window"].about in said(pilot, "#about")
        assert "keep_recent 20" in said(pilot, "#about")
        told = said(pilot, "#effect")
        await press(pilot, "tab")
        assert isinstance(pilot.app.screen, LostScreen) and "→ sliding_window" in pilot.app.screen.heading()
        await press(pilot, "escape")
        await press(pilot, "enter")
        preview = inspect_screen(pilot).state.preview
        assert preview is not None and f"{preview.after.total:,} tokens" in told


async def test_a_preset_sets_strategy_knobs_and_trigger(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", Word("aggressive"), "enter")
        assert screen.state.trial is not None and screen.state.trial.name == "aggressive"
        assert screen.state.trial.strategy == "sliding_window" and not screen.state.trial.has_changes
        assert (screen.state.trial.settings["keep_recent"], screen.state.trial.settings["ratio"]) == (10, 0.2)
        assert screen.query_one(WindowBars).threshold == 30_000
        await press(pilot, "+")
        assert screen.state.trial.has_changes
        await press(pilot, "escape")
        assert screen.query_one(WindowBars).threshold == 0


async def test_the_persons_own_presets_are_offered_too(running: Opening, write: Writer) -> None:
    save(Preset("tight", 9_000, strategy="token_window", settings={"max_tokens": 2_000}))
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("tight"), "enter")
        trial = inspect_screen(pilot).state.trial
        assert trial is not None and (trial.name, trial.strategy, trial.threshold) == ("tight", "token_window", 9_000)
        assert trial.settings["max_tokens"] == 2_000


async def test_a_presets_file_that_cannot_be_read_is_told_and_the_three_are_offered(
    running: Opening, write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[broken")
    monkeypatch.setenv("INSPECTOR_PRESETS", str(path))
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s")
        assert offered(picker(pilot).query_one(GroupedList))[:6] == list(BUILT_IN)
        assert any("mine.toml" in note.message for note in pilot.app._notifications)


async def test_the_picker_begins_at_what_is_tried_now(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("fifo"), "enter", "s")
        current = picker(pilot).query_one(GroupedList).current
        assert current is not None and current.name == "fifo"


async def test_the_picker_works_on_any_terminal(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat()), size=(40, 12)) as pilot:
        for size in ((40, 12), (20, 8), (80, 24), (200, 60)):
            await pilot.resize_terminal(*size)
            await press(pilot, "s", "down")
            await pilot.resize_terminal(60, 15)
            await settled(pilot)
            names = picker(pilot).query_one(GroupedList)
            assert names.scroll_offset.y <= names.cursor < names.scroll_offset.y + names.size.height
            assert picker(pilot).query_one(Input).has_focus
            await press(pilot, "enter")
            assert inspect_screen(pilot).state.trial is not None
