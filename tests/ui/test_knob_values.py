"""Knobs: turned, written, and explained; texts have no notches and are written in a line."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from inspector.engine.compression import StrategyChoice, choice_for
from inspector.engine.strategies import STRATEGIES
from inspector.ui.dialogs.choice_dialog import ValueScreen
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.widgets.knob_panel import KnobPanel, around
from tests.driving import Opening, Word, Writer, chat, inspect_screen, press, settled


def asked(pilot: Pilot[None]) -> ValueScreen:
    assert isinstance(pilot.app.screen, ValueScreen)
    return pilot.app.screen


def trial(pilot: Pilot[None]) -> StrategyChoice:
    trial = inspect_screen(pilot).state.trial
    assert trial is not None
    return trial


async def choose(pilot: Pilot[None], knob: str) -> None:
    """Go to a knob by its name."""
    for _ in trial(pilot).knobs:
        chosen = trial(pilot).current_knob
        if chosen is not None and chosen.name == knob:
            return
        await press(pilot, "tab")


async def test_a_value_is_typed_and_the_window_follows_and_one_that_does_not_fit_is_refused(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("deletion"), "enter", "t")
        for typed in ("", "many", "-3", "9" * 12):
            asked(pilot).query_one(Input).value = typed
            await press(pilot, "enter")
            said = str(asked(pilot).query_one("#outcome", Static).render())
            assert said.startswith("keep_recent") and said.endswith(".")
        await press(pilot, "escape")
        assert trial(pilot).settings["keep_recent"] == 20
        await press(pilot, "t")
        assert asked(pilot).query_one(Input).value == "20"
        await press(pilot, "7", "enter")
        preview = inspect_screen(pilot).state.preview
        assert trial(pilot).settings["keep_recent"] == 7
        assert preview is not None and preview.plan is not None and preview.plan.settings["keep_recent"] == 7


async def test_a_text_is_written_by_enter_right_after_it_was_chosen(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("clear_tool"), "enter")
        await choose(pilot, "exclude_tools")
        await press(pilot, "enter", Word("list_scans"), "enter")
        assert trial(pilot).settings["exclude_tools"] == "list_scans"
        preview = inspect_screen(pilot).state.preview
        assert preview is not None and preview.plan is not None and not preview.plan.alters
        await press(pilot, "up", "enter")
        assert isinstance(pilot.app.screen, Reader)


async def test_plus_on_a_text_asks_for_it_instead_of_turning(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "s", Word("clear_tool"), "enter")
        await choose(pilot, "exclude_tools")
        await press(pilot, "+")
        assert asked(pilot).knob.name == "exclude_tools"


async def test_keys_for_knobs_without_a_strategy_or_a_knob_say_what_to_do(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        notes: set[str] = set()
        for key in ("t", "+", "w", "tab"):
            await press(pilot, key)
            assert pilot.app.screen is inspect_screen(pilot)
            notes |= {note.message for note in pilot.app._notifications}
        assert any("Press s" in note for note in notes)


def test_turning_any_knob_of_any_strategy_either_way_never_fails() -> None:
    from tests.library.test_workbench import TALK, bench_of

    window = bench_of(*TALK).window()
    for name in STRATEGIES:
        start = choice_for(name, window)
        for place in range(len(start.knobs)):
            for steps in (1, -1, 10, -10, 0):
                moved = start.next_knob(place).turn_knob(steps)
                STRATEGIES[name].settings(**moved.settings)


@pytest.mark.parametrize("strategy", ["importance", "clear_tool_uses", "sliding_window"])
async def test_the_chosen_knob_and_what_comes_of_it_are_always_in_sight(
    running: Opening, write: Writer, strategy: str
) -> None:
    async with running(write("scans.json", chat()), size=(80, 24)) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", Word(strategy), "enter")
        for size in ((80, 24), (60, 20), (120, 40), (110, 20), (160, 50), (40, 12)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            panel = next(panel for panel in screen.query(KnobPanel) if panel.region.area and panel.display)
            for _ in range(len(trial(pilot).knobs)):
                await press(pilot, "tab")
                drawn = panel.render().plain.split("\n")[: panel.size.height]
                text = "\n".join(line[: panel.size.width] for line in drawn)
                chosen = trial(pilot).current_knob
                assert chosen is not None and chosen.name in text
                assert "saves" in text or size[0] < 80


def test_as_many_things_as_fit_stand_around_the_chosen_one() -> None:
    assert around(0, [], 10) == (0, 0)
    assert around(2, [5, 5, 5, 5], 5) == (2, 3)
    assert around(2, [5, 5, 5, 5], 10) == (2, 4)
    assert around(3, [5, 5, 5, 5], 15) == (1, 4)
    assert around(1, [5, 5, 5, 5], 2) == (1, 2)
    assert around(0, [5, 5, 5], 100) == (0, 3)
