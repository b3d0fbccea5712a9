"""The app in its terminal: orderly shutdown, late input, theme and stylesheet, notices, and screenshots.

Screenshots are SVG files in the folder in which Inspector was started.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from textual._context import active_message_pump
from textual.app import App, ScreenError
from textual.await_complete import AwaitComplete
from textual.css.query import NoMatches
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.events import Event, InputEvent, Key
from textual.filter import LineFilter
from textual.notifications import Notify
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import MountError

from inspector.core.settings import load_settings
from inspector.core.text import visible, write_whole
from inspector.ui.depths import Depth, LegibleWords
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.early_keys import EarlyKeys
from inspector.ui.key_remaps import keymap, load_keymap, use_keymap
from inspector.ui.themes import DARK, own_themes, own_variables
from inspector.ui.tour import TourGuide
from inspector.ui.workers.latest import is_closing

_ORDINARY = b"\x1b[?2004l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1004l\x1b[<u\x1b[?1049l\x1b[?25h"
"""Sequences that leave full screen: bracketed paste, mouse, focus, keyboard, alternate screen, cursor."""

_EARLY_ENTER = "ctrl+j"
"""Name of the enter key if it was pressed before the app took over the terminal, which turns it into a line feed."""
_NOTICE_SECONDS = 3.0
"""Seconds that a notice is shown."""

Ending = Callable[["TerminalApp", int], None]


class _Stylesheet(Stylesheet):
    """A stylesheet that reuses parsed rules while the colours stay the same: startup requests them four times."""

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._recoloured = False

    def set_variables(self, variables: dict[str, str]) -> None:
        if variables != self._variables:
            super().set_variables(variables)
            self._recoloured = not self._require_parse

    def reparse(self) -> None:
        if self._recoloured:
            super().reparse()
            self._recoloured = False


def clear_notices(app: App[Any]) -> None:
    """Remove all notices from the screen, including those not painted yet."""
    app.clear_notifications()
    for screen in app.screen_stack:
        screen.query("ToastHolder").remove()  # Textual does not remove a notice that is not painted yet


class TerminalApp(App[None]):
    """An app that no badly timed key can end, and that restores the terminal however it ends.

    `ending` is called with the app and the exit status on a failure, before the app closes; it ensures that the app
    closes.
    """

    ALLOW_IN_MAXIMIZED_VIEW: ClassVar[str] = "TitleLine, VerdictLine, PromptLine, KeyBar, TourLine, Input, .heads"
    """Parts of a screen that stay next to a zoomed panel."""

    has_session: reactive[bool] = reactive(False, init=False, repaint=False)
    """True if a session has been opened."""

    def __init__(self, ending: Ending = lambda _app, _code: None, depth: Depth = "truecolor") -> None:
        """Create the app for a terminal with a colour depth of `depth`."""
        self.depth = depth
        self.words = LegibleWords(depth)
        super().__init__()
        use_keymap(load_keymap())
        self.set_keymap({verb: ",".join(keys) for verb, keys in keymap().remaps.items()})
        for theme in own_themes(depth):
            self.register_theme(theme)
        name = load_settings().get("theme")
        self.theme = name if isinstance(name, str) and name in self.available_themes else DARK.name
        self.stylesheet = _Stylesheet(self.get_css_variables())  # of this theme, as another one is parsed again
        self.is_remark = False
        """True if the last notice was not a warning, so that it disappears when the screen changes."""
        self.ending = ending
        self.tour = TourGuide(self)
        self.early_keys = EarlyKeys(self, super().on_event)

    def on_mount(self) -> None:
        """Say which keys of the settings file are ignored."""
        if keymap().problems:
            self.notify(" ".join(keymap().problems), severity="warning")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return own_variables(self.current_theme, self.depth)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self.words]

    def push_screen(self, screen: Any, *rest: Any, **options: Any) -> Any:
        """Show a screen over the one in front, unless another screen has covered the caller in the meantime.

        This way pressing enter twice in one read opens the row under the cursor once.
        """
        caller = active_message_pump.get(None)
        if isinstance(caller, Screen) and isinstance(screen, Overlay) and not caller.is_active:
            return AwaitComplete()
        return super().push_screen(screen, *rest, **options)

    def pop_screen(self) -> AwaitComplete:
        """Close the screen in front. The last screen stays, even if a late click or key asks to close it."""
        return super().pop_screen() if len(self._screen_stack) > 1 else AwaitComplete()

    async def _dispatch_action(self, namespace: DOMNode, action_name: str, params: Any) -> bool:
        """Run an action, except for a screen whose widgets are gone, which a late click can ask for."""
        if isinstance(namespace, Screen) and (is_closing(namespace) or not namespace.is_mounted):
            return True
        return await super()._dispatch_action(namespace, action_name, params)

    async def on_event(self, event: Event) -> None:
        """Drop input that arrives during shutdown, and let the tour and the early keys handle keys first.

        Every key removes the notice on the screen, and then has its usual effect. Enter pressed before the app took
        over the terminal still opens.

        A key that no widget has stopped arrives here again as a forwarded event and is not offered a second time.
        """
        if isinstance(event, InputEvent) and not self._screen_stacks.get(self.current_mode):
            return
        event = _meant_event(event)
        if isinstance(event, Key) and not event.is_forwarded and self._notifications:
            clear_notices(self)
        handlers = (self.tour.handle_key, self.early_keys.handle_key)
        if isinstance(event, Key) and not event.is_forwarded and any(handle(event) for handle in handlers):
            return
        await super().on_event(event)

    def on_notify(self, event: Notify) -> None:
        """Show a notice in place of the previous one, for three seconds or until a key is pressed.

        Notices can contain names and text from files, so markup and control characters are disabled.
        """
        notice = event.notification
        notice.message, notice.title, notice.markup = visible(notice.message), visible(notice.title), False
        notice.timeout = _NOTICE_SECONDS
        self.is_remark = notice.severity == "information"
        clear_notices(self)

    def _handle_exception(self, error: Exception) -> None:
        """Close the app after an unexpected exception, which the caller raises again once the terminal is restored.

        Textual would print a traceback with the values of variables, which can be parts of conversations. Callbacks
        that run while the app quits and miss their widgets or screens are not failures.
        """
        if self._exit and isinstance(error, NoMatches | ScreenError | MountError):
            self._close_messages_no_wait()
            return
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
            self.ending(self, 1)
        self._close_messages_no_wait()

    @property
    def failure(self) -> Exception | None:
        """Exception that ended the app, or None."""
        return self._exception

    def leave(self, code: int) -> None:
        """Quit with an exit status."""
        self.exit(return_code=code)

    def restore_terminal(self) -> None:
        """Restore the terminal from any thread, for an app that no longer responds."""
        if self._driver is not None and not self.is_headless:
            self._driver.stop_application_mode()
            os.write(2, _ORDINARY)


def _meant_event(event: Event) -> Event:
    """Return enter for the key that it arrives as if it was pressed too early, unless the user's keys use that one."""
    if not isinstance(event, Key) or event.key != _EARLY_ENTER:
        return event
    is_used = any(_EARLY_ENTER in keys for keys in keymap().remaps.values())
    return event if is_used else Key("enter", "\r")


def mode_of(screen: Screen[Any]) -> str:
    """Return the mode whose stack contains a screen, visible or not, or an empty string."""
    return next((mode for mode, stack in screen.app._screen_stacks.items() if screen in stack), "")


def is_base(screen: Screen[Any]) -> bool:
    """Return True if a screen is the base of its mode: one with tabs and no screen under it."""
    return any(stack[:1] == [screen] for stack in screen.app._screen_stacks.values())


def covers_tabs(screen: Screen[Any]) -> bool:
    """Return True if a screen covers another one and shows the tabs, as Compare does."""
    return not is_base(screen) and bool(screen.query("TitleLine"))


# CSS that loads a font from a server: `@font-face { font-family: "Fira Code"; src: url("https://…") }`.
REMOTE_FONTS = re.compile(r"@font-face\s*\{[^}]*+(?:\}\s*|\Z)")


def without_fonts(svg: str) -> str:
    """Return an SVG picture without fonts loaded from a server."""
    return REMOTE_FONTS.sub("", svg)


def save_screenshot(svg: str, folder: Path | None = None) -> str:
    """Write a picture to a new file, and return a sentence with its path or with the error."""
    place = (folder or Path()).absolute()
    name = f"inspector-{datetime.now():%Y%m%d-%H%M%S}"
    paths = (place / f"{name}{f'-{number}' if number > 1 else ''}.svg" for number in count(1))
    try:
        path = next(path for path in paths if not os.path.lexists(path))
        write_whole(path, svg, replace=False)
    except OSError as error:
        return f"Cannot write the picture: {place}: {error.strerror or error}."
    return f"Written: {path}"
