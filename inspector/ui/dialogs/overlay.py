"""Base classes of screens that open over another one and are dismissed again: readers and dialogs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from textual.await_complete import AwaitComplete
from textual.events import Callback, InputEvent, Resize, Timer
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import ModalScreen, Screen

from inspector.ui.depths import LegibleWords
from inspector.ui.palette import ThemePalette
from inspector.ui.workers.latest import is_closing

Result = TypeVar("Result")
IGNORED_WHEN_CLOSING = (Callback, InputEvent, Resize, Timer)
"""Messages that a closing screen ignores."""


class Overlay(Screen[Result]):
    """A screen that can be dismissed only once.

    A slow line delivers several keys in one read, so a second `enter` or `esc` can reach a screen that has already been
    dismissed. A background job that dismisses its screen can also finish while another screen is in front. Both would
    remove the wrong screen from the stack.
    """

    palette = ThemePalette()
    _is_dismissed = False
    _has_result = False
    """True if it was dismissed while another screen was in front of it."""
    _result: Result | None = None

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close the screen with a result. Only the first call counts; a covered screen closes once it is uncovered."""
        if self._is_dismissed:
            return AwaitComplete()
        self._is_dismissed = True
        if self.is_active:
            return super().dismiss(result)
        self._has_result, self._result = True, result
        return AwaitComplete()

    async def _dispatch_message(self, message: Message) -> None:
        """Ignore keys, callbacks and results that arrive while the screen closes, when its widgets are missing."""
        if is_closing(self) and (
            isinstance(message, IGNORED_WHEN_CLOSING) or type(message).__module__.startswith("inspector.")
        ):
            return
        await super()._dispatch_message(message)

    async def _invoke_and_clear_callbacks(self) -> None:
        if is_closing(self):
            self._callbacks[:] = [callback for callback in self._callbacks if callback[1] is self.app]
        await super()._invoke_and_clear_callbacks()

    def on_screen_resume(self) -> None:
        if self._has_result and self.is_active:
            self._has_result = False
            super().dismiss(self._result)


async def close_overlay(screen: Screen[Any]) -> None:
    """Run the action of the verb "back" on a screen that covers another one."""
    for _, binding in screen._bindings:
        if binding.id == "back":
            await screen.run_action(binding.action)


class Dialog(ModalScreen[Result], Overlay[Result]):  # the styles of the first base are inherited
    """An overlay that keeps the screen below it visible and receives all keys."""

    def get_line_filters(self) -> list[LineFilter]:
        return filters_behind(super().get_line_filters())


def filters_behind(filters: Iterable[LineFilter]) -> list[LineFilter]:
    """Return the line filters for a dialog's screen, with which the covered screen keeps its faint text."""
    return [entry.covered if isinstance(entry, LegibleWords) else entry for entry in filters]
