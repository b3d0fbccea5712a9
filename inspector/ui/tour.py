"""The tour: a line over the keys that says what one sees and which key leads on. It blocks no other key."""

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
from inspector.ui.palette import Palette
from inspector.ui.widgets.scrubber import Scrubber

if TYPE_CHECKING:
    from rich.style import Style

_INTERVAL = 0.1
"""Seconds between two looks at how far the person has come."""


@dataclass(frozen=True, slots=True)
class TourStep:
    """What there is to see, the key that leads on, what it does, and when that has been done."""

    detect: str
    key: str
    effect: str
    mode: str
    """The mode in which the key does that; empty for any."""
    is_done: Callable[[App[None]], bool]


def _is_at_compaction(app: App[None]) -> bool:
    """Whether Inspect shows a turn that begins with a compaction."""
    if app.current_mode != "inspect":
        return False
    turns = [strip.turns for strip in app.screen_stack[0].query(Scrubber)]
    return any(strip is not None and strip.turn in strip.timeline.compactions for strip in turns)


def _is_loss_shown(app: App[None]) -> bool:
    """Whether Inspect tells what was lost; another screen that lies over it is none of the tour's."""
    over = app.screen_stack[1:] if app.current_mode == "inspect" else []
    return any(isinstance(screen, dialogs.LostScreen) for screen in over)


STEPS: Sequence[TourStep] = (
    TourStep(
        "Recorded sessions: below, what the one under the cursor is about. It was compacted, and lost what it needed.",
        "enter",
        "opens it",
        "sessions",
        lambda app: app.current_mode == "inspect",
    ),
    TourStep(
        "All that the model's window holds now, a message a line. On top stands what became of it.",
        "c",
        "goes to the compaction",
        "inspect",
        _is_at_compaction,
    ),
    TourStep(
        "At the ◆ of the strip, a summary took the place of all that was said before.",
        "x",
        "shows what was lost with it",
        "inspect",
        _is_loss_shown,
    ),
    TourStep(
        "What a summary drops may be needed again. A replay finds each reply that needed something which was gone.",
        "3",
        "replays the session",
        "",
        lambda app: app.current_mode == "replay",
    ),
    TourStep(
        "The window over the turns as a preset would have kept it; below it, what was missed then.",
        "4",
        "sets the presets side by side",
        "",
        lambda app: app.current_mode == "tune",
    ),
)
_END = "That is the tour: one of these rows would have kept more, or cost less. 1 is the library, ? has every key."
_NAMES = {"sessions": "Sessions (key 1)", "inspect": "Inspect (key 2)"}


class TourLine(Widget):
    """The step that one is at, wrapped into at most three lines; a click does what the key does."""

    step: reactive[int] = reactive(0, layout=True)
    mode: reactive[str] = reactive("")
    is_over: reactive[bool] = reactive(False)
    """Whether it stands over a dialog, which esc closes."""

    def render(self) -> Text:
        palette = Palette(self.app.theme_variables)
        return self.words(palette.ink(), palette.ink("primary", bold=True), palette.dim)

    def words(self, ink: Style, strong: Style, dim: Style) -> Text:
        if self.step >= len(STEPS):
            return Text.assemble((_END, ink), ("  esc", strong), (" closes this line", dim))
        step = STEPS[self.step]
        if step.mode and step.mode != self.mode:
            detect = f"The tour goes on in {_NAMES[step.mode]}: there,"
        else:
            detect = step.detect
        number = f"{self.step + 1} of {len(STEPS)}  "
        lead = Text.assemble((number, dim), (detect, ink), (f"  {step.key}", strong), (f" {step.effect}", ink))
        return lead if self.is_over else lead.append("   esc ends it", dim)

    def on_click(self) -> None:
        self.app.simulate_key("escape" if self.step >= len(STEPS) else STEPS[self.step].key)


class TourGuide:
    """Follows the person through the steps; whoever goes ahead is not held up."""

    def __init__(self, app: App[None]) -> None:
        self.app = app
        self.step = 0
        """From 0; as many as there are steps: it is at its end."""
        self._timer: Timer | None = None

    @property
    def is_on(self) -> bool:
        return self._timer is not None

    def start(self) -> None:
        """Begin, or begin anew."""
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
        """Whether a key was for the tour: esc ends it, but on a dialog, which it closes."""
        if event.key != "escape" or not self.is_on or isinstance(self.app.focused, Input):
            return False
        if len(self.app.screen_stack) > 1 and self.step < len(STEPS):
            return False
        if not self.app.screen.query(TourLine):
            return False
        self.end()
        return True

    def look(self) -> None:
        """See how far the person has come, and say what comes next on the screen in front."""
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
