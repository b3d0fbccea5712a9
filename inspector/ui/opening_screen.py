"""First screen of a session that is opened by name: its tabs, until Inspect is loaded."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import Screen

from inspector.ui.widgets.title import TitleLine


class OpeningScreen(Screen[None]):
    """The title line of Inspect alone. Loading Inspect takes a third of the time of all that is loaded before it."""

    def compose(self) -> ComposeResult:
        yield _OpeningLine()

    def on_mount(self) -> None:
        self.call_after_refresh(self._leave)

    def _leave(self) -> None:
        if self.is_current:  # otherwise a key has led elsewhere
            self.app.switch_mode("inspect")


class _OpeningLine(TitleLine):
    """The title line with the tab of Inspect in front."""

    @property
    def front(self) -> str:
        return "inspect"
