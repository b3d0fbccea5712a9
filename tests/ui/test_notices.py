"""What the app tells in a corner of the screen: words of files are shown as they are."""

from __future__ import annotations

from textual.widgets._toast import Toast

from inspector.ui.app import InspectorApp
from tests.driving import SAMPLES, burst, press, settled


async def test_a_notice_of_a_screen_shows_brackets_as_they_are() -> None:
    app = InspectorApp([], look_around=False)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        app.screen.notify("The preset [bold]x[/nothing] is \x1b[31mdamaged.")
        await pilot.pause(0.5)
        (toast,) = app.screen.query(Toast)
        assert "[bold]x[/nothing] is" in str(toast.render()) and "\x1b" not in str(toast.render())


async def test_a_burst_of_keys_leaves_one_notice() -> None:
    app = InspectorApp([str(SAMPLES / "support-ticket.json")], look_around=False)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        for _ in range(3):
            await burst(pilot, "a", "u", "+", "c", "M", "l", "x")
            (toast,) = app.screen.query(Toast)
            assert str(toast.render()).startswith("Nothing was removed from this session")
        await press(pilot, "x")
        assert len(app.screen.query(Toast)) == 1


async def test_a_remark_leaves_with_its_screen_and_a_warning_stays() -> None:
    app = InspectorApp([str(SAMPLES / "support-ticket.json")], look_around=False)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "x")
        assert len(app.screen.query(Toast)) == 1
        await press(pilot, "4")
        assert not app.screen.query(Toast)
        app.notify("It could not be kept.", severity="error")
        await press(pilot, "2")
        assert len(app.screen.query(Toast)) == 1
