"""Adapt colours to the terminal's colour depth, and raise the contrast of text that would be unreadable.

A theme defines the intended colours. The line filter in this module maps them to colours that the terminal has. Letters
and digits with too little contrast, for example on a cursor line, are mixed with as much white or black as needed. The
filter works on painted output, so it covers every widget and every theme.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from rich.color import Color as RichColor, ColorType
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.color import Color
from textual.constants import COLOR_SYSTEM
from textual.filter import LineFilter

Depth = Literal["truecolor", "256", "16"]
"""Colour depth of a terminal: any colour, a fixed table of 256, or the 16 named ones."""
_DEPTHS: Mapping[str | None, Depth] = {"truecolor": "truecolor", "256": "256"}
_WORD = re.compile(r"[^\W_]")
_DIM = 0.5
"""Share of a dim colour that remains after mixing it with the background."""
_LOW, _HIGH = (0, 170), (85, 255)
SIXTEEN: Sequence[RGB] = tuple(
    (high if number & 1 else low, 85 if number == 3 else high if number & 2 else low, high if number & 4 else low)
    for number, (low, high) in enumerate([_LOW] * 8 + [_HIGH] * 8)
)
"""Approximate RGB values of the 16 named colours (VGA). Terminals differ, but agree on which ones are dark."""
RGB = tuple[int, int, int]
WORDS = 4.5
"""Minimum contrast of letters and digits with their background (WCAG 2, level AA)."""
MARKS = 3.0
"""Minimum contrast of bars and other marks."""
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)


def terminal_depth() -> Depth:
    """Return the colour depth announced by TERM and COLORTERM, or the lowest one if they announce none."""
    system: Any = COLOR_SYSTEM
    console = Console(color_system=system, force_terminal=True, legacy_windows=False)
    return _DEPTHS.get(console.color_system, "16")


@lru_cache(maxsize=1)
def _cube() -> Sequence[RGB]:
    """Return the colours 16 to 255, which look the same in every terminal."""
    return tuple(as_numbers(RichColor.from_ansi(number)) for number in range(16, 256))


def as_numbers(colour: RichColor) -> RGB:
    """Return the RGB value of a colour; approximate for the 16 named ones."""
    if colour.type is ColorType.STANDARD and colour.number is not None:
        return SIXTEEN[colour.number]
    red, green, blue = colour.get_truecolor()
    return red, green, blue


class LegibleWords(LineFilter):
    """A line filter that maps colours to the terminal's depth and gives words a contrast of 4.5 to 1.

    With `lifts` set to False, the contrast of words is not raised.
    """

    def __init__(self, depth: Depth = "truecolor", lifts: bool = True) -> None:
        super().__init__()
        self.depth = depth
        self.lifts = lifts
        self.covered = LegibleWords(depth, lifts=False) if lifts else self
        """Filter for a screen covered by a dialog, where words need not be readable."""
        self._styles: LRUCache[tuple[Style, Color | None], tuple[Style, Style]] = LRUCache(2048)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if self.depth == "truecolor" and not self.lifts:
            return segments
        return [self._adjust(segment, background) for segment in segments]

    def _adjust(self, segment: Segment, background: Color) -> Segment:
        text, style, control = segment
        if style is None or control:
            return segment
        key = style, background if style.bgcolor is None else None
        styles = self._styles.get(key)
        if styles is None:
            styles = self._styles[key] = self._marks_and_words(style, background)
        marks, words = styles
        if marks is not words and _WORD.search(text):
            return Segment(text, words)
        return segment if marks is style else Segment(text, marks)

    def _marks_and_words(self, style: Style, background: Color) -> tuple[Style, Style]:
        """Return the styles for a run without words and for one with words; the same object if they do not differ."""
        ground = _known(style.bgcolor or background.rich_color)
        if ground is None:
            return style, style  # the terminal decides the colour, which is unknown here
        ink = _known(style.color) if style.color else None
        if ink is not None and style.dim:
            ink = blend(ink, ground, 1 - _DIM)
            style += _ink(RichColor.from_rgb(*ink)) + Style(dim=False)
        if self.depth != "truecolor":
            return self._limited(style, ink, ground)
        if ink is None or contrast(ink, ground) >= WORDS:
            return style, style
        return style, style + _ink(RichColor.from_rgb(*legible(ink, ground)))

    def _limited(self, style: Style, ink: RGB | None, ground: RGB) -> tuple[Style, Style]:
        """Return both styles in the colours of the terminal's table."""
        table, first = (_cube(), 16) if self.depth == "256" else (SIXTEEN, 0)
        below = _nearest(ground, table)
        if style.bgcolor is not None:
            style += Style(bgcolor=RichColor.from_ansi(first + below))
        if ink is None:
            return style, style
        mark = _nearest(ink, table)
        word = self._word(ink, table, table[below]) if self.lifts else mark
        marks = style + _ink(RichColor.from_ansi(first + mark))
        return marks, marks if word == mark else style + _ink(RichColor.from_ansi(first + word))

    def _word(self, ink: RGB, table: Sequence[RGB], ground: RGB) -> int:
        """Return the index of the colour for words.

        Each terminal defines the 16 colours itself, so on a coloured background only black and white are certain to be
        readable.
        """
        if self.depth == "16" and ground not in (SIXTEEN[0], SIXTEEN[-1]):
            return max((0, len(SIXTEEN) - 1), key=lambda place: contrast(SIXTEEN[place], ground))
        return _nearest(ink, table, ground)


def _ink(colour: RichColor) -> Style:
    return Style(color=colour)


def _known(colour: RichColor) -> RGB | None:
    """Return the RGB value of a colour, or None if the terminal defines it."""
    return None if colour.type in (ColorType.DEFAULT, ColorType.STANDARD) else as_numbers(colour)


@lru_cache(maxsize=1024)
def luminance(colour: RGB) -> float:
    """Return the relative luminance of a colour, from 0 for black to 1 for white."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (component / 255 for component in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: RGB, other: RGB) -> float:
    """Return the contrast of two colours, from 1 for equal ones to 21 for black and white."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def blend(colour: RGB, other: RGB, share: float) -> RGB:
    """Mix two colours.

    Args:
        colour: Colour at share 0.
        other: Colour at share 1.
        share: Proportion of `other`, from 0 to 1.
    """
    red, green, blue = (round(one + (two - one) * share) for one, two in zip(colour, other, strict=True))
    return red, green, blue


@lru_cache(maxsize=4096)
def legible(ink: RGB, ground: RGB, least: float = WORDS) -> RGB:
    """Return `ink`, mixed with as little white or black as it takes to be readable on `ground`.

    Args:
        ink: Colour of the text.
        ground: Colour of the background.
        least: Required contrast. If neither white nor black reaches it, the one with more contrast is returned.
    """
    if contrast(ink, ground) >= least:
        return ink
    ends = sorted((_BLACK, _WHITE), key=lambda end: contrast(end, ground))
    brighter = luminance(ink) > luminance(ground)
    same_side = _WHITE if brighter else _BLACK
    end = same_side if contrast(same_side, ground) >= least else ends[-1]
    low, high = 0.0, 1.0
    for _ in range(8):
        middle = (low + high) / 2
        if contrast(blend(ink, end, middle), ground) >= least:
            high = middle
        else:
            low = middle
    return blend(ink, end, high)


def _nearest(colour: RGB, choices: Sequence[RGB], ground: RGB | None = None, least: float = WORDS) -> int:
    """Return the index of the choice that looks most like a colour.

    Args:
        colour: Colour to approximate.
        choices: Colours to choose from.
        ground: Background on which the choice must be readable; None to allow every choice. If no choice is readable,
            the one with the most contrast is returned.
        least: Contrast from which a choice counts as readable.
    """
    places = [place for place in range(len(choices)) if ground is None or contrast(choices[place], ground) >= least]
    if not places and ground is not None:
        return max(range(len(choices)), key=lambda place: contrast(choices[place], ground))
    return min(places, key=lambda place: _distance(colour, choices[place]))


def _distance(one: RGB, other: RGB) -> float:
    """Return the approximate perceptual distance of two colours, by the redmean formula."""
    mean = (one[0] + other[0]) / 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue
