"""Presets that do not fit a session are named in the picker; thresholds are typed in any of their forms."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from inspector.engine.compression import Net, Preset, Share, load
from inspector.ui.screens.replay.panels import OutcomePanel
from inspector.ui.screens.replay.screen import ReplayScreen
from inspector.ui.screens.tune import Tune
from inspector.ui.screens.tune.panels import RowList
from tests.driving import Opening, Word, Writer, chat, inspect_screen, press, settled

NOTICE = "aggressive and balanced do not fit this session: they compress above 30,000 and 40,000 tokens, but "


def agent_chat(words: int) -> dict[str, Any]:
    """A chat whose prompt alone takes so many tokens."""
    request = chat()
    request["messages"][0]["content"] = "word " * words
    return request


def notes(pilot: Pilot[None]) -> list[str]:
    return [note.message for note in pilot.app._notifications if "not fit" in note.message]


async def test_it_is_said_in_the_picker_and_not_before(running: Opening, write: Writer) -> None:
    async with running(write("agent.json", agent_chat(38_000))) as pilot:
        assert not notes(pilot)
        await press(pilot, "s")
        unfit = pilot.app.screen.query_one("#unfit", Static)
        assert str(unfit.content).startswith(NOTICE) and unfit.display
        assert str(unfit.content).endswith("steady fits and compresses above 51,200.")
        await press(pilot, "escape", "3")
        replay = pilot.app.screen_stack[0]
        assert isinstance(replay, ReplayScreen) and replay.state.preset.name == "balanced"
        assert "balanced  too low: 38," in str(replay.query_one(OutcomePanel).render())
        await press(pilot, "4")
        tune = pilot.app.screen_stack[0]
        assert isinstance(tune, Tune)
        assert NOTICE in " ".join(str(tune.query_one("#verdict", Static).render()).split())
        assert not notes(pilot)


async def test_nothing_is_said_where_they_fit(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s")
        assert not pilot.app.screen.query_one("#unfit", Static).display
        await press(pilot, "escape", "3", "4")
        tune = pilot.app.screen_stack[0]
        assert isinstance(tune, Tune)
        assert not notes(pilot) and "not fit" not in str(tune.query_one("#verdict", Static).render())


async def test_a_threshold_is_typed_in_any_form_and_kept(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(steps=60, words=200))) as pilot:
        await press(pilot, "4")
        tune = pilot.app.screen_stack[0]
        assert isinstance(tune, Tune)
        rows = tune.query_one(RowList)
        rows.in_hand = True
        rows.cursor = next(n for n, row in enumerate(rows.table.rows) if row.preset.name == "balanced")
        await settled(pilot)
        await press(pilot, "t", Word("40%"), "enter")
        assert tune.current is not None and tune.current.preset.threshold == Share(40)
        assert tune.current.result is not None and tune.current.result.threshold == 51_200
        await press(pilot, "+")
        assert tune.current.preset.threshold == Share(45)
        await press(pilot, "w", Word("mine"))
        field = pilot.app.screen.query_one("#threshold", Input)
        assert field.value == "45%"
        field.value = "+12,000"
        await press(pilot, "enter")
        assert load()["mine"].threshold == Net(12_000)


@pytest.mark.parametrize("name", ["early", "late"])
async def test_a_preset_that_follows_the_session_is_tried_on(running: Opening, write: Writer, name: str) -> None:
    async with running(write("agent.json", agent_chat(38_000))) as pilot:
        await press(pilot, "s", Word(name), "enter")
        trial = inspect_screen(pilot).state.trial
        assert trial is not None and isinstance(trial.preset, Preset) and trial.name == name
        assert trial.threshold == (inspect_screen(pilot).state.scale.floor + 20_000 if name == "early" else 102_400)
