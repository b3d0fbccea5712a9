"""The nouns of every search: documents in, ranked matches out. A search knows texts by their keys, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

from inspector.core.json_objects import json_object

FloatArray: TypeAlias = Any
"""An array of numpy, float32. Numpy is there with the extra `semantic` only."""

K = TypeVar("K", bound=Hashable)


@json_object("Part", "list=name score rank")
@dataclass(frozen=True, slots=True)
class ScorePart:
    """What one list says of an entry."""

    name: Annotated[str, "bm25 or embedding"]
    score: Annotated[float, "larger is better; comparable within this search and list only"]
    rank: Annotated[int, "place in that list, from 1"]


@dataclass(frozen=True, slots=True)
class Match(Generic[K]):
    """A document that has to do with a query."""

    key: K
    score: float
    """That of the one list, or of the fusion of several; larger is better."""
    parts: tuple[ScorePart, ...]
    """What each list says that holds it."""


class Index(Protocol[K]):
    """Ranks the documents that it holds. May be used from any thread."""

    name: str

    def hold(self, documents: Mapping[K, str]) -> None:
        """Hold just these documents, the oldest first. A key stands for the same text as long as it is held, so this
        costs what is new and what has gone."""

    def search(self, query: str, limit: int, among: Collection[K] | None = None) -> list[Match[K]]:
        """At most `limit` documents that have to do with a query, the best first and of equals the oldest; with
        `among` only of those."""

    def __len__(self) -> int:
        """How many documents are held."""


class Embedder(Protocol):
    """Turns texts into vectors that lie close together where the texts mean the same."""

    name: str
    """The model, so that vectors of different ones are never compared."""
    dimensions: int

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """One row of length 1 for each text, as float32: an array of (texts, dimensions)."""


@runtime_checkable
class WordEmbedder(Embedder, Protocol):
    """An embedder for which a text is the sum of its words, so that they may be weighed."""

    def embed_words(self, weights: Mapping[str, float]) -> FloatArray:
        """The vector, of length 1, of words of which each counts by its weight."""


class Texts(Mapping[K, str]):
    """Documents whose texts are read when somebody asks: an index asks for those only that it does not hold yet."""

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
