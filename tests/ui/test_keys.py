"""Every key is offered where a person looks for it, and none does harm, however small the terminal."""

from __future__ import annotations

import os

import pytest

from inspector.engine.compression.presets import PRESETS
from inspector.engine.strategies import STRATEGIES
from inspector.ui.dialogs.command_palette import actions, bindings, presets, strategies
from inspector.ui.key_remaps import key_of
from inspector.ui.screens.inspect import Inspect
from tests.driving import SAMPLES, Opening, Word, Writer, chat, inspect_screen, press, settled


async def test_the_palette_offers_every_action_preset_and_strategy(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        offers = [*actions(screen), *presets(), *strategies()]
        for binding in bindings(Inspect):
            assert binding.id is not None
            assert (key_of(binding.id), binding.description) in {(key, text) for key, text, _ in offers}
        names = {name for name, _, _ in offers}
        assert set(STRATEGIES) <= names and set(PRESETS) <= names
        for name, _, action in offers:
            method = action.removeprefix("screen.").partition("(")[0]
            assert hasattr(screen, f"action_{method}"), name
        await screen.run_action("try('conservative')")
        assert screen.state.trial is not None and screen.state.trial.name == "conservative"


KEYS = ("M", "w", "l", "o", "t", "!", "x", "space", "enter", "shift+tab", "+", "<", "c", "u", "p", "D", "e", "?")


TINY = [
    ("damaged.jsonl", (20, 6)),
    ("three-agents.jsonl", (40, 12)),
    ("damaged.jsonl", (110, 18)),
    ("damaged.jsonl", (40, 12)),
    ("three-agents.jsonl", (20, 6)),
    ("three-agents.jsonl", (110, 18)),
]
"""With SEARCH=1 all of these are tried; `make fuzz` plays on more sizes."""


@pytest.mark.parametrize(("sample", "size"), TINY if "SEARCH" in os.environ else TINY[:3])
async def test_no_key_does_harm_on_a_tiny_terminal(running: Opening, sample: str, size: tuple[int, int]) -> None:
    async with running(SAMPLES / sample, size=size) as pilot:
        screen = inspect_screen(pilot)
        for start in (("s", "enter"), ("s", Word("importance"), "enter"), ("a",), ("s", Word("pipeline"), "enter"), ()):
            await press(pilot, *start)
            for key in KEYS:
                await pilot.press(key)
                while pilot.app.screen is not screen:
                    await pilot.press("escape")
            await settled(pilot)
        assert pilot.app.is_running
        assert not [note for note in pilot.app._notifications if "Error" in note.message]


async def test_a_file_that_is_only_half_read_can_be_tried_on_but_not_applied(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        screen.state.bench.partial = True
        await press(pilot, "s", "enter", "a")
        assert screen.state.stack == () and screen.state.trial is not None
        assert any("Still reading" in note.message for note in pilot.app._notifications)
