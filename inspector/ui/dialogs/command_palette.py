"""The command palette with every action, preset and strategy of a screen by name, and the list of themes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from textual import on
from textual.app import SystemCommand
from textual.binding import Binding
from textual.screen import Screen
from textual.theme import Theme
from textual.widget import Widget
from textual.widgets import Static

from inspector.engine.compression import BUILT_IN
from inspector.engine.strategies import STRATEGIES
from inspector.ui.dialogs.choice_dialog import ChoiceDialog
from inspector.ui.key_remaps import key_of
from inspector.ui.screens.inspect import Inspect
from inspector.ui.widgets.grouped import Group, GroupChoice
from inspector.ui.widgets.lines import LineList

Command = Callable[[], Awaitable[object] | object]
_Offer = tuple[str, str, str]
"""Name or key of a command, its description and its action."""


class CommandDialog(ChoiceDialog[Command]):
    """Dismissed with the chosen command as a callable. Reads a screen's bindings, so new keys appear by themselves."""

    heading = "Which command?"
    hint = "{open}: run   ↑↓: choose   {back}: close"
    name_width = 18

    def __init__(self, screen: Screen[Any], system: Iterable[SystemCommand]) -> None:
        """Create the palette for a screen.

        Args:
            screen: Screen whose actions are offered.
            system: Commands that are available everywhere.
        """
        super().__init__()
        self.beneath = screen
        self.system = tuple(system)

    def groups(self) -> Sequence[Group[Command]]:
        everywhere = (GroupChoice(command.title, command.help, command.callback) for command in self.system)
        groups = [
            self.group("here", "the keys of this screen", actions(self.beneath)),
            Group("everywhere", "", "primary", tuple(everywhere)),
        ]
        if isinstance(self.beneath, Inspect):
            groups.append(self.group("try a preset", "a strategy with its settings", presets()))
            groups.append(self.group("try a strategy", "with settings that suit this window", strategies()))
        return groups

    def below(self) -> Sequence[Widget]:
        return (Static(id="about", markup=False),)

    def around(self) -> int:
        return super().around() + 3

    @on(LineList.Moved)
    def show_about(self) -> None:
        """Show the description of the choice under the cursor, which its line may cut."""
        choice = self.choices.current
        self.query_one("#about", Static).update(choice.about if choice else "")

    def group(self, heading: str, about: str, offers: Iterable[_Offer]) -> Group[Command]:
        """Return a group of commands that run as actions of the screen.

        Args:
            heading: Title of the group.
            about: Description of the group.
            offers: Names, descriptions and actions of the commands.
        """
        choices = (
            GroupChoice[Command](name, effect, partial(self.app.run_action, action, self.beneath))
            for name, effect, action in offers
        )
        return Group(heading, about, "primary", tuple(choices))


def actions(screen: Screen[Any]) -> Iterator[_Offer]:
    """Yield the commands of a screen's keys."""
    for binding in bindings(type(screen)):
        if binding.id and binding.description:
            yield key_of(binding.id), binding.description, f"screen.{binding.action}"


def presets() -> Iterator[_Offer]:
    for name, preset in BUILT_IN.items():
        yield name, f"{preset.strategy}, {preset.about}", f"screen.try('{name}')"


def strategies() -> Iterator[_Offer]:
    for name, strategy in STRATEGIES.items():
        yield name, strategy.about, f"screen.try('{name}')"


def bindings(screen: type) -> Iterator[Binding]:
    """Yield the bindings of a screen and its base classes in Inspector, except those of every screen."""
    for part in screen.__mro__:
        if part.__module__.startswith("inspector."):
            yield from (binding for binding in vars(part).get("BINDINGS", ()) if isinstance(binding, Binding))


class ThemeDialog(ChoiceDialog[str]):
    """Dismissed with the name of a theme. Previews the theme under the cursor; closing restores the previous one."""

    heading = "Which theme?"
    hint = "↑↓: preview   {open}: save   {back}: cancel"
    name_width = 24

    def __init__(self, themes: Iterable[Theme], current: str) -> None:
        super().__init__()
        self.themes = tuple(themes)
        self.former = current

    def groups(self) -> Sequence[Group[str]]:
        return self.group("dark"), self.group("light")

    def group(self, kind: str) -> Group[str]:
        own = ("inspector-dark", "inspector-light")
        names = sorted(
            (theme.name for theme in self.themes if theme.dark == (kind == "dark")), key=lambda n: n not in own
        )
        choices = (GroupChoice(name, "uses the terminal's palette" if "ansi" in name else "", name) for name in names)
        return Group(kind, "", "primary", tuple(choices))

    def start(self) -> str:
        return self.former

    @on(LineList.Moved)
    def show_theme(self) -> None:
        if choice := self.choices.current:
            self.app.theme = choice.value

    def action_dismiss(self, result: str | None = None) -> None:  # type: ignore[override]  # nothing to await here
        self.app.theme = self.former
        self.dismiss(result)
