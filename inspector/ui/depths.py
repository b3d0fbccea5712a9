"""What a terminal can show of a colour, and the last step before it: words that could not be read are made legible.

A theme says what everything should look like. Here each run of text gets colours that the terminal has, and where
letters or digits stand out too little from what they stand on, on a cursor's line for example, as much white or black
as it takes. That holds for every widget and every theme, because it is done to what they have painted.
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

from inspector.ui.contrast import RGB, WORDS, blend, contrast, legible, nearest

Depth = Literal["truecolor", "256", "16"]
"""The colours of a terminal: any, a fixed table of 256, or the 16 that have names."""
_DEPTHS: Mapping[str | None, Depth] = {"truecolor": "truecolor", "256": "256"}
_WORD = re.compile(r"[^\W_]")
_DIM = 0.5
"""How much of a dim colour is left."""
_LOW, _HIGH = (0, 170), (85, 255)
SIXTEEN: Sequence[RGB] = tuple(
    (high if number & 1 else low, 85 if number == 3 else high if number & 2 else low, high if number & 4 else low)
    for number, (low, high) in enumerate([_LOW] * 8 + [_HIGH] * 8)
)
"""What the colours with names look like, about: those of the VGA. Terminals differ, but not in which is dark."""


def terminal_depth() -> Depth:
    """What the terminal says of itself by TERM and COLORTERM; the fewest colours where it says nothing."""
    system: Any = COLOR_SYSTEM
    console = Console(color_system=system, force_terminal=True, legacy_windows=False)
    return _DEPTHS.get(console.color_system, "16")


@lru_cache(maxsize=1)
def _cube() -> Sequence[RGB]:
    """The colours 16 to 255, which look the same in every terminal."""
    return tuple(as_numbers(RichColor.from_ansi(number)) for number in range(16, 256))


def as_numbers(colour: RichColor) -> RGB:
    """A colour as it is shown, where it has a name about so."""
    if colour.type is ColorType.STANDARD and colour.number is not None:
        return SIXTEEN[colour.number]
    red, green, blue = colour.get_truecolor()
    return red, green, blue


class LegibleWords(LineFilter):
    """Gives each run of text colours that the terminal has, and words a contrast of 4.5 to 1.

    Without `lifts`, words stay as faint as they are.
    """

    def __init__(self, depth: Depth = "truecolor", lifts: bool = True) -> None:
        super().__init__()
        self.depth = depth
        self.lifts = lifts
        self.behind = LegibleWords(depth, lifts=False) if lifts else self
        """The same for a screen that lies behind a dialog, where words need not be read."""
        self._styles: LRUCache[tuple[Style, Color | None], tuple[Style, Style]] = LRUCache(2048)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if self.depth == "truecolor" and not self.lifts:
            return segments
        return [self._mend(segment, background) for segment in segments]

    def _mend(self, segment: Segment, background: Color) -> Segment:
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
        """The style of a run without a word and of one with words; the same object where they are alike."""
        ground = _known(style.bgcolor or background.rich_color)
        if ground is None:
            return style, style  # the terminal decides what it looks like, and nobody knows
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
        """The same in the colours of a table."""
        table, first = (_cube(), 16) if self.depth == "256" else (SIXTEEN, 0)
        below = nearest(ground, table)
        if style.bgcolor is not None:
            style += Style(bgcolor=RichColor.from_ansi(first + below))
        if ink is None:
            return style, style
        mark = nearest(ink, table)
        word = self._word(ink, table, table[below]) if self.lifts else mark
        marks = style + _ink(RichColor.from_ansi(first + mark))
        return marks, marks if word == mark else style + _ink(RichColor.from_ansi(first + word))

    def _word(self, ink: RGB, table: Sequence[RGB], ground: RGB) -> int:
        """The place of the colour for words. Of 16, each terminal has its own: on a coloured one, only black and white
        can be trusted."""
        if self.depth == "16" and ground not in (SIXTEEN[0], SIXTEEN[-1]):
            return max((0, len(SIXTEEN) - 1), key=lambda place: contrast(SIXTEEN[place], ground))
        return nearest(ink, table, ground)


def _ink(colour: RichColor) -> Style:
    return Style(color=colour)


def _known(colour: RichColor) -> RGB | None:
    """A colour as numbers; None for one of the terminal's own."""
    return None if colour.type in (ColorType.DEFAULT, ColorType.STANDARD) else as_numbers(colour)
