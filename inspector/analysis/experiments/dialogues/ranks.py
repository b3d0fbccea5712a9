"""How well two rows of numbers agree in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Spearman's rank correlation, from -1 to 1, equal values at the mean of their ranks.

    None where either row says nothing: fewer than two values, or all of them equal.
    """
    first, second = _ranks(left), _ranks(right)
    middle = (len(first) + 1) / 2
    shared = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = sqrt(sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second))
    return shared / spread if spread else None


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1, those that are equal at the mean of theirs."""
    counts, ranks, below = Counter(values), dict[float, float](), 0
    for value in sorted(counts):
        ranks[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    return [ranks[value] for value in values]
