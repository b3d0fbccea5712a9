"""Buffer keys that are pressed while a session is being opened, and replay them once it is visible."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.events import Key

from inspector.ui.key_remaps import keymap
from inspector.ui.tabs import TABS

if TYPE_CHECKING:
    from textual.app import App

_OPENING_DELAY = 0.1
"""Seconds to wait for a key such as enter to open a session."""
_LEAVING = ("close", "quit", "palette", "back", "help", *(tab.mode for tab in TABS if not tab.needs_session))
"""Verbs that leave the session being opened, or help while it loads. Their keys are never buffered."""


class EarlyKeys:
    """Buffers keys from the start of an opening to its first window, then replays them one by one in order.

    A key that leaves the session, or an opening that fails, discards the buffered keys.
    """

    def __init__(self, app: App[None], give: Callable[[Key], Awaitable[None]]) -> None:
        """Create an empty buffer.

        Args:
            app: App that receives the keys.
            give: Handles a key as if it were pressed now.
        """
        self._app = app
        self._give = give
        self._keys: deque[Key] = deque()
        self._is_waiting = False
        self._is_giving = False
        self._may_open = False
        """True if the last key may start an opening but has not done so yet: later keys can arrive in the same read."""

    @property
    def is_idle(self) -> bool:
        """True if no key is buffered or being replayed."""
        return not (self._keys or self._is_giving)

    def begin(self) -> None:
        """Buffer keys from now on."""
        self._is_waiting, self._may_open = True, False

    def drop(self) -> None:
        """Stop buffering, and discard the buffered keys."""
        self._is_waiting = False
        self._keys.clear()

    def release(self) -> None:
        """Replay the buffered keys to the screen that is shown now."""
        if self._is_waiting:
            self._is_waiting, self._is_giving = False, True
            self._app.call_later(self._give_next)

    def handle_key(self, key: Key) -> bool:
        """Buffer a key that was pressed too early, or that follows one that was.

        Pressing enter in the library starts a short wait, because it may open a session.

        Returns:
            True if the key was buffered.
        """
        if len(self._app.screen_stack) > 1:
            return False
        if not (self._is_waiting or self._keys):
            if key.key in keymap().keys("open") and self._app.current_mode == "sessions":
                self._is_waiting = self._may_open = True
                self._app.set_timer(_OPENING_DELAY, self._end_moment)
            return False
        if key.key == "ctrl+c" or any(key.key in keymap().keys(verb) for verb in _LEAVING):
            self._keys.clear()
            return False
        if self._app.current_mode == "sessions" and not key.is_printable:
            return False  # the cursor can still be moved in the list of sessions
        self._keys.append(key)
        return True

    def _end_moment(self) -> None:
        """Replay the keys buffered after a key that did not open a session."""
        if self._may_open:
            self._may_open = False
            self.release()

    async def _give_next(self) -> None:
        """Replay the first key, then schedule the next after the screen has answered, which may open a dialog."""
        if self._keys and not self._is_waiting:
            await self._give(self._keys.popleft())
            self._app.call_after_refresh(self._give_next)
        else:
            self._is_giving = False
