"""Hints: one sentence for each symbol and term of Inspector, shown once, when it first appears on the screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Protocol, runtime_checkable

from textual.app import App

from inspector.core.settings import load_settings, save_setting
from inspector.ui.key_remaps import with_keys
from inspector.ui.widgets.key_bar import KeyBar

PACE = 4.0
"""Seconds between two checks of the symbols on the screen."""
_REST = 5
"""Checks to skip after each hint."""
_SETTING, _SEEN = "hints", "hints_told"

HINTS: Mapping[str, str] = {
    "compacted": "◆ marks a compaction: earlier messages became a summary. {next_compaction}: next.",
    "needed": "! = a reply that needed something already dropped. {next_finding}: jump to it.",
    "summarised": "Σ marks a summary of messages. {origin}: show them.",
    "estimate": "≈ = an estimate. Other numbers are exact or reported by the provider.",
    "unrecorded": "unrecorded: not in the file, inferred from the usage that the provider reported.",
    "section": "┊ marks the budget of a section; over: the section exceeds it.",
    "trigger": "trigger: this preset compresses above this many tokens.",
    "regret": "Regret: the session reused a fact after it had been dropped.",
    "reserve": "reserve: tokens of the window that are kept free for the reply.",
}
"""Sentence for each symbol or term, with verbs for keys, in the order in which they are explained."""
_SHORT: Mapping[str, str] = {
    "compacted": "◆ compaction: {next_compaction}",
    "needed": "! needed a lost fact: {next_finding}",
    "summarised": "Σ summary: {origin} shows its messages",
    "estimate": "≈ estimate",
    "unrecorded": "unrecorded: not in the file",
    "section": "┊ budget; over: exceeded",
    "trigger": "trigger: compresses above",
    "regret": "regret: a lost fact was reused",
    "reserve": "reserve: kept for the reply",
}
"""Shorter sentences for a key bar with little room."""


@runtime_checkable
class SignedScreen(Protocol):
    """A screen that reports which symbols it shows."""

    signs: Iterable[str]
    """Symbols on the screen, by their names in `HINTS`."""


_SWITCHED = (
    "No more hints. {help} explains all symbols.",
    "Each symbol is explained once, when it first appears.",
)


class HintBook:
    """Tracks which hints have been shown. Gives one at a time, with pauses in between."""

    def __init__(self) -> None:
        settings = load_settings()
        self.is_on = settings.get(_SETTING) != "off"
        names = settings.get(_SEEN)
        self._seen = set(names.split(",")) if isinstance(names, str) else set()
        self._rest = 0

    def next_hint(self, signs: Iterable[str]) -> str:
        """Return the sentence for a symbol that has not been explained yet and mark it as seen, or an empty string."""
        if self._rest:
            self._rest -= 1
            return ""
        here = set(signs) if self.is_on else set()
        name = next((name for name in HINTS if name in here and name not in self._seen), "")
        if name:
            self._seen.add(name)
            self._rest = _REST
            _keep(_SEEN, ",".join(sorted(self._seen)))
        return with_keys(HINTS.get(name, ""))

    def switch(self) -> str:
        """Turn hints on or off, and return a sentence for the user. Turning them on shows every hint again."""
        self.is_on = not self.is_on
        _keep(_SETTING, "on" if self.is_on else "off")
        if self.is_on:
            self._seen.clear()
        return with_keys(_SWITCHED[self.is_on])


def show_hint(app: App[Any], hints: HintBook) -> None:
    """Show the next hint, unless a notice, the tour or a dialog is on the screen.

    The hint appears in the key bar, where it covers no row; in a narrow terminal it is a notice.
    """
    screen = app.screen
    if len(app.screen_stack) == 1 and isinstance(screen, SignedScreen) and not screen.query("Toast, TourLine"):
        hint = hints.next_hint(screen.signs)
        short = next((with_keys(_SHORT[name]) for name, long in HINTS.items() if with_keys(long) == hint), "")
        if hint and not any(bar.show_hint(hint, short, 2 * PACE) for bar in screen.query(KeyBar)):
            app.notify(hint)


def switch_hints(app: App[Any], hints: HintBook) -> None:
    app.notify(hints.switch())


def _keep(name: str, value: str) -> None:
    """Save a setting. On failure a hint appears again after the next start, which is harmless."""
    with suppress(OSError, ValueError):
        save_setting(name, value)
