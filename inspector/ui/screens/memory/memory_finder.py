"""Search of the persistent tier in threads: by words, and by meaning if an embedder is configured."""

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
"""Extra results to request, because the window may contain some of them already."""


class Finder:
    """Finds memories in a store. All methods raise StoreError if the store cannot be read."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._shown: set[str] = set()

    def first_time(self, warning: str) -> str:
        """Return a warning that has not been shown yet, or an empty string for one that has."""
        is_new = warning not in self._shown
        self._shown.add(warning)
        return warning if is_new else ""

    @cached_property
    def _search(self) -> MemorySearch:
        return MemorySearch(self.store.entries, embedder_from_environment())

    def find(self, words: str, limit: int = LIMIT, budget: int | None = BUDGET) -> MemoryRetrieval:
        """Search the memories.

        Args:
            words: Query.
            limit: Maximum number of results.
            budget: Maximum tokens of all results; None for no maximum.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._search.search(words, limit, budget)

    def draft(self, bench: Workbench, agent: str, turn: int, words: str, limit: int, budget: int) -> InjectionDraft:
        """Draft the effect of a query on a window, without applying it.

        Args:
            bench: Workbench of the session.
            agent: Agent of the window.
            turn: Turn of the window.
            words: Query; empty for the window's current request.
            limit: Maximum number of memories to add.
            budget: Maximum tokens to add.

        Raises:
            StoreError: The store cannot be read.
        """
        query = words if words.strip() else library.request_of(bench, agent, turn)
        hits = self.find(query, limit + _MORE, None)
        place = (hits.retrieval.results, hits.entries, turn, agent)
        return library.draft_injection(bench, query, *place, limit=limit, budget=budget, now=self.store.entries.now)

    def fill(self, stop: Stop) -> int:
        """Compute the missing vectors of memories, and return their number.

        Raises:
            EmbeddingError: The embedder failed.
            StoreError: The store cannot be read.
        """
        return self._search.fill(stop.is_set)
