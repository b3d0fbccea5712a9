"""Hints: a sentence for each sign and word of ours, told once, when it is first on the screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Protocol, runtime_checkable

from textual.app import App

from inspector.core.settings import load_settings, save_setting
from inspector.ui.widgets.key_bar import KeyBar

PACE = 4.0
"""Seconds between two looks at what is on the screen."""
_REST = 5
"""Looks without a hint after each hint."""
_SETTING, _SEEN = "hints", "hints_told"

HINTS: Mapping[str, str] = {
    "compacted": "◆ marks a compaction: what came before became a summary. c goes to the next.",
    "needed": "! marks a reply that missed something lost. r goes there.",
    "summarised": "Σ marks messages that a summary stands for. o shows which.",
    "estimate": "≈ marks an estimate. Without it, a number is exact or the provider's own.",
    "unrecorded": "unrecorded: not in the file, worked out from what the provider reported.",
    "section": "┊ marks what a section may take of the window; over: it takes more.",
    "trigger": "trigger: above so many tokens, this preset compresses.",
    "regret": "A regret: the recording used a fact again that had left the window by then.",
    "reserve": "reserve: room in the window that is kept free for the reply.",
}
"""What is told of each sign. The order is that in which they are told where several are on the screen at once."""
_SHORT: Mapping[str, str] = {
    "compacted": "◆ compaction: c goes there",
    "needed": "! missed what was lost: r",
    "summarised": "Σ summarised: o shows what",
    "estimate": "≈ an estimate",
    "unrecorded": "unrecorded: not in the file",
    "section": "┊ its share; over: more",
    "trigger": "trigger: compresses above it",
    "regret": "regret: a lost fact was used",
    "reserve": "reserve: room for the reply",
}
"""The same where the line of keys has little room beside it."""


@runtime_checkable
class SignedScreen(Protocol):
    """A screen that says which of our signs it shows."""

    signs: Iterable[str]
    """The signs that are on the screen, by their names in `HINTS`."""


class HintBook:
    """Which hints were told already. One at a time, with pauses between them."""

    def __init__(self) -> None:
        settings = load_settings()
        self.is_on = settings.get(_SETTING) != "off"
        names = settings.get(_SEEN)
        self._seen = set(names.split(",")) if isinstance(names, str) else set()
        self._rest = 0

    def next_hint(self, signs: Iterable[str]) -> str:
        """A sentence for one of the signs that has not been told before, and from now on has; "" for none."""
        if self._rest:
            self._rest -= 1
            return ""
        here = set(signs) if self.is_on else set()
        name = next((name for name in HINTS if name in here and name not in self._seen), "")
        if name:
            self._seen.add(name)
            self._rest = _REST
            _keep(_SEEN, ",".join(sorted(self._seen)))
        return HINTS.get(name, "")

    def switch(self) -> str:
        """Turn hints off, or on again and all of them anew. Gives the sentence that says so."""
        self.is_on = not self.is_on
        _keep(_SETTING, "on" if self.is_on else "off")
        if self.is_on:
            self._seen.clear()
        return "Each sign is told once, when it is first there." if self.is_on else "No more hints; ? has all of them."


def show_hint(app: App[Any], hints: HintBook) -> None:
    """Tell what a sign means, where nothing else is told, no tour is on, and nothing lies over the screen.

    It stands in the line of keys, so that it covers no row; in a narrow terminal it is a notice.
    """
    screen = app.screen
    if len(app.screen_stack) == 1 and isinstance(screen, SignedScreen) and not screen.query("Toast, TourLine"):
        hint = hints.next_hint(screen.signs)
        short = next((_SHORT[name] for name, sentence in HINTS.items() if sentence == hint), "")
        if hint and not any(bar.on_progress(hint, short, 2 * PACE) for bar in screen.query(KeyBar)):
            app.notify(hint, timeout=2 * PACE)


def switch_hints(app: App[Any], hints: HintBook) -> None:
    app.notify(hints.switch())


def _keep(name: str, value: str) -> None:
    """Keep a setting. Where that cannot be, a hint is told again at the next start, which does no harm."""
    with suppress(OSError, ValueError):
        save_setting(name, value)
