"""Entries, and what a search finds among them, as the commands `memory …` print them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inspector.cli.output import progress
from inspector.cli.schema import record
from inspector.cli.schema.memories_schema import EntryRecord, MemoryHitRecord, MemoryNearMissRecord, PartRecord
from inspector.engine.retrieval import EmbeddingError, Result, Retrieval, embedder_from_environment, explain
from inspector.store import Memory, MemoryFilter, MemoryRetrieval, MemorySearch, Store


def entry_record(entry: Memory) -> EntryRecord:
    """An entry as JSON."""
    return record(
        EntryRecord,
        entry,
        session=entry.session_id,
        messages=list(entry.message_ids),
        created=entry.created_at,
        used=entry.used_at,
        pinned=entry.is_pinned,
        expires=entry.expires_at,
    )


def find_entries(store: Store, meant: MemoryFilter, query: str, k: int, budget: int | None) -> MemoryRetrieval:
    """What is found; entries without a vector get theirs first."""
    searcher = MemorySearch(store.entries, embedder_from_environment(), meant)
    warning = ""
    with progress() as on_progress:

        def advance() -> bool:
            on_progress("reading what is remembered", 0, 0)
            return False

        try:
            searcher.fill(advance)
        except EmbeddingError as error:
            warning = str(error)
    hits = searcher.search(query, k, budget)
    return replace(hits, warning=hits.warning or warning)


def hit_records(retrieval: Retrieval[int], entries: Mapping[int, Memory]) -> list[MemoryHitRecord]:
    """What comes back, as JSON."""
    return [_hit_record(result, entries) for result in retrieval.results]


def near_miss_records(retrieval: Retrieval[int], entries: Mapping[int, Memory]) -> list[MemoryNearMissRecord]:
    """What nearly comes back, as JSON."""
    return [
        MemoryNearMissRecord(**_hit_record(miss.result, entries), reason=miss.reason) for miss in retrieval.near_misses
    ]


def _hit_record(result: Result[int], entries: Mapping[int, Memory]) -> MemoryHitRecord:
    parts = [PartRecord(list=part.name, score=part.score, rank=part.rank) for part in result.parts]
    return record(
        MemoryHitRecord, result, parts=parts, explanation=explain(result), entry=entry_record(entries[result.key])
    )
