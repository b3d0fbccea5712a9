"""Keys that are pressed while a session is being opened: they are meant for it, and wait until it can be seen."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.events import Key

from inspector.ui.tabs import TABS

if TYPE_CHECKING:
    from textual.app import App

_OPENING_DELAY = 0.1
"""Seconds in which a key that may open a session has begun to."""
_LEAVING = frozenset(
    ["q", "ctrl+q", "ctrl+c", "ctrl+p", "escape", "question_mark"] + [tab.key for tab in TABS if not tab.needs_session]
)
"""What leads away from what is being opened, or helps while one waits: it never waits itself."""


class EarlyKeys:
    """Holds keys from the begin of an opening to its first window, then gives them to it, one by one in their order.

    A key that leads away, or an opening that fails, drops those that are held.
    """

    def __init__(self, app: App[None], give: Callable[[Key], Awaitable[None]]) -> None:
        """`give` treats a key as if it was pressed now."""
        self._app = app
        self._give = give
        self._keys: deque[Key] = deque()
        self._is_waiting = False
        self._is_giving = False
        self._may_open = False
        """Whether the last key may begin an opening, and has not done so yet: keys may come in one read with it."""

    @property
    def is_idle(self) -> bool:
        """Whether no key is held or on its way to the screen."""
        return not (self._keys or self._is_giving)

    def begin(self) -> None:
        """Hold keys from now on."""
        self._is_waiting, self._may_open = True, False

    def drop(self) -> None:
        """Hold no more keys, and forget those that are held."""
        self._is_waiting = False
        self._keys.clear()

    def release(self) -> None:
        """Give the keys that are held to what is shown now."""
        if self._is_waiting:
            self._is_waiting, self._is_giving = False, True
            self._app.call_later(self._give_next)

    def handle_key(self, key: Key) -> bool:
        """Whether a key is held, because it came too early or right behind one that did."""
        if len(self._app.screen_stack) > 1:
            return False
        if not (self._is_waiting or self._keys):
            if key.key == "enter" and self._app.current_mode == "sessions":
                self._is_waiting = self._may_open = True
                self._app.set_timer(_OPENING_DELAY, self._end_moment)
            return False
        if key.key in _LEAVING:
            self._keys.clear()
            return False
        if self._app.current_mode == "sessions" and not key.is_printable:
            return False  # the list of sessions can be moved through meanwhile
        self._keys.append(key)
        return True

    def _end_moment(self) -> None:
        """Give back what was held behind a key that has opened nothing."""
        if self._may_open:
            self._may_open = False
            self.release()

    async def _give_next(self) -> None:
        """Give the first key; the next one when the screen has answered it, which may have brought up a dialog."""
        if self._keys and not self._is_waiting:
            await self._give(self._keys.popleft())
            self._app.call_after_refresh(self._give_next)
        else:
            self._is_giving = False
