"""Rank correlation of two sequences."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from math import sqrt

_FEWEST_VALUES = 3


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, from -1 to 1. Equal values get the mean of their ranks.

    None if a sequence has fewer than three values, or only equal ones: two are always in one order or the other.
    """
    if len(left) < _FEWEST_VALUES:
        return None
    first, second = _ranks(left), _ranks(right)
    middle = (len(first) + 1) / 2
    shared = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = sqrt(sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second))
    return shared / spread if spread else None


_DRAWS = 1_000
_FEWEST = 4
"""Rows below which an interval means nothing."""


def spearman_interval(left: Sequence[float], right: Sequence[float], seed: int = 1) -> tuple[float, float] | None:
    """Return the 95% interval of the rank correlation if the pairs are drawn again; None for fewer than four pairs.

    Args:
        left: Values.
        right: As many other values.
        seed: Seed of the draws.
    """
    pairs = list(zip(left, right, strict=True))
    if len(pairs) < _FEWEST or spearman(left, right) is None:
        return None
    chance = random.Random(seed)
    draws = [spearman(*zip(*chance.choices(pairs, k=len(pairs)), strict=True)) for _ in range(_DRAWS)]
    values = sorted(value for value in draws if value is not None)
    edge = len(values) // 40
    return round(values[edge], 4), round(values[-1 - edge], 4)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1; equal values get the mean of their ranks."""
    counts, ranks, below = Counter(values), dict[float, float](), 0
    for value in sorted(counts):
        ranks[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    return [ranks[value] for value in values]
