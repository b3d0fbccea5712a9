"""Two turns of one session, compared message by message."""

from __future__ import annotations

from textual.widgets import Static

from inspector.ui.dialogs.diff_dialog import DiffScreen, TurnDiff
from inspector.ui.widgets.text_view import TextView
from tests.driving import SAMPLES, Opening, inspect_screen, press, settled


def heading(screen: DiffScreen) -> str:
    return str(screen.query(Static).first().content)


async def test_without_a_plan_a_turn_is_compared_with_an_earlier_one(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        preview = inspect_screen(pilot).state.preview
        assert preview is not None
        turn = preview.recorded.turn
        await press(pilot, "d")
        screen = pilot.app.screen
        assert isinstance(screen, TurnDiff)
        assert heading(screen).startswith(f"turn {turn - 1:,} → after turn {turn - 1:,} ")
        new = preview.recorded.messages[len(screen.preview.recorded.messages) :]
        text = "\n".join(map(str, screen.query_one(TextView).lines))
        assert new and all(message.preview[:20] in text for message in new)
        await press(pilot, "left", "left")
        assert screen.turn == turn - 3 and heading(screen).startswith(f"turn {turn - 3:,} → after turn {turn - 1:,} ")
        assert screen.preview.after.ids == preview.recorded.ids
        new = preview.recorded.messages[len(screen.preview.recorded.messages) :]
        text = "\n".join(map(str, screen.query_one(TextView).lines))
        numbers = [preview.session.messages.index(message) + 1 for message in new]
        assert len(new) > 3 and all(f" {number} " in text for number in numbers)
        await press(pilot, "right", "right", "right", "right")
        assert screen.turn == turn - 1, "a turn is not compared with itself"
        await press(pilot, *["shift+left"] * turn)
        assert screen.turn == 1
        await press(pilot, "tab", "escape")
        assert screen.side_by_side and pilot.app.screen is inspect_screen(pilot)


async def test_with_a_plan_the_change_by_the_plan_is_shown(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "s", "enter", "d")
        assert isinstance(pilot.app.screen, DiffScreen) and not isinstance(pilot.app.screen, TurnDiff)


async def test_the_first_turn_has_none_before_it(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "home", "d")
        assert inspect_screen(pilot).controller.turn == 1
        assert pilot.app.screen is inspect_screen(pilot)


async def test_the_title_is_never_cut(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "d")
        screen = pilot.app.screen
        assert isinstance(screen, TurnDiff)
        for width in (80, 160, 60, 120):
            await pilot.resize_terminal(width, 30)
            await settled(pilot)
            assert len(heading(screen)) < width and ("outside the messages" in heading(screen)) is (width >= 120)
