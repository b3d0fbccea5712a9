"""Which texts have to do with a request: the search that the product uses everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def rank_texts(request: str, texts: Mapping[str, str]) -> Sequence[tuple[str, float]]:
    """The ids of the texts that have to do with a request, each with its score, the best first."""
    from inspector.retrieval import default_index

    index = default_index()
    index.hold(dict(texts))
    return [(str(match.key), match.score) for match in index.search(request, len(texts))]
