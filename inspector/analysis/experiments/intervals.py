"""Intervals of means over sessions, whose values are drawn again session by session."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from inspector.core.json_objects import json_object

_DRAWS = 1_000
"""Number of resamples for an interval."""


@json_object("Interval", "mean low high", about="A mean over sessions with its 95% interval.")
@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95% interval."""

    mean: float
    low: Annotated[float, "lower end; the mean itself for a single session"]
    high: Annotated[float, "upper end"]


def mean_interval(groups: Sequence[Sequence[float]], seed: int = 1) -> Interval:
    """Return the mean of all values with its 95% interval when sessions are drawn again.

    Args:
        groups: The values of each session, at least one in all.
        seed: Seed of the draws.
    """
    chance = random.Random(seed)
    draws = range(_DRAWS if len(groups) > 1 else 1)
    means = sorted(_mean(chance.choices(groups, k=len(groups))) for _ in draws)
    edge = len(means) // 40
    return Interval(_mean(groups), means[edge], means[-1 - edge])


def _mean(groups: Sequence[Sequence[float]]) -> float:
    values = [value for group in groups for value in group]
    return sum(values) / len(values)
