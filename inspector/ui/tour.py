"""The tour: a line above the key bar that explains the screen and names the next key. All other keys keep working."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import App
from textual.css.query import NoMatches
from textual.events import Key
from textual.reactive import reactive
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from inspector.ui import dialogs
from inspector.ui.key_remaps import key_of, keymap, with_keys
from inspector.ui.palette import Palette
from inspector.ui.widgets.scrubber import Scrubber

if TYPE_CHECKING:
    from rich.style import Style

_INTERVAL = 0.1
"""Seconds between two checks of the user's progress."""


@dataclass(frozen=True, slots=True)
class TourStep:
    """A step: the text to show, the verb of the next key and its effect, and a test of completion."""

    text: str
    verb: str
    effect: str
    mode: str
    """Mode in which the key works; empty for any."""
    is_done: Callable[[App[None]], bool]


def _is_at_compaction(app: App[None]) -> bool:
    """Return True if Inspect shows a turn that begins with a compaction."""
    if app.current_mode != "inspect":
        return False
    turns = [strip.turns for strip in app.screen_stack[0].query(Scrubber)]
    return any(strip is not None and strip.turn in strip.timeline.compactions for strip in turns)


def _is_loss_shown(app: App[None]) -> bool:
    """Return True if the lost facts are open over Inspect; the same dialog over another screen does not count."""
    over = app.screen_stack[1:] if app.current_mode == "inspect" else []
    return any(isinstance(screen, dialogs.LostScreen) for screen in over)


STEPS: Sequence[TourStep] = (
    TourStep(
        "Recorded sessions, with a preview of the selected one below. It was compacted, and later"
        " needed facts that were lost.",
        "open",
        "open it",
        "sessions",
        lambda app: app.current_mode == "inspect",
    ),
    TourStep(
        "The model's context window, one message per line. The diagnosis is at the top.",
        "next_compaction",
        "jump to the compaction",
        "inspect",
        _is_at_compaction,
    ),
    TourStep(
        "At ◆ in the strip, a summary replaced all earlier messages.",
        "lost",
        "show the lost facts",
        "inspect",
        _is_loss_shown,
    ),
    TourStep(
        "Dropped facts may be needed later. A replay finds each reply that needed one.",
        "replay",
        "replay the session",
        "",
        lambda app: app.current_mode == "replay",
    ),
    TourStep(
        "The window over the turns under a preset; below it, the facts that were needed after they were dropped.",
        "tune",
        "compare presets",
        "",
        lambda app: app.current_mode == "tune",
    ),
)
_END = (
    "End of the tour: one of these rows would have kept more, or cost less. {sessions}: the library. {help}: all keys."
)
_NAMES = {"sessions": "Sessions (key {sessions})", "inspect": "Inspect (key {inspect})"}


class TourLine(Widget):
    """The current step, wrapped to at most three lines. A click does the same as the key."""

    step: reactive[int] = reactive(0, layout=True)
    mode: reactive[str] = reactive("")
    is_over: reactive[bool] = reactive(False)
    """True if the line is on a screen that covers another one and that esc closes."""

    def on_mount(self) -> None:
        self.screen.add_class("-on-tour")

    def on_unmount(self) -> None:
        self.screen.remove_class("-on-tour")

    def render(self) -> Text:
        palette = Palette(self.app.theme_variables)
        return self.words(palette.ink(), palette.ink("primary", bold=True), palette.dim)

    def words(self, ink: Style, strong: Style, dim: Style) -> Text:
        """Return the text of the line.

        Args:
            ink: Style of the explanation.
            strong: Style of the key.
            dim: Style of the step's number and of the hint to close the line.
        """
        if self.step >= len(STEPS):
            close = (f"  {key_of('back')}", strong), (": close", dim)
            return Text.assemble((with_keys(_END), ink), *close)
        step = STEPS[self.step]
        is_elsewhere = step.mode and step.mode != self.mode
        text = f"The tour continues in {with_keys(_NAMES[step.mode])}: there," if is_elsewhere else step.text
        number = f"{self.step + 1} of {len(STEPS)}  "
        lead = Text.assemble((number, dim), (f"{text}  ", ink), (key_of(step.verb), strong), (f" {step.effect}", ink))
        return lead if self.is_over else lead.append(with_keys("   {back} ends it"), dim)

    def on_click(self) -> None:
        verb = "back" if self.step >= len(STEPS) else STEPS[self.step].verb
        self.app.simulate_key(keymap().keys(verb)[0])


class TourGuide:
    """Follows the user through the steps and skips those that the user has already passed."""

    def __init__(self, app: App[None]) -> None:
        self.app = app
        self.step = 0
        """Index of the current step; equal to the number of steps at the end of the tour."""
        self._timer: Timer | None = None

    @property
    def is_on(self) -> bool:
        return self._timer is not None

    def start(self) -> None:
        """Start or restart the tour."""
        self.end()
        self.step = 0
        self._timer = self.app.set_interval(_INTERVAL, self.look)
        self.look()

    def end(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            for screen in self._screens():
                screen.query(TourLine).remove()

    def handle_key(self, event: Key) -> bool:
        """End the tour on the key "back", unless it closes the screen in front. Return True if it was handled."""
        if event.key not in keymap().keys("back") or not self.is_on or isinstance(self.app.focused, Input):
            return False
        if len(self.app.screen_stack) > 1 and self.step < len(STEPS):
            return False
        if not self.app.screen.query(TourLine):
            return False
        self.end()
        return True

    def look(self) -> None:
        """Detect the user's progress, and show the next step on the screen in front."""
        if not self.is_on or not self.app.is_running or not self.app.screen_stack:
            return
        later = range(len(STEPS) - 1, self.step - 1, -1)
        reached = next((place for place in later if STEPS[place].is_done(self.app)), self.step - 1)
        self.step = reached + 1
        screen = self.app.screen
        if not screen.is_mounted or isinstance(screen, ModalScreen):
            return
        try:
            line = screen.query_one(TourLine)
        except NoMatches:
            line = TourLine()
            screen.mount(line)
        line.step, line.mode = self.step, self.app.current_mode
        line.is_over = len(self.app.screen_stack) > 1

    def _screens(self) -> list[Screen[Any]]:
        return [screen for stack in self.app._screen_stacks.values() for screen in stack]
