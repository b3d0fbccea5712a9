"""The index that is used where nobody asks for another."""

from __future__ import annotations

from inspector.retrieval.base import Embedder, Index, K
from inspector.retrieval.full_text import FullTextIndex
from inspector.retrieval.fusion import FusedIndex
from inspector.retrieval.vectors import VectorIndex


def default_index(embedder: Embedder | None = None) -> Index[K]:
    """BM25 in memory; with an embedder, fused with a search by meaning."""
    words: Index[K] = FullTextIndex()
    return words if embedder is None else FusedIndex([words, VectorIndex(embedder)])
