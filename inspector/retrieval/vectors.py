"""Search by meaning: documents whose vectors lie close to that of the query. Needs numpy (extra `semantic`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from threading import Lock
from typing import Generic

from inspector.retrieval.base import Embedder, FloatArray, K, Match, ScorePart

_EMBEDDED = 2_000
"""Characters of a text that are embedded: the mean of many more words says little, and costs as much again."""
_DIGITS = 6
"""Decimals of a score: beyond them float32 depends on the place of a row."""


class VectorIndex(Generic[K]):
    """Ranks documents by the cosine of their vector and the query's. Those that point another way are no matches."""

    name = "embedding"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = Lock()
        self._rows: dict[K, int] = {}
        """The row of each document, in the order of the documents; the rows of the matrix are in the same order."""
        self._matrix: FloatArray | None = None
        """Vectors, with room for more at its end."""

    def __len__(self) -> int:
        return len(self._rows)

    def hold(self, documents: Mapping[K, str]) -> None:
        """See `Index.hold`. Raises EmbeddingError when the embedder does."""
        with self._lock:
            self._replace(documents)

    def put(self, vectors: Mapping[K, FloatArray]) -> None:
        """Hold just these documents, the oldest first, whose vectors are known already."""
        import numpy as np

        with self._lock:
            self._rows = {key: row for row, key in enumerate(vectors)}
            rows = list(vectors.values())
            self._matrix = np.stack(rows).astype(np.float32, copy=False) if rows else None

    def search(self, query: str, limit: int, among: Collection[K] | None = None) -> list[Match[K]]:
        """See `Index.search`. Raises EmbeddingError when the embedder does."""
        if limit <= 0 or not self._rows or not query.strip():
            return []
        vector = self._embedder.embed([_clip(query)])[0]
        with self._lock:
            return self._closest(vector, limit, among)

    def _replace(self, documents: Mapping[K, str]) -> None:
        import numpy as np

        keys = list(documents)
        old = list(self._rows)
        if keys == old:
            return
        size = len(old)
        if keys[:size] != old:
            kept = [key for key in keys if key in self._rows]
            if self._matrix is not None:
                self._matrix = self._matrix[[self._rows[key] for key in kept]]
            new = [key for key in keys if key not in self._rows]
            order = {key: row for row, key in enumerate(kept + new)}
            self._append(new, documents, len(kept))
            if kept + new != keys and self._matrix is not None:
                self._matrix = self._matrix[np.array([order[key] for key in keys])]
        else:
            self._append(keys[size:], documents, size)
        self._rows = {key: row for row, key in enumerate(keys)}

    def _append(self, keys: Sequence[K], documents: Mapping[K, str], size: int) -> None:
        """Put the vectors of new documents behind the first `size` rows."""
        if not keys:
            return
        import numpy as np

        vectors = self._embedder.embed([_clip(documents[key]) for key in keys])
        total = size + len(keys)
        if self._matrix is None or len(self._matrix) < total:
            matrix = np.empty((max(total, 2 * size), vectors.shape[1]), np.float32)
            if self._matrix is not None:
                matrix[:size] = self._matrix[:size]
            self._matrix = matrix
        self._matrix[size:total] = vectors

    def _closest(self, vector: FloatArray, limit: int, among: Collection[K] | None) -> list[Match[K]]:
        import numpy as np

        keys = list(self._rows) if among is None else [key for key in among if key in self._rows]
        if not keys or self._matrix is None:
            return []
        places = None if among is None else np.sort(np.array([self._rows[key] for key in keys]))
        rows = self._matrix[: len(self._rows)] if places is None else self._matrix[places]
        scores = np.round(rows @ vector, _DIGITS)
        best = _largest(scores, limit)
        names = keys if places is None else [key for key in self._rows if key in set(keys)]
        return [
            Match(names[place], float(scores[place]), (ScorePart(self.name, float(scores[place]), rank),))
            for rank, place in enumerate(best, 1)
        ]


def _largest(scores: FloatArray, limit: int) -> list[int]:
    """The places of the largest scores above 0, the largest first and of equals the first."""
    import numpy as np

    places = np.flatnonzero(scores > 0)
    if len(places) > limit:
        values = scores[places]
        least = np.partition(values, len(values) - limit)[len(values) - limit]
        above = places[values > least]
        places = np.concatenate([above, places[values == least][: limit - len(above)]])
    order = np.lexsort((places, -scores[places]))
    return [int(place) for place in places[order]]


def _clip(text: str) -> str:
    """What of a text is embedded, without halves of surrogate pairs."""
    return text[:_EMBEDDED].encode("utf-8", "replace").decode()


def to_blob(vector: FloatArray) -> bytes:
    """A vector as little-endian float32."""
    return bytes(vector.astype("<f4", copy=False).tobytes())


def from_blob(blob: bytes) -> FloatArray:
    """The vector of a BLOB. Raises ValueError where it is none."""
    import numpy as np

    return np.frombuffer(blob, "<f4").astype(np.float32, copy=False)
