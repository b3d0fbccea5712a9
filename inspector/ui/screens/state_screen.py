"""The base of the screens that draw the state of a controller."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from textual.reactive import reactive
from textual.screen import Screen

from inspector.ui.palette import Palette
from inspector.ui.widgets.title import TitleLine

State = TypeVar("State")


class Controller(Protocol):
    """What changes the state of a screen. It knows no widget."""

    def close(self) -> None:
        """Stop the work in the background."""


class StateScreen(Screen[None], Generic[State]):
    """A screen that draws an immutable state and turns keys and clicks into calls of its controller.

    The controller sets the state with `set_state`; `watch_state` of the screen draws what differs.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  declared so by Textual
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (32, "-tall")]  # noqa: RUF012  declared so by Textual

    controller: Controller
    state: reactive[Any]

    def on_unmount(self) -> None:
        self.controller.close()

    def set_state(self, state: State) -> None:
        """Show a state."""
        self.state = state

    @property
    def palette(self) -> Palette:
        """Colours and signs of the current theme."""
        return Palette(self.app.theme_variables)

    @property
    def head(self) -> TitleLine:
        """The first line of the screen."""
        return self.query_one(TitleLine)
