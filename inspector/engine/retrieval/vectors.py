"""Search by meaning: documents whose vectors lie close to that of the query. Needs numpy (extra `semantic`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import log
from threading import Lock
from typing import Any, Generic

from inspector.engine.retrieval.base import Embedder, FloatArray, K, Match, ScorePart, WordEmbedder
from inspector.engine.retrieval.query_words import INDEXED, beginning, words_in

_EMBEDDED = 2_000
"""Characters of a text that are embedded: the mean of many more words says little, and costs as much again."""
_DIGITS = 6
"""Decimals of a score: beyond them float32 depends on the place of a row."""


@dataclass(frozen=True, slots=True)
class _Rows(Generic[K]):
    """Documents with their vectors. Rows of the matrix behind the last document are room for more."""

    places: Mapping[K, int] = field(default_factory=dict)
    """The row of each document, the oldest first."""
    matrix: FloatArray | None = None


class VectorIndex(Generic[K]):
    """Ranks documents by the cosine of their vector and the query's. Those that point another way are no matches.

    With `count` (how many of the documents hold a word) the rare words of a query count for more, where the embedder
    can weigh words: in a conversation, the names of those who speak stand everywhere. No search waits for `hold`.
    """

    name = "embedding"

    def __init__(self, embedder: Embedder, count: Callable[[str], int] | None = None) -> None:
        self._embedder = embedder
        self._count = count
        self._lock = Lock()
        self._rows: _Rows[K] = _Rows()

    def __len__(self) -> int:
        return len(self._rows.places)

    def hold(self, documents: Mapping[K, str]) -> None:
        """See `Index.hold`. Raises EmbeddingError when the embedder does, and then holds what it held before."""
        with self._lock:
            if list(self._rows.places) != list(documents):
                self._rows = self._rows_of(documents)

    def put(self, vectors: Mapping[K, FloatArray]) -> None:
        """Hold just these documents, the oldest first, whose vectors are known already."""
        import numpy as np

        with self._lock:
            matrix = np.stack(list(vectors.values())).astype(np.float32, copy=False) if vectors else None
            self._rows = _Rows({key: row for row, key in enumerate(vectors)}, matrix)

    def search(self, query: str, limit: int, among: Collection[K] | None = None) -> list[Match[K]]:
        """See `Index.search`. Raises EmbeddingError when the embedder does."""
        rows = self._rows
        if limit <= 0 or rows.matrix is None or not query.strip():
            return []
        places = rows.places
        allowed = None if among is None else sorted({places[key] for key in among if key in places})
        best = _nearest(rows.matrix[: len(places)], self._vector_of(query), limit, allowed)
        keys = list(places)
        return [
            Match(keys[row], score, (ScorePart(self.name, score, rank),)) for rank, (row, score) in enumerate(best, 1)
        ]

    def _vector_of(self, query: str) -> FloatArray:
        if self._count is not None and isinstance(self._embedder, WordEmbedder):
            size = len(self) + 1
            counts = {word: self._count(word) for word in words_in(query[:INDEXED])}
            weights = {word: log(size / max(1, count)) for word, count in counts.items() if count < size}
            if any(weights.values()):
                return self._embedder.embed_words(weights)
        return self._embedder.embed([embedded_text(query)])[0]

    def _rows_of(self, documents: Mapping[K, str]) -> _Rows[K]:
        """The rows of documents: those that are there, and new ones."""
        import numpy as np

        places = {key: row for row, key in enumerate(documents)}
        old, matrix = self._rows.places, self._rows.matrix
        new = [key for key in places if key not in old]
        vectors = (
            self._embedder.embed([embedded_text(documents[key]) for key in new])
            if new
            else np.zeros((0, 0), np.float32)
        )
        if matrix is None or len(places) > len(matrix) or list(places)[: len(old)] != list(old):
            matrix = self._moved(places, vectors.shape[1])
        if new:
            matrix[[places[key] for key in new]] = vectors  # of rows that no search reads yet
        return _Rows(places, matrix)

    def _moved(self, places: Mapping[K, int], width: int) -> FloatArray:
        """A matrix with room for more, and in it the vectors that are there already in their new rows."""
        import numpy as np

        old, matrix = self._rows.places, self._rows.matrix
        rows = len(places) + len(places) // 2
        if matrix is None:
            return np.zeros((rows, width), np.float32)
        moved = np.zeros((rows, matrix.shape[1]), np.float32)
        stay = [key for key in old if key in places]
        moved[[places[key] for key in stay]] = matrix[[old[key] for key in stay]]
        return moved


def _nearest(
    matrix: FloatArray, vector: FloatArray, limit: int, among: Collection[int] | None
) -> list[tuple[int, float]]:
    """The rows with the largest products above 0, each with it; of equals the first rows first."""
    import numpy as np

    rows: Any = None if among is None else np.fromiter(among, np.intp, len(among))
    scores = np.round(matrix @ vector, _DIGITS)
    if rows is not None:
        scores = scores[rows]
    places = np.flatnonzero(scores > 0)
    if len(places) > limit:
        values = scores[places]
        least = values[np.argpartition(-values, limit - 1)[limit - 1]]
        places = places[values >= least]
    places = places[np.argsort(-scores[places], kind="stable")][:limit]
    return [(int(place if rows is None else rows[place]), float(scores[place])) for place in places]


def embedded_text(text: str) -> str:
    """What of a text is embedded."""
    return beginning(text, _EMBEDDED)


def to_blob(vector: FloatArray) -> bytes:
    """A vector as little-endian float32."""
    return bytes(vector.astype("<f4", copy=False).tobytes())


def from_blob(blob: bytes) -> FloatArray:
    """The vector of a BLOB. Raises ValueError where it is none."""
    import numpy as np

    return np.frombuffer(blob, "<f4").astype(np.float32, copy=False)
