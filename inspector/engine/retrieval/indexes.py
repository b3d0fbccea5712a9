"""The default indexes."""

from __future__ import annotations

from inspector.engine.retrieval.base import Embedder, Index, K
from inspector.engine.retrieval.full_text import FullTextIndex
from inspector.engine.retrieval.fusion import FusedIndex
from inspector.engine.retrieval.neighbours import NeighbourIndex
from inspector.engine.retrieval.vectors import VectorIndex

_FUSION = 20.0
"""Constant of the fusion. Lower than the usual 60: the rankings rarely agree, so first places should count more."""
_WEIGHTS = (1.0, 0.7)
"""Weights of the rankings by words and by meaning. Tuned with `inspector eval locomo`, like all search constants."""


def default_index(embedder: Embedder | None = None) -> Index[K]:
    """Return an index for independent documents: BM25, fused with a search by meaning if there is an embedder."""
    words: FullTextIndex[K] = FullTextIndex()
    return words if embedder is None else FusedIndex([words, VectorIndex(embedder, words.count)], _FUSION, _WEIGHTS)


def conversation_index(embedder: Embedder | None = None) -> Index[K]:
    """Return an index for the messages of a conversation, in order. It also finds the neighbours of matches."""
    words: FullTextIndex[K] = FullTextIndex()
    by_words: Index[K] = NeighbourIndex(words)
    if embedder is None:
        return by_words
    return FusedIndex([by_words, NeighbourIndex(VectorIndex(embedder, words.count))], _FUSION, _WEIGHTS)
