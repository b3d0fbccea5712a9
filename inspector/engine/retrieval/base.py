"""Basic types of every search. A search identifies texts by their keys and knows nothing else about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

from inspector.core.json_objects import json_object

FloatArray: TypeAlias = Any
"""A float32 numpy array. Numpy is only installed with the extra `semantic`."""

K = TypeVar("K", bound=Hashable)


@json_object("Part", "list=name score rank")
@dataclass(frozen=True, slots=True)
class ScorePart:
    """Score and rank of a document in one ranking."""

    name: Annotated[str, "bm25 or embedding"]
    score: Annotated[float, "larger is better; comparable within this search and list only"]
    rank: Annotated[int, "rank in that list, from 1"]


@dataclass(frozen=True, slots=True)
class Match(Generic[K]):
    """A document that matches a query."""

    key: K
    score: float
    """Score of the single ranking or of the fusion. Larger is better."""
    parts: tuple[ScorePart, ...]
    """Parts of all rankings that contain the document."""


class Index(Protocol[K]):
    """Ranks documents by a query. Thread-safe."""

    name: str

    def hold(self, documents: Mapping[K, str]) -> None:
        """Replace the indexed documents by these, oldest first.

        A key must keep its text while it is indexed, so only added and removed documents are processed.
        """

    def search(self, query: str, limit: int, among: Collection[K] | None = None) -> list[Match[K]]:
        """Return the documents that match a query, best first; among equals, the oldest first.

        Args:
            query: The query text.
            limit: Maximum number of results.
            among: Keys to restrict the results to.
        """

    def __len__(self) -> int:
        """Return the number of indexed documents."""


class Embedder(Protocol):
    """Converts texts to vectors that are close together if the texts have similar meanings."""

    name: str
    """Name of the model. Vectors of different models are never compared."""
    dimensions: int

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return a float32 array with one row of length 1 per text, of shape (texts, dimensions)."""


@runtime_checkable
class WordEmbedder(Embedder, Protocol):
    """An embedder for which a text is the sum of its words, so that words can be weighted."""

    def embed_words(self, weights: Mapping[str, float]) -> FloatArray:
        """Return the vector, of length 1, of weighted words."""


class Texts(Mapping[K, str]):
    """Documents whose texts are read on access. An index only accesses texts that it does not contain yet."""

    def __init__(self, keys: Sequence[K], text_of: Callable[[K], str]) -> None:
        self._keys = dict.fromkeys(keys)
        self.text_of = text_of

    def __getitem__(self, key: K) -> str:
        if key not in self._keys:
            raise KeyError(key)
        return self.text_of(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys
