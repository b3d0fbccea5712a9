"""Which points nobody beats: of what costs little and gives much, those where less cost means less gain."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf


def pareto_front(points: Sequence[tuple[float, float]]) -> tuple[bool, ...]:
    """For each (cost, gain) whether it is on the front.

    A point is on it when no other costs at most as much and gives at least as much, and is better in one of the two.
    Points that are the same are on it together.
    """
    order = sorted(range(len(points)), key=lambda place: (points[place][0], -points[place][1]))
    front = [False] * len(points)
    best, at = -inf, None
    for place in order:
        cost, gain = points[place]
        if gain > best:
            best, at = gain, cost
        front[place] = gain == best and cost == at
    return tuple(front)
