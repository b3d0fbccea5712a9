"""What the app tells in a corner of the screen: words of files are shown as they are."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast

from inspector.ui.app import InspectorApp
from inspector.ui.screens.sessions import SessionList
from inspector.ui.screens.sessions.list_columns import ColumnHeads
from inspector.ui.screens.sessions.panels import PreviewPane
from inspector.ui.widgets.key_bar import KeyBar
from tests.driving import SAMPLES, Writer, burst, chat, press, settled, until


async def test_a_notice_of_a_screen_shows_brackets_as_they_are() -> None:
    app = InspectorApp([], look_around=False)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        app.screen.notify("The preset [bold]x[/nothing] is \x1b[31mdamaged.")
        await until(pilot, lambda: app.screen.query(Toast))
        await settled(pilot)
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


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_notice_covers_nothing_and_any_key_removes_it(size: tuple[int, int]) -> None:
    app = InspectorApp([str(SAMPLES)], look_around=False)
    async with app.run_test(notifications=True, size=size) as pilot:
        await settled(pilot)
        app.screen.notify("It cannot be saved: " + "a long reason, " * 12, severity="error", timeout=60)
        await until(pilot, lambda: app.screen.query(Toast))
        await settled(pilot)
        (toast,) = app.screen.query(Toast)
        assert toast._notification.timeout == 3
        others = [app.screen.query_one(kind) for kind in (SessionList, PreviewPane, KeyBar, ColumnHeads)]
        assert all(not widget.region.overlaps(toast.region) for widget in others)
        assert app.screen.region.contains_region(toast.region) and toast.region.height > 1
        await press(pilot, "down")
        assert app.screen.query_one(SessionList).cursor == 1, "the key has its effect"
        assert not app.screen.query(Toast)


async def test_the_line_under_the_cursor_stays_visible_over_a_notice(write: Writer) -> None:
    folder = write("0.json", chat(1, 1)).parent
    for number in range(1, 40):
        write(f"{number}.json", chat(1, 1 + number))
    app = InspectorApp([str(folder)], look_around=False)
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "end")
        sessions = app.screen.query_one(SessionList)
        app.notify("Saved.")
        await until(pilot, lambda: app.screen.query(Toast))
        await settled(pilot)
        line = sessions.cursor - sessions.scroll_offset.y
        assert 0 <= line < sessions.size.height and app.screen.query(Toast)


async def test_a_remark_disappears_with_its_screen() -> None:
    app = InspectorApp([str(SAMPLES / "support-ticket.json")], look_around=False)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "x")
        assert len(app.screen.query(Toast)) == 1
        await app.action_mode("tune")
        await settled(pilot)
        assert not app.screen.query(Toast)
