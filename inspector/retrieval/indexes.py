"""The index that is used where nobody asks for another."""

from __future__ import annotations

from inspector.retrieval.base import Index, K
from inspector.retrieval.full_text import FullTextIndex


def default_index() -> Index[K]:
    """BM25 in memory."""
    return FullTextIndex()
