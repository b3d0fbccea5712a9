"""Every theme that is offered draws every screen, and the chosen one is there the next time."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.settings import load_settings, save_setting, settings_path
from inspector.ui.dialogs.command_palette import ThemeDialog
from inspector.ui.palette import Palette
from inspector.ui.widgets.grouped import GroupedList
from tests.driving import SAMPLES, Opening, Word, press, settled
from tests.terminal import running_app


async def test_every_theme_draws_every_screen(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await pilot.app.run_action("try('sliding_window')", pilot.app.screen)
        await settled(pilot)
        themes = pilot.app.available_themes
        few = [name for name in themes if name.startswith(("inspector-", "ansi-"))]
        for keys in (("s",), ("escape", "x"), ("escape", "3"), ("4",), ("1",)):
            await press(pilot, *keys)
            for theme in themes if keys == ("s",) else few:
                pilot.app.theme = theme
                await pilot.pause()
                palette = Palette(pilot.app.theme_variables)
                assert palette.solid("background").startswith("#") and palette.solid("foreground").startswith("#")
                assert pilot.app.export_screenshot()


async def test_the_theme_under_the_cursor_is_shown_and_closing_brings_the_former_one_back(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        former = pilot.app.theme
        await press(pilot, "ctrl+p", Word("theme"), "enter", Word("nord"))
        assert isinstance(pilot.app.screen, ThemeDialog) and pilot.app.theme == "nord"
        await press(pilot, "escape")
        assert pilot.app.theme == former and not settings_path().exists()


async def test_the_chosen_theme_is_there_the_next_time(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "ctrl+p", Word("theme"), "enter", Word("nord"), "enter")
        assert pilot.app.theme == "nord"
    async with running(SAMPLES / "support-ticket.json") as pilot:
        assert pilot.app.theme == "nord"


async def test_a_theme_that_is_not_known_any_more_is_passed_over(running: Opening) -> None:
    save_setting("theme", "from-elsewhere")
    async with running(SAMPLES / "support-ticket.json") as pilot:
        assert pilot.app.theme == "inspector-dark"


async def test_own_themes_lead_their_lists(running: Opening) -> None:
    async with running(SAMPLES / "support-ticket.json") as pilot:
        await press(pilot, "ctrl+p", Word("theme"), "enter")
        groups = pilot.app.screen.query_one(GroupedList).groups
        assert [group.choices[0].name for group in groups] == ["inspector-dark", "inspector-light"]
        assert sum(len(group.choices) for group in groups) == len(pilot.app.available_themes)


def test_settings_that_cannot_be_read_are_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("theme = ", encoding="utf-8")
    assert load_settings(path) == {}
    with pytest.raises(ValueError, match=r"settings\.toml"):
        save_setting("theme", "nord", path)
    assert path.read_text(encoding="utf-8") == "theme = "


def test_other_settings_stay_beside_the_one_that_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.toml"
    save_setting("theme", "nord", path)
    save_setting("hints", False, path)
    assert load_settings(path) == {"theme": "nord", "hints": False}


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
def test_a_theme_of_the_terminals_own_colours_freezes_nothing(tmp_path: Path, theme: str) -> None:
    with running_app([str(SAMPLES / "research.json")], tmp_path) as terminal:
        terminal.wait_for("strategy")
        for key, heading in (("ctrl+p", "Which command?"), ("theme", ""), ("enter", "Which theme?"), (theme, "")):
            terminal.send(key, quiet=0.3)
            terminal.wait_for(heading)
        terminal.send("enter")
        settings = tmp_path / "xdg_config_home" / "inspector" / "settings.toml"
        while load_settings(settings).get("theme") != theme:  # the list of themes takes keys until then
            terminal.read(0.05)
        terminal.send("s")
        terminal.wait_for("Which strategy?")
        terminal.send("ctrl+q")
        assert terminal.wait() == 0
