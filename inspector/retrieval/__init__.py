"""Search: documents in, ranked and explained results out. Everything that searches uses it (docs/memory.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.retrieval.base import Embedder, FloatArray, Index, K, Match, ScorePart, Texts, WordEmbedder
    from inspector.retrieval.embedders import (
        EmbeddingError,
        EndpointEmbedder,
        WordLlamaEmbedder,
        embedder_from_environment,
    )
    from inspector.retrieval.full_text import FullTextIndex
    from inspector.retrieval.fusion import FusedIndex
    from inspector.retrieval.indexes import conversation_index, default_index
    from inspector.retrieval.neighbours import NeighbourIndex
    from inspector.retrieval.selection import (
        NearMiss,
        Result,
        Retrieval,
        SearchDocument,
        age_in_words,
        explain,
        select,
    )
    from inspector.retrieval.vectors import VectorIndex, embedded_text, from_blob, to_blob
    from inspector.retrieval.words import INDEXED, folded, passage, rare_words

__all__ = [
    "INDEXED",
    "Embedder",
    "EmbeddingError",
    "EndpointEmbedder",
    "FloatArray",
    "FullTextIndex",
    "FusedIndex",
    "Index",
    "K",
    "Match",
    "NearMiss",
    "NeighbourIndex",
    "Result",
    "Retrieval",
    "ScorePart",
    "SearchDocument",
    "Texts",
    "VectorIndex",
    "WordEmbedder",
    "WordLlamaEmbedder",
    "age_in_words",
    "conversation_index",
    "default_index",
    "embedded_text",
    "embedder_from_environment",
    "explain",
    "folded",
    "from_blob",
    "passage",
    "rare_words",
    "select",
    "to_blob",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.retrieval.base": "Embedder FloatArray Index K Match ScorePart Texts WordEmbedder",
        "inspector.retrieval.embedders": (
            "EmbeddingError EndpointEmbedder WordLlamaEmbedder embedder_from_environment"
        ),
        "inspector.retrieval.full_text": "FullTextIndex",
        "inspector.retrieval.fusion": "FusedIndex",
        "inspector.retrieval.indexes": "conversation_index default_index",
        "inspector.retrieval.neighbours": "NeighbourIndex",
        "inspector.retrieval.selection": "SearchDocument NearMiss Result Retrieval age_in_words explain select",
        "inspector.retrieval.vectors": "VectorIndex embedded_text from_blob to_blob",
        "inspector.retrieval.words": "INDEXED folded passage rare_words",
    },
)
