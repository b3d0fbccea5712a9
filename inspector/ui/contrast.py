"""Contrast between two colours by the formula of WCAG 2, and colours that are readable on a background."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

RGB = tuple[int, int, int]
WORDS = 4.5
"""Minimum contrast of letters and digits with their background (WCAG 2, level AA)."""
MARKS = 3.0
"""Minimum contrast of bars and other marks."""
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)


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


def nearest(colour: RGB, choices: Sequence[RGB], ground: RGB | None = None, least: float = WORDS) -> int:
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
