"""Panels that get the room of others: a zoomed one, and the details below a short list."""

from __future__ import annotations

import pytest
from textual.geometry import Size

from inspector.ui.keymap import VERBS
from inspector.ui.room import list_lines
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.memory.panels import ItemPane, TierList
from inspector.ui.screens.sessions import SessionList
from inspector.ui.screens.sessions.panels import PreviewPane
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.verdict_line import VerdictLine
from tests.driving import SAMPLES, Opening, Writer, chat, press, settled


@pytest.mark.parametrize(
    ("lines", "room", "detail", "height"), [(3, 20, 8, 3), (30, 20, 8, 12), (0, 20, 8, 1), (5, 6, 8, 1)]
)
def test_a_list_takes_its_lines_and_leaves_the_details_their_minimum(
    lines: int, room: int, detail: int, height: int
) -> None:
    assert list_lines(lines, room, detail) == height


async def test_a_key_zooms_the_panel_with_the_focus_on_every_screen(running: Opening) -> None:
    async with running(SAMPLES / "three-agents.jsonl", size=(120, 40)) as pilot:
        for mode in ("sessions", "inspect", "replay", "tune", "memory", "agents", "live", "overview"):
            await press(pilot, *VERBS[mode].keys)
            for _ in range(3):  # the first layout of a screen changes once more after it was painted
                await settled(pilot)
            screen = pilot.app.screen
            panel = screen.focused
            assert panel is not None, mode
            before = panel.size
            await press(pilot, "Z")
            assert screen.maximized in panel.ancestors_with_self, mode
            assert panel.size.height >= 30 and panel.size.width >= 118, (mode, panel.size)
            assert "all panels" in [key.text for key in screen.query_one(KeyBar).fitting()]
            await press(pilot, "escape")
            assert pilot.app.screen is screen and screen.maximized is None and panel.size == before, mode
            await press(pilot, "Z", "Z")
            assert screen.maximized is None and panel.size == before, mode


async def test_a_short_list_leaves_its_room_to_the_message(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl", size=(120, 40)) as pilot:
        inspect = pilot.app.screen
        assert isinstance(inspect, Inspect)
        beside = inspect.side.detail.size
        await press(pilot, "c")
        assert inspect.messages.count == 1 == inspect.messages.size.height
        below = inspect.side.detail.size
        assert below.width > 1.5 * beside.width and below.height >= 15
        await press(pilot, "Z")
        assert inspect.messages.size.height > 20
        await press(pilot, "Z", "end")
        assert inspect.side.detail.size == beside and inspect.messages.size.height > 15
        await pilot.resize_terminal(80, 24)
        await press(pilot, "c")
        assert inspect.messages.size.height == 1 and inspect.side.detail.size >= Size(70, 6)


async def test_the_details_of_a_session_and_of_a_memory_get_the_room_too(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(2)), size=(120, 40)) as pilot:
        await press(pilot, "1")
        sessions = pilot.app.screen.query_one(SessionList)
        assert sessions.count == 1 and sessions.size.height <= 3
        assert pilot.app.screen.query_one(PreviewPane).size.height > 25
        await press(pilot, "5")
        longest = max(rows.count for rows in pilot.app.screen.query(TierList))
        assert {rows.size.height for rows in pilot.app.screen.query(TierList)} == {longest}
        assert pilot.app.screen.query_one(ItemPane).size.height >= 20


async def test_the_verdict_is_bold_and_its_key_stands_at_the_right_edge(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl", size=(120, 40)) as pilot:
        line = pilot.app.screen.query_one(VerdictLine)
        text = line.render()
        rows = text.plain.split("\n")
        assert all(row.startswith("▌") for row in rows)
        assert rows[-1].endswith(": jump to it") and len(rows[-1]) == line.size.width
        assert text.get_style_at_offset(pilot.app.console, 4).bold
