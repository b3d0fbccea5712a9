"""Pictures of the main moments, each beside an assertion on the state that it shows.

A picture that changes is looked at before it is taken over: pytest tests/ui --snapshot-update.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.screens.diff import DiffScreen
from inspector.ui.screens.sessions import SessionList
from inspector.ui.widgets.message_list import MessageList
from inspector.ui.widgets.text_view import TextView
from inspector.ui.widgets.title import Title
from tests.driving import SAMPLES, inspect_screen, press, settled

Compare = Callable[..., bool]
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
def test_the_library(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        entries = pilot.app.screen.query_one(SessionList).entries
        assert len(entries) >= 6 and not any(entry.problem for entry in entries)

    assert picture(snap_compare, library, size, "", look)


@both_sizes
def test_a_window(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        preview = inspect_screen(pilot).preview
        assert preview is not None and preview.valid and preview.plan is None
        assert preview.before.sized["system"].how == "unrecorded"

    assert picture(snap_compare, library, size, "coding-agent.jsonl", look)


@both_sizes
def test_a_strategy_being_tried_on(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        await press(pilot, "s", "enter", "+", "+")
        preview = inspect_screen(pilot).preview
        assert preview is not None and preview.plan is not None and preview.saved > 10_000
        assert any(row.folded for row in inspect_screen(pilot).query_one(MessageList).rows)

    assert picture(snap_compare, library, size, "research.json", look)


@both_sizes
def test_the_diff(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        await press(pilot, "s", "enter", "x", "v")
        screen = pilot.app.screen
        assert isinstance(screen, DiffScreen) and screen.side_by_side
        assert screen.query_one(TextView).count > 20

    assert picture(snap_compare, library, size, "support-ticket.json", look)


@both_sizes
def test_a_window_over_its_limit(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        preview = inspect_screen(pilot).preview
        assert preview is not None and preview.before.free < 0

    assert picture(snap_compare, library, size, "research.json", look)


@both_sizes
def test_a_damaged_file(snap_compare: Compare, library: Library, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> None:
        screen = inspect_screen(pilot)
        preview = screen.preview
        assert preview is not None and not preview.valid
        assert preview.recorded.session.problems
        assert "damaged" in screen.query_one(Title).render().plain

    assert picture(snap_compare, library, size, "damaged.jsonl", look)
