"""Search in a conversation, where what answers a question often stands beside what holds its words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Generic

from inspector.retrieval.base import Index, K, Match, ScorePart

_AFTER = (0.5, 0.25)
"""Shares of a document's score that the two after it get: an answer follows its question."""
_BEFORE = (0.3, 0.09)
"""Shares that the two before it get."""
_DEPTH = 200
"""Matches that are looked at, at least."""


class NeighbourIndex(Generic[K]):
    """Another index, whose documents lend their neighbours part of their score. The order in which they are held says
    which are neighbours."""

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
        """See `Index.search`. Those that are not asked for lend their score, too."""
        if limit <= 0:
            return []
        places = self._places
        allowed = None if among is None else {places[key] for key in among if key in places}
        near = None if allowed is None else {self._keys[other] for place in allowed for other, _ in self._around(place)}
        scores = self._scores(self._index.search(query, max(_DEPTH, 2 * limit), near))
        meant = scores if allowed is None else scores.keys() & allowed
        best = sorted(meant, key=lambda place: (-scores[place], place))[:limit]
        return [
            Match(self._keys[place], scores[place], (ScorePart(self.name, scores[place], rank),))
            for rank, place in enumerate(best, 1)
        ]

    def _scores(self, matches: Sequence[Match[K]]) -> dict[int, float]:
        """The scores of documents by their places, with what others lend them."""
        scores: dict[int, float] = {}
        for match in matches:
            if match.key in self._places:
                for place, share in self._around(self._places[match.key]):
                    scores[place] = scores.get(place, 0.0) + share * match.score
        return scores

    def _around(self, place: int) -> Iterator[tuple[int, float]]:
        """A place and those beside it, each with the share of its score that it gets."""
        yield place, 1.0
        for distance, share in enumerate(_AFTER, 1):
            if place + distance < len(self._keys):
                yield place + distance, share
        for distance, share in enumerate(_BEFORE, 1):
            if place >= distance:
                yield place - distance, share
