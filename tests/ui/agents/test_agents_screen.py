"""AgentsScreen, driven by keys: what is seen is asserted on the state behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.screens.agents.panels import AgentLanes, EntryList
from inspector.ui.screens.agents.screen import AgentsScreen
from tests.driving import SAMPLES, Opening, Writer, chat, inspect_screen, press, settled

THREE = SAMPLES / "three-agents.jsonl"


def agents_screen(pilot: Pilot[None]) -> AgentsScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, AgentsScreen)
    return screen


async def test_a_mark_opens_its_message_in_inspect_at_its_turn(running: Opening) -> None:
    async with running(THREE) as pilot:
        await press(pilot, "6", "f", "f", "r")
        screen = agents_screen(pilot)
        message = screen.state.message
        assert screen.state.view is not None and screen.state.view.is_final
        assert message is not None and message.agent != "main"
        row = screen.state.row
        await press(pilot, "enter")
        inspect = inspect_screen(pilot)
        assert inspect.messages.current is message
        assert inspect.state.agent == message.agent
        assert inspect.state.preview is not None and message in inspect.state.preview.recorded.messages
        await press(pilot, "6")
        assert agents_screen(pilot).state.row == row and agents_screen(pilot).lanes.cursor == row


async def test_what_was_injected_is_read_to_its_last_character(running: Opening) -> None:
    async with running(THREE) as pilot:
        await press(pilot, "6", "r", "space")
        assert isinstance(pilot.app.screen, Reader)
        reader = pilot.app.screen
        await press(pilot, "escape")
        assert reader.message is agents_screen(pilot).state.message


async def test_the_lanes_go_with_the_list_and_the_list_with_the_keys(running: Opening) -> None:
    async with running(THREE) as pilot:
        await press(pilot, "6", "f", "f", "tab")
        screen = agents_screen(pilot)
        assert (screen.state.list_name, screen.focused) == ("twice", screen.entries)
        await press(pilot, "down")
        entry = screen.query_one(EntryList).current
        assert entry is not None and screen.state.current is not None
        assert screen.state.current.position == entry.target
        await press(pilot, "o")
        assert screen.state.current.position == entry.other
        lanes = screen.query_one(AgentLanes)
        assert screen.focused is lanes
        fourth = "".join(text for text, _ in lanes.spans(3, 120))
        assert "Read README.md · 9 lines" in fourth, "a row tells what was done"
        await press(pilot, "escape")
        assert pilot.app.current_mode == "inspect"


async def test_one_agent_is_told_what_would_be_here(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(steps=3))) as pilot:
        await press(pilot, "6", "enter", "space", "o", "r", ".", "f", "tab", "R", "G")
        screen = agents_screen(pilot)
        assert screen.state.view is not None and screen.state.view.collaboration.is_alone
        assert "This session has one agent" in screen.sentence().plain
        assert not screen.query_one("#team").display
        screen.others = ["Three\x1b[2J helpers"] * 20
        shown = screen.sentence().plain
        assert shown.count("Three") == 8 and "\x1b" not in shown


@pytest.mark.parametrize("size", [(20, 6), (40, 15), (80, 24), (200, 60)])
async def test_every_size_of_a_terminal_is_drawn(running: Opening, size: tuple[int, int]) -> None:
    async with running(THREE, size=size) as pilot:
        await press(pilot, "6", "r", "f", "f", "r", "tab", "down", "tab", "end", "home")
        assert agents_screen(pilot).state.row == 0


async def test_hostile_names_and_thousands_of_messages(running: Opening, write: Writer) -> None:
    names = ["Ann\x1b[2J", "Ben\u202e", "[bold]Cid[/]"]
    turns = [{"role": names[number % 3], "content": f"\x1b]0;x\x07 number {number}"} for number in range(3_000)]
    async with running(write("chat.json", {"history": turns})) as pilot:
        await press(pilot, "6", "pagedown", "end")
        screen = agents_screen(pilot)
        assert screen.state.view is not None and len(screen.state.view.chart.rows) == 3_000
        assert screen.state.row == 2_999
        text = "".join(segment.text for y in range(screen.lanes.size.height) for segment in screen.lanes.render_line(y))
        assert "\x1b" not in text and "\u202e" not in text and "number 2999" in text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)], ids=["80x24", "120x40", "160x50"])
def test_the_lanes(
    snap_compare: Callable[..., bool],
    library: Library,
    size: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('["claude-sonnet-4-5"]\ninput = 3\noutput = 15\ncache_read = 0.3\ncache_write = 3.75\n')
    monkeypatch.setattr("inspector.llm.models.overrides.own_path", lambda: path)

    async def look(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "6", *["r"] * 5, "f", "f")
        assert agents_screen(pilot).state.list_name == "twice"

    app = InspectorApp([str(THREE)], library, look_around=False)
    assert snap_compare(app, terminal_size=size, run_before=look)
