"""`w` keeps what is tried as a preset of the person's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from inspector.engine.compression.presets import Preset, load, own_path, save
from inspector.ui.dialogs.save_preset import SavePreset
from tests.driving import Opening, Word, Writer, chat, inspect_screen, press


def form(pilot: Pilot[None]) -> SavePreset:
    assert isinstance(pilot.app.screen, SavePreset)
    return pilot.app.screen


def said(pilot: Pilot[None]) -> str:
    return str(form(pilot).query_one("#outcome", Static).render())


async def test_what_is_tried_is_there_as_a_preset_the_next_time(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("sliding_window"), "enter", "+", "tab", "+", "w", Word("my own"), "enter")
        assert pilot.app.screen is inspect_screen(pilot)
        assert load()["my own"] == Preset("my own", 40_000, 0.35, 21, "sliding_window", settings={"state_tokens": 0})
        told = [note.message for note in pilot.app._notifications]
        assert len(told) == 1 and "my own" in told[0] and str(own_path()) in told[0]
        await press(pilot, "s", Word("my own"), "enter")
        trial = inspect_screen(pilot).state.trial
        assert trial is not None and trial.name == "my own" and not trial.has_changes


async def test_settings_beyond_the_common_ones_and_the_threshold_are_kept(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("clear_tool"), "enter", "w", *"x")
        form(pilot).query_one("#threshold", Input).value = "12,500"
        await press(pilot, "enter")
        saved = load()["x"]
        assert (saved.strategy, saved.threshold, saved.settings["keep"]) == ("clear_tool_uses", 12_500, 3)


async def test_a_name_that_is_taken_is_replaced_only_after_asking(running: Opening, write: Writer) -> None:
    save(Preset("tight", 9_000))
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("deletion"), "enter", "w", Word("tight"), "enter")
        assert load()["tight"].threshold == 9_000 and "ctrl+r: replace" in said(pilot)
        await press(pilot, "enter", "enter")
        assert load()["tight"].threshold == 9_000
        await press(pilot, "ctrl+r")
        assert load()["tight"].strategy == "deletion"


async def test_what_cannot_be_saved_is_said_and_nothing_is_written(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "w")
        for name, threshold, words in (
            ("x", "", "token count"),
            ("", "40000", "name first"),
            ("x", "-4", "token count"),
            ("balanced", "1", "belongs to a built-in preset"),
        ):
            form(pilot).query_one("#name", Input).value = name
            form(pilot).query_one("#threshold", Input).value = threshold
            await press(pilot, "enter")
            assert words in said(pilot) and not own_path().exists()
        await press(pilot, "escape")
        assert inspect_screen(pilot).state.trial is not None


async def test_a_folder_that_cannot_be_written_to_is_named(
    running: Opening, write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("INSPECTOR_PRESETS", str(tmp_path / "file" / "presets.toml"))
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", "enter", "w", *"x", "enter")
        assert "presets.toml" in said(pilot)
