"""Rank correlation of two sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, from -1 to 1. Equal values get the mean of their ranks.

    None if a sequence has fewer than two values, or only equal ones.
    """
    first, second = _ranks(left), _ranks(right)
    middle = (len(first) + 1) / 2
    shared = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = sqrt(sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second))
    return shared / spread if spread else None


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1; equal values get the mean of their ranks."""
    counts, ranks, below = Counter(values), dict[float, float](), 0
    for value in sorted(counts):
        ranks[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    return [ranks[value] for value in values]
