"""Search in a conversation, where the answer is often next to the message with the query's words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Generic

from inspector.engine.retrieval.base import Index, K, Match, ScorePart

_SHARES = ((0, 1.0), (1, 0.5), (2, 0.25), (-1, 0.3), (-2, 0.09))
"""Distance from a match, and the fraction of its score added there. Answers follow their question."""
_DEPTH = 200
"""Minimum number of matches to request."""


class NeighbourIndex(Generic[K]):
    """Wraps an index so that documents share their score with their neighbours in document order."""

    def __init__(self, index: Index[K]) -> None:
        self.name = index.name
        self._index = index
        self._keys: list[K] = []
        self._places: dict[K, int] = {}

    def __len__(self) -> int:
        return len(self._index)

    def hold(self, documents: Mapping[K, str]) -> None:
        """See `Index.hold`."""
        self._index.hold(documents)
        self._keys = list(documents)
        self._places = {key: place for place, key in enumerate(self._keys)}

    def search(self, query: str, limit: int, among: Collection[K] | None = None) -> list[Match[K]]:
        """See `Index.search`. Documents outside `among` share their score as well."""
        if limit <= 0:
            return []
        places = self._places
        allowed = None if among is None else {places[key] for key in among if key in places}
        near = None if allowed is None else self._near(allowed)
        scores = self._scores(self._index.search(query, max(_DEPTH, 2 * limit), near))
        meant = scores if allowed is None else scores.keys() & allowed
        best = sorted(meant, key=lambda place: (-scores[place], place))[:limit]
        return [
            Match(self._keys[place], scores[place], (ScorePart(self.name, scores[place], rank),))
            for rank, place in enumerate(best, 1)
        ]

    def _scores(self, matches: Sequence[Match[K]]) -> dict[int, float]:
        """Return the scores of documents by position, including shares of their neighbours."""
        scores: dict[int, float] = {}
        for match in matches:
            place = self._places.get(match.key)
            if place is not None:
                for distance, share in _SHARES:
                    scores[place + distance] = scores.get(place + distance, 0.0) + share * match.score
        size = len(self._keys)
        return {place: score for place, score in scores.items() if 0 <= place < size}

    def _near(self, places: Collection[int]) -> set[K]:
        """Return the documents that share their score with any of these positions."""
        near = {place - distance for place in places for distance, _ in _SHARES}
        return {self._keys[place] for place in near if 0 <= place < len(self._keys)}
