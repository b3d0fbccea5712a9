"""The indexes that are used where nobody asks for others."""

from __future__ import annotations

from inspector.engine.retrieval.base import Embedder, Index, K
from inspector.engine.retrieval.full_text import FullTextIndex
from inspector.engine.retrieval.fusion import FusedIndex
from inspector.engine.retrieval.neighbours import NeighbourIndex
from inspector.engine.retrieval.vectors import VectorIndex

_FUSION = 20.0
"""The constant of the fusion. Two lists that agree little: their first places count for more than by the usual 60."""
_WEIGHTS = (1.0, 0.7)
"""Of the search by words and of that by meaning; chosen, as all numbers of a search, with `inspector eval locomo`."""


def default_index(embedder: Embedder | None = None) -> Index[K]:
    """BM25 in memory; with an embedder, fused with a search by meaning. For documents that stand for themselves."""
    words: FullTextIndex[K] = FullTextIndex()
    return words if embedder is None else FusedIndex([words, VectorIndex(embedder, words.count)], _FUSION, _WEIGHTS)


def conversation_index(embedder: Embedder | None = None) -> Index[K]:
    """The same for the messages of a conversation, in their order: those beside a match are found with it."""
    words: FullTextIndex[K] = FullTextIndex()
    by_words: Index[K] = NeighbourIndex(words)
    if embedder is None:
        return by_words
    return FusedIndex([by_words, NeighbourIndex(VectorIndex(embedder, words.count))], _FUSION, _WEIGHTS)
