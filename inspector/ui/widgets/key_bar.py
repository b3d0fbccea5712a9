"""The keys that have an effect now, in one line. It shows those that fit; `?` and the palette list all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static

from inspector.ui.key_remaps import key_of, with_keys
from inspector.ui.keymap import VERBS
from inspector.ui.palette import Palette
from inspector.ui.terminal_app import is_base
from inspector.ui.widgets.drawing import Drawing


@dataclass(frozen=True, slots=True)
class Key:
    """A key on offer."""

    verb: str
    """Verb of the table of keys, or several with spaces in between, of which a click runs the last one."""
    label: str = ""
    """Effect in one to three words. Default: the label of the verb."""

    @property
    def key(self) -> str:
        """The keys in force as text: `D`, `←→` or `n N`."""
        keys = [key_of(verb) for verb in self.verb.split()]
        return ("" if all(len(key) == 1 and not key.isalpha() for key in keys) else " ").join(keys)

    @property
    def text(self) -> str:
        """The label, or the label of the verb."""
        return self.label or VERBS[self.verb].label


def available(*offers: tuple[object, Key]) -> tuple[Key, ...]:
    """Return the keys whose condition is true, in order."""
    return tuple(key for condition, key in offers if condition)


_HELP = Key("help")
_QUIT = Key("close", "quit")
_UNZOOM = Key("zoom", "all panels")
_GAP = 2


def key_line(template: str, id: str | None = None, **values: object) -> Static:
    """Return the line of keys at the bottom of a dialog; the arguments are those of `with_keys`."""
    return Static(with_keys(template, **values), id=id, classes="hint", markup=False)


class KeyBar(Drawing):
    """Draws the keys that fit, and before all others help and quit. A click has the same effect as the key."""

    keys: reactive[tuple[Key, ...]] = reactive(())
    hint: reactive[str] = reactive("")
    """Sentence that temporarily replaces keys; the keys that still fit are kept."""

    def __init__(self, keys: tuple[Key, ...] = (), id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(KeyBar.keys, keys)

    def show_hint(self, sentence: str, short: str, seconds: float) -> bool:
        """Show a hint for some seconds, in its short form if the sentence would replace too many keys.

        Args:
            sentence: Hint to show.
            short: Shorter form of the hint.
            seconds: Seconds to show it.

        Returns:
            False if there is no room for either form.
        """
        room = self.size.width
        words = sentence if cell_len(sentence) <= room // 2 else short
        if cell_len(words) + 2 > room:
            return False
        self.hint = words
        self.set_timer(seconds, lambda: self.end(words))
        return True

    def end(self, sentence: str) -> None:
        if self.hint == sentence:
            self.hint = ""

    def fitting(self) -> list[Key]:
        """Return the keys that fit, in order, then help, and quit on a screen with tabs."""
        room = self.size.width - 1 + _GAP - (cell_len(self.hint) + _GAP + 1 if self.hint else 0)
        always = [_HELP, _QUIT] if is_base(self.screen) else [_HELP]
        always = always if self.screen.maximized is None else [_UNZOOM, *always]
        keys = [*always, *(key for key in self.keys if key not in always)]
        fitting: list[Key] = []
        for key in keys:
            if _width_of(key) <= room:
                fitting.append(key)
                room -= _width_of(key)
            elif key is _HELP:
                return []
        return [*(key for key in fitting if key not in always), *(key for key in always if key in fitting)]

    def render(self) -> Text:
        palette = Palette(self.app.theme_variables)
        line = Text(" ", no_wrap=True)
        ink = palette.ink("primary", bold=True)
        if self.app.no_color:  # in greys, a key would look like its label
            ink = palette.strong + Style(underline=True)
        for key in self.fitting():
            line.append(key.key, ink)
            line.append(f" {key.text}".ljust(_width_of(key) - len(key.key)), palette.dim)
        if self.hint:
            line.append(f"{self.hint:>{self.size.width - 1 - line.cell_len}} ", palette.ink("success"))
        return line

    async def on_click(self, event: events.Click) -> None:
        if not self.screen.is_active:  # closed in the meantime: the key would act on the screen in front
            return
        reach = 1
        for key in self.fitting():
            reach += _width_of(key)
            if event.x < reach:
                await _run_verb(self.screen, key.verb.split()[-1])
                return


async def _run_verb(screen: Screen[Any], verb: str) -> None:
    """Run the action of a verb as its key would: of the focused widget, else of the screen, else of the app."""
    nodes = screen.focused.ancestors_with_self if screen.focused else [screen, screen.app]
    for node in nodes:
        for _, binding in node._bindings:
            if binding.id == verb:
                await screen.app.run_action(binding.action, node)
                return


def _width_of(key: Key) -> int:
    return cell_len(key.key) + 1 + cell_len(key.text) + _GAP
