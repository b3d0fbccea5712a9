"""Comparison of sequences."""

from __future__ import annotations

from collections.abc import Collection


def common_start(first: Collection[object], second: Collection[object]) -> int:
    """Return the number of elements with which two ordered collections begin alike."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))
