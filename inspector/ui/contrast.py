"""How far two colours stand apart for an eye, by the formula of WCAG 2, and which colour next to one can be read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

RGB = tuple[int, int, int]
WORDS = 4.5
"""The least contrast of letters and digits with what they stand on (WCAG 2, level AA)."""
MARKS = 3.0
"""The same for bars and other marks."""
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)


@lru_cache(maxsize=1024)
def luminance(colour: RGB) -> float:
    """From 0 for black to 1 for white."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (component / 255 for component in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: RGB, other: RGB) -> float:
    """From 1 for the same colour to 21 for black and white."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def blend(colour: RGB, other: RGB, share: float) -> RGB:
    """`colour` with a share of another one."""
    red, green, blue = (round(one + (two - one) * share) for one, two in zip(colour, other, strict=True))
    return red, green, blue


@lru_cache(maxsize=4096)
def legible(ink: RGB, ground: RGB, least: float = WORDS) -> RGB:
    """`ink` itself where it has that contrast with `ground`, else with as little white or black in it as it takes."""
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


def nearest(colour: RGB, choices: Sequence[RGB], ground: RGB | None = None, least: float = WORDS) -> int:
    """The place of the choice that looks most like a colour; with a `ground`, of those that can be read on it."""
    places = [place for place in range(len(choices)) if ground is None or contrast(choices[place], ground) >= least]
    if not places and ground is not None:
        return max(range(len(choices)), key=lambda place: contrast(choices[place], ground))
    return min(places, key=lambda place: _distance(colour, choices[place]))


def _distance(one: RGB, other: RGB) -> float:
    """How unlike two colours look, about; the eye sees green better than blue, and red less where there is little."""
    mean = (one[0] + other[0]) / 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue
