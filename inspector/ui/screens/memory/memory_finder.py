"""Searching the persistent tier in threads: by words, and by meaning where an embedder is set up."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from inspector import library
from inspector.engine.retrieval import embedder_from_environment
from inspector.library import BUDGET, LIMIT, InjectionDraft
from inspector.store import MemoryRetrieval, MemorySearch

if TYPE_CHECKING:
    from inspector.library import Workbench
    from inspector.store import Store
    from inspector.ui.workers.jobs import Stop

_MORE = 20
"""Results that are asked for beside those that may be put in: the window may say some already."""


class Finder:
    """Finds memories of a store. Every method raises StoreError where that cannot be read."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._told: set[str] = set()

    def first_time(self, warning: str) -> str:
        """A warning that was not told yet; empty for one that was."""
        is_new = warning not in self._told
        self._told.add(warning)
        return warning if is_new else ""

    @cached_property
    def _search(self) -> MemorySearch:
        return MemorySearch(self.store.entries, embedder_from_environment())

    def find(self, words: str, limit: int = LIMIT, budget: int | None = BUDGET) -> MemoryRetrieval:
        """What some words find, and what of it fits a budget."""
        return self._search.search(words, limit, budget)

    def draft(self, bench: Workbench, agent: str, turn: int, words: str, limit: int, budget: int) -> InjectionDraft:
        """What some words would put into a window; without any, its current request."""
        query = words if words.strip() else library.request_of(bench, agent, turn)
        hits = self.find(query, limit + _MORE, None)
        place = (hits.retrieval.results, hits.entries, turn, agent)
        return library.draft_injection(bench, query, *place, limit=limit, budget=budget, now=self.store.entries.now)

    def fill(self, stop: Stop) -> int:
        """Make the vectors of memories that have none. Raises EmbeddingError where the embedder does."""
        return self._search.fill(stop.is_set)
