"""Colours and signs: the same thing is always said twice, once by hue and once by a letter or glyph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.style import Style
from textual.theme import Theme

from inspector import tokens

if TYPE_CHECKING:
    from inspector.window import FateKind, Section, Window

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

_SECTION_COLOURS = {
    "section-system": "#56b4e9",
    "section-memory": "#cc79a7",
    "section-tools": "#e69f00",
    "section-history": "#7396e0",
    "section-input": "#f0e442",
    "section-scratchpad": "#2fbf9b",
}
"""Okabe and Ito's palette, told apart by every common kind of colour vision; History is lightened for dark screens."""

_LIGHT_SECTION_COLOURS = _SECTION_COLOURS | {
    "section-system": "#2f8fc4",
    "section-history": "#4f74c8",
    "section-input": "#d9c400",
    "section-scratchpad": "#0f9f7c",
}
_MUTED = {
    "ink-muted": "#8b93a3",
    "ink-faint": "#69707f",
    "line": "#2a2f3a",
    "cursor-line": "#26324a",
    "cursor-line-blurred": "#1d2430",
    "trough": "#1e232d",
}
_LIGHT_MUTED = {
    "ink-muted": "#5c6470",
    "ink-faint": "#777f8b",
    "line": "#c9ced6",
    "cursor-line": "#cfdcf5",
    "cursor-line-blurred": "#e2e7f0",
    "trough": "#e2e5ea",
}

DARK = Theme(
    name="inspector-dark",
    primary="#7aa2f7",
    secondary="#7aa2f7",
    accent="#7aa2f7",
    warning="#e0af68",
    error="#f07178",
    success="#5fd38d",
    foreground="#d8dee9",
    background="#0f1218",
    surface="#161a22",
    panel="#1c212b",
    dark=True,
    variables={
        **_SECTION_COLOURS,
        **_MUTED,
        "footer-background": "#161a22",
        "footer-key-foreground": "#7aa2f7",
        "footer-description-foreground": "#8b93a3",
        "footer-key-background": "#161a22",
        "footer-description-background": "#161a22",
        "block-cursor-text-style": "none",
    },
)
LIGHT = Theme(
    name="inspector-light",
    primary="#3058b0",
    secondary="#3058b0",
    accent="#3058b0",
    warning="#9a6a00",
    error="#b3261e",
    success="#1b7f46",
    foreground="#1f2430",
    background="#fafbfc",
    surface="#f0f2f5",
    panel="#e6e9ee",
    dark=False,
    variables={**_LIGHT_SECTION_COLOURS, **_LIGHT_MUTED},
)

CHIP_INK = "#10131a"
"""Text on the colour of a section."""
_TERMINAL = {"black": "#000000", "white": "#ffffff", "default": "#808080"}
"""What a terminal's colours look like, about."""


def own_variables(theme: Theme) -> dict[str, str]:
    """The colours of ours that a theme from elsewhere does not name, for a dark or a light screen."""
    return {**_SECTION_COLOURS, **_MUTED} if theme.dark else {**_LIGHT_SECTION_COLOURS, **_LIGHT_MUTED}


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
    return "≈" if any(tokens.mark(size.certainty) for size in window.breakdown.values()) else ""
