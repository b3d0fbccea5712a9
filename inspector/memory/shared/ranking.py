"""Ranks texts by relevance to a request, with the search that Inspector uses everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.engine.retrieval import Index, default_index


def rank_texts(request: str, texts: Mapping[str, str]) -> Sequence[tuple[str, float]]:
    """Return the ids of relevant texts with their scores, the best first."""
    index: Index[str] = default_index()
    index.hold(texts)
    return [(match.key, match.score) for match in index.search(request, len(texts))]
