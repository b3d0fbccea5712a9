"""Which texts have to do with a request: the search that the product uses everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.engine.retrieval import Index, default_index


def rank_texts(request: str, texts: Mapping[str, str]) -> Sequence[tuple[str, float]]:
    """The ids of the texts that have to do with a request, each with its score, the best first."""
    index: Index[str] = default_index()
    index.hold(texts)
    return [(match.key, match.score) for match in index.search(request, len(texts))]
