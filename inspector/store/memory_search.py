"""Search in the entries of the tiers: by words in their full-text index, by vectors, or by both.

Each is an `Index` of `inspector.engine.retrieval` over the current content of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from inspector.engine.retrieval import (
    Embedder,
    EmbeddingError,
    FusedIndex,
    Index,
    Match,
    Retrieval,
    ScorePart,
    SearchDocument,
    VectorIndex,
    embedded_text,
    from_blob,
    select,
    to_blob,
)
from inspector.store.entries import PERSISTENT, Entries
from inspector.store.memory_entries import Memory, MemoryFilter

_BATCH = 128
"""Texts that are embedded, and written, at once."""
_DEPTH = 4
"""How many times as many matches are looked at as may come back: large ones are passed over, others nearly come."""
_MIN_DEPTH = 50


def estimate_tokens(text: str) -> int:
    """Return an estimate of the tokens of a text."""
    return (len(text) + 3) // 4


@dataclass(frozen=True, slots=True)
class MemoryRetrieval:
    """Results of a query with their entries."""

    retrieval: Retrieval[int]
    entries: Mapping[int, Memory]
    """The entries of its results and near misses, by number."""
    warning: str = ""
    """Why it was searched by words alone, where it was to be searched by meaning too; one sentence."""


class _StoredWords:
    """BM25 over the store's own full-text index."""

    name = "bm25"

    def __init__(self, entries: Entries, meant: MemoryFilter) -> None:
        self._entries = entries
        self._meant = meant

    def hold(self, documents: Mapping[int, str]) -> None:
        """Do nothing: the store's index already has the documents."""

    def search(self, query: str, limit: int, among: Collection[int] | None = None) -> list[Match[int]]:
        """See `Index.search`."""
        rows = self._entries.recall(query, limit if among is None else -1, meant=self._meant)
        meant = [row for row in rows if among is None or row.id in among][: max(0, limit)]
        return [Match(row.id, row.score, (ScorePart(self.name, row.score, rank),)) for rank, row in enumerate(meant, 1)]

    def __len__(self) -> int:
        return sum(size.entries for size in self._entries.sizes(self._meant))


class _StoredVectors:
    """The cosine of the query's vector and those that the store has of one model."""

    name = VectorIndex.name

    def __init__(self, entries: Entries, embedder: Embedder, meant: MemoryFilter) -> None:
        self._entries = entries
        self._embedder = embedder
        self._meant = meant
        self._state: tuple[int, int] | None = None
        self._index: VectorIndex[int] = VectorIndex(embedder, entries.count_word)

    def hold(self, documents: Mapping[int, str]) -> None:
        """Do nothing: the store already has the vectors."""

    def search(self, query: str, limit: int, among: Collection[int] | None = None) -> list[Match[int]]:
        """See `Index.search`. Raises EmbeddingError when the embedder does."""
        self._read()
        if among is not None:
            return self._index.search(query, limit, self._entries.select(among, self._meant))
        depth = max(_MIN_DEPTH, limit * _DEPTH)
        matches = self._index.search(query, depth)
        meant = self._meant_of(matches)
        if len(meant) < limit and len(matches) == depth:  # a narrow choice: among all that are meant, then
            every = self._index.search(query, len(self._index))
            meant = self._meant_of(every)
        return meant[: max(0, limit)]

    def _meant_of(self, matches: list[Match[int]]) -> list[Match[int]]:
        entries = self._entries.select([match.key for match in matches], self._meant)
        meant = [match for match in matches if match.key in entries]
        return [replace(match, parts=(replace(match.parts[0], rank=rank),)) for rank, match in enumerate(meant, 1)]

    def _read(self) -> None:
        """Read the vectors again where others are in the store by now."""
        state = self._entries.vector_state(self._embedder.name)
        if state != self._state:
            size = 4 * self._embedder.dimensions
            rows = self._entries.vectors(self._embedder.name)
            self._index.put({number: from_blob(blob) for number, blob in rows if len(blob) == (size or len(blob))})
            self._state = state

    def __len__(self) -> int:
        self._read()
        return len(self._index)


class MemorySearch:
    """Finds entries of a store with reasons: by words, and with an embedder by meaning too.

    Threads may share it. `count` counts the tokens of texts without a count.
    """

    def __init__(
        self,
        entries: Entries,
        embedder: Embedder | None = None,
        meant: MemoryFilter = PERSISTENT,
        count: Callable[[str], int] = estimate_tokens,
    ) -> None:
        self._entries = entries
        self._embedder = embedder
        self._count = count
        self._words: Index[int] = _StoredWords(entries, meant)
        self._index: Index[int] = self._words
        if embedder is not None:
            lists: list[Index[int]] = [self._words, _StoredVectors(entries, embedder, meant)]
            self._index = FusedIndex(lists)

    def search(self, query: str, limit: int = 5, budget: int | None = None) -> MemoryRetrieval:
        """Return the entries that are most relevant to a query.

        Args:
            query: The query.
            limit: Maximum number of entries.
            budget: Maximum number of their tokens, or None.
        """
        depth = max(_MIN_DEPTH, limit * _DEPTH)
        warning = ""
        try:
            matches = self._index.search(query, depth)
        except EmbeddingError as error:
            warning = str(error)
            matches = self._words.search(query, depth)
        entries = self._entries.select([match.key for match in matches])
        documents = {number: self._document(entry) for number, entry in entries.items()}
        retrieval = select(query, matches, documents, limit, budget, self._entries.now)
        close = [*retrieval.results, *(miss.result for miss in retrieval.near_misses)]
        return MemoryRetrieval(retrieval, {result.key: entries[result.key] for result in close}, warning)

    def _document(self, entry: Memory) -> SearchDocument:
        tokens = self._count(entry.text) if entry.tokens is None else entry.tokens
        return SearchDocument(entry.text, tokens, entry.created_at)

    def fill(self, is_cancelled: Callable[[], bool] = lambda: False) -> int:
        """Compute missing vectors in batches, in a worker thread, and return their number.

        Raises:
            EmbeddingError: The embedder failed. Vectors that were computed before are kept.
        """
        count = 0
        while self._embedder is not None and not is_cancelled():
            rows = self._entries.without_vector(self._embedder.name, _BATCH)
            if not rows:
                break
            vectors = self._embedder.embed([embedded_text(text) for _, text in rows])
            self._entries.save_vectors(
                self._embedder.name,
                [(number, text, to_blob(vector)) for (number, text), vector in zip(rows, vectors, strict=True)],
            )
            count += len(rows)
        return count
