"""Pictures of the main moments, each beside an assertion on the state that it shows.

A picture that changes is looked at before it is taken over: pytest tests/ui --snapshot-update.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.diff_dialog import DiffScreen
from inspector.ui.dialogs.layers import LayerList
from inspector.ui.dialogs.picker import Picker
from inspector.ui.dialogs.stages import StageList
from inspector.ui.screens.sessions import SessionList
from inspector.ui.widgets.grouped import GroupedList
from inspector.ui.widgets.message_list import MessageList
from inspector.ui.widgets.status_line import StatusLine
from inspector.ui.widgets.text_view import TextView
from tests.driving import SAMPLES, Word, inspect_screen, press, settled

Compare = Callable[..., bool]
PRICES = """
["claude-opus-4-5"]
input = 5
output = 25
cache_read = 0.5
cache_write = 6.25

["claude-haiku-4-5"]
input = 1
output = 5
cache_read = 0.1
cache_write = 1.25

["gpt-4o"]
input = 2.5
output = 10
cache_read = 1.25
cache_write = 2.5
"""
"""A person's own: what a list of prices says next year must not change a picture."""


@pytest.fixture(autouse=True)
def prices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, encoding="utf-8")
    monkeypatch.setattr("inspector.llm.models.overrides.own_path", lambda: path)


both_sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])


def picture(
    compare: Compare,
    library: Library,
    size: tuple[int, int],
    target: str,
    act: Callable[[Pilot[None]], Awaitable[None]],
) -> bool:
    """Open a sample, act, and compare what is on the screen when all is still."""

    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await act(pilot)
        await settled(pilot)

    app = InspectorApp([str(SAMPLES / target)], library, look_around=False)
    return compare(app, terminal_size=size, run_before=before)


@both_sizes
def test_the_library(
    snap_compare: Compare, library: Library, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(SAMPLES.parent))  # paths are told from there

    async def look(pilot: Pilot[None]) -> None:
        entries = pilot.app.screen.query_one(SessionList).entries
        assert len(entries) >= 6 and not any(entry.problem for entry in entries)

    assert picture(snap_compare, library, size, "", look)


@both_sizes
def test_a_window(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        preview = inspect_screen(pilot).state.preview
        assert preview is not None and preview.valid and preview.plan is None
        assert preview.before.breakdown["system"].certainty == "unrecorded"
        messages = inspect_screen(pilot).query_one(MessageList)
        assert messages.vertical_scrollbar.position == messages.scroll_y > 0

    assert picture(snap_compare, library, size, "coding-agent.jsonl", look)


@both_sizes
def test_a_strategy_being_tried_on(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        await press(pilot, "s", "enter", "+", "+")
        preview = inspect_screen(pilot).state.preview
        assert preview is not None and preview.plan is not None and preview.savings > 10_000
        assert any(row.is_folded for row in inspect_screen(pilot).query_one(MessageList).rows)

    assert picture(snap_compare, library, size, "research.json", look)


@both_sizes
def test_the_diff(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        await press(pilot, "s", "enter", "x", "d", "tab")
        screen = pilot.app.screen
        assert isinstance(screen, DiffScreen) and screen.side_by_side
        assert screen.query_one(TextView).count > 20

    assert picture(snap_compare, library, size, "support-ticket.json", look)


@both_sizes
def test_a_window_over_its_limit(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        preview = inspect_screen(pilot).state.preview
        assert preview is not None and preview.before.free < 0

    assert picture(snap_compare, library, size, "research.json", look)


@both_sizes
def test_a_damaged_file(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        screen = inspect_screen(pilot)
        preview = screen.state.preview
        assert preview is not None and not preview.valid
        assert preview.session.problems
        assert "problem" in screen.query_one(StatusLine).render().plain
        await press(pilot, "home")

    assert picture(snap_compare, library, size, "damaged.jsonl", look)


@both_sizes
def test_the_picker(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        await press(pilot, "s")
        assert isinstance(pilot.app.screen, Picker)
        current = pilot.app.screen.query_one(GroupedList).current
        assert current is not None and current.name == "balanced"

    assert picture(snap_compare, library, size, "research.json", look)


@both_sizes
def test_plans_stacked_over_the_window(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        for name in ("trim_outputs", "deletion"):
            await press(pilot, "s", *name, "enter", "a")
        pilot.app.clear_notifications()
        await press(pilot, "l")
        assert [layer.number for layer in pilot.app.screen.query_one(LayerList).stack] == [2, 1]

    assert picture(snap_compare, library, size, "research.json", look)


@both_sizes
def test_a_pipeline_being_put_together(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        await press(pilot, "s", Word("pipeline"), "enter", "t", "down", "down", "J")
        stages = pilot.app.screen.query_one(StageList)
        assert stages.cursor == 3 and stages.outcomes is not None

    assert picture(snap_compare, library, size, "research.json", look)


@both_sizes
def test_scores_of_messages(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        await press(pilot, "s", Word("importance"), "enter")
        assert inspect_screen(pilot).query_one(MessageList).scored

    assert picture(snap_compare, library, size, "support-ticket.json", look)
