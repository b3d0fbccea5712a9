"""Text and JSON of memory entries and search results, shared by the `memory` commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from inspector.cli.output import progress
from inspector.cli.schema.values import json_output
from inspector.engine.retrieval import EmbeddingError, Result, Retrieval, embedder_from_environment, explain
from inspector.store import Memory, MemoryFilter, MemoryRetrieval, MemorySearch, Store


@json_output(inline="result")
class MemoryHitOutput:
    """An entry that a search found."""

    result: Result[int]
    explanation: Annotated[str, "the whole explanation on one line"]
    entry: Memory


@json_output(inline="result")
class MemoryNearMissOutput(MemoryHitOutput):
    """An entry that matches but is not returned."""

    reason: Annotated[str, "reason why it is not returned"]


def find_entries(store: Store, meant: MemoryFilter, query: str, k: int, budget: int | None) -> MemoryRetrieval:
    """Search the entries, after embedding those without a vector.

    Args:
        store: The store.
        meant: Entries to search.
        query: Text to search for.
        k: Maximum number of results.
        budget: Maximum tokens of the results.
    """
    searcher = MemorySearch(store.entries, embedder_from_environment(), meant)
    warning = ""
    with progress() as on_progress:

        def advance() -> bool:
            on_progress("reading memories", 0, 0)
            return False

        try:
            searcher.fill(advance)
        except EmbeddingError as error:
            warning = str(error)
    hits = searcher.search(query, k, budget)
    return replace(hits, warning=hits.warning or warning)


def memory_hits(retrieval: Retrieval[int], entries: Mapping[int, Memory]) -> list[MemoryHitOutput]:
    """Return the results of a search for JSON output."""
    return [
        MemoryHitOutput(result=result, explanation=explain(result), entry=entries[result.key])
        for result in retrieval.results
    ]


def near_misses(retrieval: Retrieval[int], entries: Mapping[int, Memory]) -> list[MemoryNearMissOutput]:
    """Return the near misses of a search for JSON output."""
    return [
        MemoryNearMissOutput(
            result=miss.result,
            explanation=explain(miss.result),
            entry=entries[miss.result.key],
            reason=miss.reason,
        )
        for miss in retrieval.near_misses
    ]
