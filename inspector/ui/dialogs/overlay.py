"""What lies over a screen and is dismissed again: full screens such as the reader, and dialogs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from textual.await_complete import AwaitComplete
from textual.events import Callback, InputEvent, Resize, Timer
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import ModalScreen, Screen

from inspector.ui.depths import LegibleWords
from inspector.ui.workers.latest import is_closing

Result = TypeVar("Result")
IDLE = (Callback, InputEvent, Resize, Timer)
"""Messages that a screen which is being taken apart need not answer."""


class Overlay(Screen[Result]):
    """A screen that can be dismissed once.

    A slow line delivers several keys in one read, so a second `enter` or `esc` can reach a screen that has been
    dismissed already; and a job that dismisses its screen in the end may end while another screen is in front. Both
    would take a screen off the stack that nobody meant.
    """

    _is_dismissed = False
    _has_result = False
    """Whether it has been dismissed while another screen was in front of it."""
    _result: Result | None = None

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close the screen with a result; the first call counts. Behind another screen, it closes when it is back."""
        if self._is_dismissed:
            return AwaitComplete()
        self._is_dismissed = True
        if self.is_active:
            return super().dismiss(result)
        self._has_result, self._result = True, result
        return AwaitComplete()

    async def _dispatch_message(self, message: Message) -> None:
        """Keys, callbacks and results that come while it is being taken apart find no widgets any more."""
        if is_closing(self) and (isinstance(message, IDLE) or type(message).__module__.startswith("inspector.")):
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
    """Do what `esc` does on a screen that lies over another one."""
    for binding in screen._bindings.key_to_bindings.get("escape", ()):
        await screen.run_action(binding.action)


class Dialog(ModalScreen[Result], Overlay[Result]):  # the first base is the one whose styles are inherited
    """An overlay that leaves the screen beneath it in sight and takes all keys."""

    def get_line_filters(self) -> list[LineFilter]:
        return filters_behind(super().get_line_filters())


def filters_behind(filters: Iterable[LineFilter]) -> list[LineFilter]:
    """The filters for a dialog's screen itself, which draws what lies behind the dialog: that stays faint."""
    return [entry.behind if isinstance(entry, LegibleWords) else entry for entry in filters]
