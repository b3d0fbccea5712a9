"""Searching the entries: by words, by meaning, by both, and why each came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from inspector.engine.retrieval import EmbeddingError, FloatArray, explain
from inspector.store import MemoryFilter, MemorySearch, Store
from tests.store.made import chain

TOPICS = ("colour red green blue paint", "number port gateway 8080 listens", "food bread milk cheese")


class Topics:
    """An embedder with a direction for each topic: texts on one lie close together, whatever words they use."""

    name = "topics"
    dimensions = 4

    def __init__(self) -> None:
        self.problem = ""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        if self.problem:
            raise EmbeddingError(self.problem)
        rows = np.zeros((len(texts), 4), np.float32)
        for row, text in zip(rows, texts, strict=True):
            words = set(text.lower().replace(".", "").split())
            row[:3] = [len(words.intersection(topic.split())) for topic in TOPICS]
            row[3] = 0.1
            row /= np.linalg.norm(row)
        return rows


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "inspector.db", clock=lambda: "2026-05-04T12:00:00Z") as store:
        store.add(chain("a", "b"))
        yield store


def remembered(store: Store) -> list[int]:
    texts = ("The gateway listens on port 8080.", "The wall needs blue paint.", "Buy bread and cheese.")
    return [store.entries.remember("fact", text, "s1") for text in texts]


def test_words_alone_find_what_holds_them_and_say_why(store: Store) -> None:
    port, _, _ = remembered(store)
    hits = MemorySearch(store.entries).search("which port?", 3)
    (result,) = hits.retrieval.results
    assert result.key == port
    assert hits.entries[port].text == "The gateway listens on port 8080."
    assert explain(result).startswith("bm25 #1 (")
    assert explain(result).endswith("; 0 seconds old; 9 tokens")
    assert MemorySearch(store.entries).search("nothing of that").retrieval.results == ()


def test_meaning_finds_what_has_other_words_once_it_has_vectors(store: Store) -> None:
    _, wall, _ = remembered(store)
    search = MemorySearch(store.entries, Topics())
    assert search.search("red").retrieval.results == ()
    assert search.fill() == 3
    assert search.fill() == 0
    assert [result.key for result in search.search("red", 1).retrieval.results] == [wall]
    (part,) = search.search("red", 1).retrieval.results[0].parts
    assert (part.name, part.rank) == ("embedding", 1)


def test_both_lists_speak_for_what_both_hold(store: Store) -> None:
    port, _, _ = remembered(store)
    search = MemorySearch(store.entries, Topics())
    search.fill()
    best = search.search("the gateway port").retrieval.results[0]
    assert best.key == port
    assert [part.name for part in best.parts] == ["bm25", "embedding"]


def test_what_another_process_writes_or_forgets_is_seen(store: Store) -> None:
    _, wall, _ = remembered(store)
    search = MemorySearch(store.entries, Topics())
    search.fill()
    assert wall in {result.key for result in search.search("green").retrieval.results}
    with Store(store.path) as other:
        other.entries.forget(wall)
        new = other.entries.remember("fact", "The door is red.")
        MemorySearch(other.entries, Topics()).fill()
    assert next(result.key for result in search.search("green").retrieval.results) == new


def test_vectors_of_another_model_are_not_looked_at(store: Store) -> None:
    remembered(store)
    MemorySearch(store.entries, Topics()).fill()
    other = Topics()
    other.name = "another"
    assert MemorySearch(store.entries, other).search("red").retrieval.results == ()


def test_only_what_is_meant_comes_back(store: Store) -> None:
    remembered(store)
    own = store.entries.remember("state", "paint the door", "s1", tier="session", key="task")
    meant = MemoryFilter(tier="session", session_id="s1")
    for embedder in (None, Topics()):
        search = MemorySearch(store.entries, embedder, meant)
        search.fill()
        assert [result.key for result in search.search("paint blue", 5).retrieval.results] == [own]


def test_a_narrow_choice_is_found_among_many(store: Store) -> None:
    for number in range(300):
        store.entries.remember("fact", f"red paint {number}")
    own = store.entries.remember("fact", "green", "s1", tier="session")
    search = MemorySearch(store.entries, Topics(), MemoryFilter(tier="session"))
    search.fill()
    assert [result.key for result in search.search("blue", 2).retrieval.results] == [own]


def test_the_budget_cuts_and_says_what_nearly_came(store: Store) -> None:
    for text, tokens in (("port 1", 30), ("port 2 of 3", 50), ("port 4 and all other words", 40)):
        store.entries.remember("fact", text, tokens=tokens)
    hits = MemorySearch(store.entries).search("port", 5, 60)
    assert [result.tokens for result in hits.retrieval.results] == [30]
    assert [miss.reason for miss in hits.retrieval.near_misses] == [
        "it has 50 tokens, with 30 of 60 remaining",
        "it has 40 tokens, with 30 of 60 remaining",
    ]
    assert {miss.result.key for miss in hits.retrieval.near_misses} < hits.entries.keys()


def test_an_embedder_that_fails_leaves_the_words(store: Store) -> None:
    remembered(store)
    embedder = Topics()
    search = MemorySearch(store.entries, embedder)
    search.fill()

    embedder.problem = "The embedding model gave no vectors."
    hits = search.search("port")
    assert [part.name for part in hits.retrieval.results[0].parts] == ["bm25"]
    assert hits.warning == "The embedding model gave no vectors."


def test_a_damaged_vector_is_passed_over(store: Store) -> None:
    _, wall, _ = remembered(store)
    search = MemorySearch(store.entries, Topics())
    search.fill()
    with store._connections.use() as connection:
        connection.execute("UPDATE memory_vector SET vector = 'text' WHERE memory_id = 1")
        connection.execute("UPDATE memory_vector SET vector = x'00' WHERE memory_id = 3")
    assert [result.key for result in MemorySearch(store.entries, Topics()).search("red").retrieval.results] == [wall]


@pytest.mark.parametrize("query", ["", " ", "\0", '"', "a AND NOT (b", "\ud800", "*", "x" * 100_000])
def test_any_query_is_words(store: Store, query: str) -> None:
    remembered(store)
    search = MemorySearch(store.entries, Topics())
    search.fill()
    search.search(query)
