"""Colours and signs: the same thing is always said twice, once by hue and once by a letter or glyph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.style import Style

from inspector.llm import tokens

if TYPE_CHECKING:
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
"""What tells areas of sections apart where there are no colours."""

CHIP_INK = "#10131a"
"""Text on the colour of a section."""
_TERMINAL = {"black": "#000000", "white": "#ffffff", "default": "#808080"}
"""What a terminal's colours look like, about."""


@dataclass(frozen=True)
class Palette:
    """The current theme's colours as styles for widgets that draw their own lines."""

    variables: Mapping[str, str]

    def colour(self, name: str) -> str:
        """A colour as Rich has it: a theme may name those of the terminal, which Rich writes without the prefix."""
        return self.variables.get(name, "default").split()[0].removeprefix("ansi_")

    def solid(self, name: Literal["background", "foreground"]) -> str:
        """The colour of the screen or of its text as numbers, also where the theme leaves it to the terminal."""
        colour = self.colour(name)
        return _TERMINAL[self.colour(f"ansi-{name}")] if colour == "default" else colour

    def ink(self, name: str = "foreground", on: str = "", bold: bool = False) -> Style:
        """Text in a colour of the theme, on another where `on` names one."""
        return Style(color=self.colour(name), bgcolor=self.colour(on) if on else None, bold=bold or None)

    def section(self, section: Section) -> str:
        return self.colour(f"section-{section}")

    def chip(self, section: Section) -> Style:
        """Text on the colour of a section."""
        return Style(color=CHIP_INK, bgcolor=self.section(section), bold=True)

    @property
    def mark(self) -> Style:
        """What is looked for: told apart by more than its colour."""
        return Style(color=self.solid("background"), bgcolor=self.colour("warning"), bold=True, underline=True)

    @property
    def current_mark(self) -> Style:
        """The one of them that was gone to."""
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


def mark_of(window: Window) -> str:
    """The sign before a window's tokens where some of them are estimated."""
    return tokens.mark(window.size.certainty)
