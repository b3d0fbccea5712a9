"""The app's dark and light themes, each for many colours and for the 16 of a plain terminal.

By the contrast of `inspector.ui.depths`, bars and other marks have at least 3 to 1 with the screen, and muted and
faint words at least 4.5 to 1, also in dialogs. `inspector.ui.depths` raises the contrast where it is lower, for example
on a cursor line or in a third-party theme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.theme import Theme

if TYPE_CHECKING:
    from inspector.ui.depths import Depth

_DARK = {
    "section-system": "#56b4e9",
    "section-memory": "#cc79a7",
    "section-tools": "#e69f00",
    "section-history": "#7396e0",
    "section-input": "#f0e442",
    "section-scratchpad": "#2fbf9b",
    "ink-muted": "#a3abba",
    "ink-faint": "#868e9c",
    "line": "#2a2f3a",
    "cursor-line": "#26324a",
    "cursor-line-blurred": "#1d2430",
    "trough": "#1e232d",
}
"""Palette of Okabe and Ito, distinct for all common kinds of colour vision, with a lighter History for dark screens."""
_LIGHT = {
    "section-system": "#2f8fc4",
    "section-memory": "#c4689a",
    "section-tools": "#d06500",
    "section-history": "#4f74c8",
    "section-input": "#a08c00",
    "section-scratchpad": "#0f9f7c",
    "ink-muted": "#4d5561",
    "ink-faint": "#646b77",
    "line": "#c9ced6",
    "cursor-line": "#cfdcf5",
    "cursor-line-blurred": "#e2e7f0",
    "trough": "#e2e5ea",
}
"""The same hues, dark enough for bars on white."""
_DARK_16 = {
    "section-system": "#55ffff",
    "section-memory": "#ff55ff",
    "section-tools": "#ffff55",
    "section-history": "#5555ff",
    "section-input": "#ffffff",
    "section-scratchpad": "#00aa00",
    "ink-muted": "#aaaaaa",
    "ink-faint": "#aaaaaa",
    "line": "#555555",
    "cursor-line": "#0000aa",
    "cursor-line-blurred": "#555555",
    "trough": "#555555",
}
_LIGHT_16 = {
    "section-system": "#00aaaa",
    "section-memory": "#aa00aa",
    "section-tools": "#aa0000",
    "section-history": "#0000aa",
    "section-input": "#555555",
    "section-scratchpad": "#00aa00",
    "ink-muted": "#555555",
    "ink-faint": "#555555",
    "line": "#aaaaaa",
    "cursor-line": "#55ffff",
    "cursor-line-blurred": "#aaaaaa",
    "trough": "#aaaaaa",
}
"""Without brown, which many terminals show as yellow."""
_OWN: Mapping[tuple[bool, bool], Mapping[str, str]] = {
    (True, False): _DARK,
    (False, False): _LIGHT,
    (True, True): _DARK_16,
    (False, True): _LIGHT_16,
}
"""Custom variables, by whether the screen is dark and whether there are only 16 colours."""


def own_variables(theme: Theme, depth: Depth) -> dict[str, str]:
    """Return the custom variables that a third-party theme does not define, for a dark or a light screen.

    With 16 colours there are no shades, so a border separates dialogs from the screen below.
    """
    edge = ("round", "0 1") if depth == "16" else ("none", "1 2")
    return {**_OWN[theme.dark, depth == "16"], "dialog-edge": edge[0], "dialog-padding": edge[1]}


def own_themes(depth: Depth) -> Sequence[Theme]:
    """Return the dark and the light theme in colours that the terminal has."""
    return (_DARK_THEME_16, _LIGHT_THEME_16) if depth == "16" else (DARK, LIGHT)


def _variables(own: Mapping[str, str], surface: str, primary: str) -> dict[str, str]:
    return {
        **own,
        "text-muted": own["ink-muted"],
        "text-disabled": own["ink-faint"],
        "footer-background": surface,
        "footer-key-foreground": primary,
        "footer-description-foreground": own["ink-muted"],
        "footer-key-background": surface,
        "footer-description-background": surface,
        "block-cursor-text-style": "none",
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
    variables=_variables(_DARK, "#161a22", "#7aa2f7"),
)
LIGHT = Theme(
    name="inspector-light",
    primary="#3058b0",
    secondary="#3058b0",
    accent="#3058b0",
    warning="#7f5700",
    error="#b3261e",
    success="#17703d",
    foreground="#1f2430",
    background="#fafbfc",
    surface="#f0f2f5",
    panel="#e6e9ee",
    dark=False,
    variables=_variables(_LIGHT, "#f0f2f5", "#3058b0"),
)
_DARK_THEME_16 = Theme(
    name=DARK.name,
    primary="#55ffff",
    secondary="#55ffff",
    accent="#55ffff",
    warning="#ffff55",
    error="#ff5555",
    success="#55ff55",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    dark=True,
    variables=_variables(_DARK_16, "#000000", "#55ffff"),
)
_LIGHT_THEME_16 = Theme(
    name=LIGHT.name,
    primary="#0000aa",
    secondary="#0000aa",
    accent="#0000aa",
    warning="#aa0000",
    error="#aa0000",
    success="#00aa00",
    foreground="#000000",
    background="#ffffff",
    surface="#ffffff",
    panel="#ffffff",
    dark=False,
    variables=_variables(_LIGHT_16, "#ffffff", "#0000aa"),
)
