"""Search by meaning: find documents whose vectors are close to the query's. Needs numpy (extra `semantic`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import log
from threading import Lock
from typing import Any, Generic

from inspector.engine.retrieval.base import Embedder, FloatArray, K, Match, ScorePart, WordEmbedder
from inspector.engine.retrieval.query_words import INDEXED, beginning, words_in

_EMBEDDED = 2_000
"""Number of leading characters of a text to embed. The mean of many more words is unspecific and costs more."""
_DIGITS = 6
"""Decimals of a score. Beyond them, float32 results depend on the position of a row."""


@dataclass(frozen=True, slots=True)
class _Rows(Generic[K]):
    """Documents with their vectors. Matrix rows after the last document are spare."""

    places: Mapping[K, int] = field(default_factory=dict)
    """Row of each document, oldest first."""
    matrix: FloatArray | None = None


class VectorIndex(Generic[K]):
    """Ranks documents by the cosine of their vector and the query's. Only positive values are matches.

    If `count` is given and the embedder can weight words, rare words of a query count more, because the names of the
    speakers occur everywhere in a conversation. Searches never wait for `hold`.

    Args:
        embedder: Converts texts to vectors.
        count: Returns the number of documents that contain a word.
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
        """See `Index.hold`.

        Raises:
            EmbeddingError: The embedder failed. The index is then unchanged.
        """
        with self._lock:
            if list(self._rows.places) != list(documents):
                self._rows = self._rows_of(documents)

    def put(self, vectors: Mapping[K, FloatArray]) -> None:
        """Replace the indexed documents by these, oldest first, with known vectors."""
        import numpy as np

        with self._lock:
            matrix = np.stack(list(vectors.values())).astype(np.float32, copy=False) if vectors else None
            self._rows = _Rows({key: row for row, key in enumerate(vectors)}, matrix)

    def search(self, query: str, limit: int, among: Collection[K] | None = None) -> list[Match[K]]:
        """See `Index.search`.

        Raises:
            EmbeddingError: The embedder failed.
        """
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
        """Return the rows of documents, reusing the existing ones."""
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
            matrix[[places[key] for key in new]] = vectors  # only rows that no search reads yet
        return _Rows(places, matrix)

    def _moved(self, places: Mapping[K, int], width: int) -> FloatArray:
        """Return a larger matrix with the existing vectors in their new rows."""
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
    """Return the rows with the largest positive products and these products; among equals, the first rows first."""
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
    """Return the part of a text that is embedded."""
    return beginning(text, _EMBEDDED)


def to_blob(vector: FloatArray) -> bytes:
    """Return a vector as little-endian float32."""
    return bytes(vector.astype("<f4", copy=False).tobytes())


def from_blob(blob: bytes) -> FloatArray:
    """Return the vector in a BLOB.

    Raises:
        ValueError: The BLOB is not a float32 array.
    """
    import numpy as np

    return np.frombuffer(blob, "<f4").astype(np.float32, copy=False)
