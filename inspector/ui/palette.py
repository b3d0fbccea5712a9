"""Colours and glyphs. Every distinction is shown twice: by a hue, and by a letter or glyph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rich.style import Style

from inspector.llm import tokens

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from inspector.engine.window import FateKind, Section, Window

FATE_COLOURS: Mapping[FateKind, str] = {
    "kept": "success",
    "pinned": "warning",
    "trimmed": "warning",
    "masked": "warning",
    "summarised": "section-memory",
    "archived": "primary",
    "dropped": "error",
    "retrieved": "success",
}

FILLS: Mapping[Section, str] = {
    "system": "·",
    "memory": "╱",
    "tools": "▒",
    "history": " ",
    "input": "▓",
    "scratchpad": "░",
}
"""Fill characters that distinguish the sections of a bar when there are no colours."""

CHIP_INK = "#10131a"
"""Colour of text on the colour of a section."""
_TERMINAL = {"black": "#000000", "white": "#ffffff", "default": "#808080"}
"""Approximate values of colours that the terminal defines."""


@dataclass(frozen=True)
class Palette:
    """The colours of the current theme as styles, for widgets that draw their own lines."""

    variables: Mapping[str, str]

    def colour(self, name: str) -> str:
        """Return a theme colour in Rich's notation, which names terminal colours without the prefix `ansi_`."""
        return self.variables.get(name, "default").split()[0].removeprefix("ansi_")

    def solid(self, name: Literal["background", "foreground"]) -> str:
        """Return the screen's background or text colour as hex, even if the theme leaves it to the terminal."""
        colour = self.colour(name)
        return _TERMINAL[self.colour(f"ansi-{name}")] if colour == "default" else colour

    def ink(self, name: str = "foreground", on: str = "", bold: bool = False) -> Style:
        """Return a style for text.

        Args:
            name: Theme colour of the text.
            on: Theme colour of the background; empty for none.
            bold: True for bold text.
        """
        return _style(self.colour(name), self.colour(on) if on else None, bold or None)

    def section(self, section: Section) -> str:
        return self.colour(f"section-{section}")

    def chip(self, section: Section) -> Style:
        """Return the style of text on the colour of a section."""
        return _style(CHIP_INK, self.section(section), True)

    @property
    def mark(self) -> Style:
        """Style of search matches, which stand out by more than colour."""
        return Style(color=self.solid("background"), bgcolor=self.colour("warning"), bold=True, underline=True)

    @property
    def current_mark(self) -> Style:
        """Style of the current search match."""
        return Style(color=self.solid("background"), bgcolor=self.colour("primary"), bold=True, underline=True)

    @property
    def dim(self) -> Style:
        return self.ink("ink-muted")

    @property
    def faint(self) -> Style:
        return self.ink("ink-faint")

    @property
    def strong(self) -> Style:
        return self.ink("foreground", bold=True)


@lru_cache(maxsize=512)
def _style(colour: str, ground: str | None, bold: bool | None) -> Style:
    """Return a style. Creating one takes longer than drawing with it."""
    return Style(color=colour, bgcolor=ground, bold=bold)


class ThemePalette:
    """The palette of the current theme, as an attribute of a widget or a screen."""

    def __get__(self, node: MessagePump, owner: type[MessagePump]) -> Palette:
        return Palette(node.app.theme_variables)


def mark_of(window: Window) -> str:
    """Return the symbol in front of a window's token count, which shows that it is not exact."""
    return tokens.mark(window.size.certainty)
