"""The base class of screens that draw the state of a controller."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from textual.reactive import reactive
from textual.screen import Screen

from inspector.ui.palette import ThemePalette
from inspector.ui.widgets.title import TitleLine

State = TypeVar("State")


class Controller(Protocol):
    """Changes the state of a screen. Independent of any widget."""

    def close(self) -> None:
        """Stop the background work."""


class StateScreen(Screen[None], Generic[State]):
    """A screen that draws an immutable state and turns keys and clicks into calls of its controller.

    The controller sets the state with `set_state`; the screen's `watch_state` draws the differences.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  as declared in Textual
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (32, "-tall")]  # noqa: RUF012  as declared in Textual

    controller: Controller
    state: reactive[Any]

    def on_unmount(self) -> None:
        self.controller.close()

    def set_state(self, state: State) -> None:
        """Show a state."""
        self.state = state

    palette = ThemePalette()

    @property
    def head(self) -> TitleLine:
        """Title line of the screen."""
        return self.query_one(TitleLine)
