"""Combine rankings by reciprocal rank fusion: https://plg.uwaterloo.ca/~gvcormac/cormacksigir09-rrf.pdf"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Generic

from inspector.engine.retrieval.base import Index, K, Match, ScorePart

_DEPTH = 4
"""Number of results to request from each ranking, as a multiple of the limit."""
_MIN_DEPTH = 50


class FusedIndex(Generic[K]):
    """Combines rankings. A document's score is the sum of weight / (`k` + rank) over the rankings that contain it.

    Args:
        indexes: The rankings to combine.
        k: Constant of the fusion.
        weights: Weight of each ranking; 1 by default.
    """

    name = "fused"

    def __init__(self, indexes: Sequence[Index[K]], k: float = 60.0, weights: Sequence[float] = ()) -> None:
        self._indexes = tuple(indexes)
        self._weights = tuple(weights) or (1.0,) * len(self._indexes)
        self._k = k
        self._places: dict[K, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def hold(self, documents: Mapping[K, str]) -> None:
        """See `Index.hold`."""
        self._places = {key: place for place, key in enumerate(documents)}
        for index in self._indexes:
            index.hold(documents)

    def search(self, query: str, limit: int, among: Collection[K] | None = None) -> list[Match[K]]:
        """See `Index.search`. Each match has the parts of all rankings that contain it."""
        if limit <= 0:
            return []
        depth = max(_MIN_DEPTH, limit * _DEPTH)
        parts: dict[K, tuple[ScorePart, ...]] = {}
        scores: dict[K, float] = {}
        for index, weight in zip(self._indexes, self._weights, strict=True):
            for rank, match in enumerate(index.search(query, depth, among), 1):
                parts[match.key] = parts.get(match.key, ()) + match.parts
                scores[match.key] = scores.get(match.key, 0.0) + weight / (self._k + rank)
        places = self._places
        best = sorted(scores, key=lambda key: (-scores[key], places.get(key, len(places))))[:limit]
        return [Match(key, scores[key], parts[key]) for key in best]
