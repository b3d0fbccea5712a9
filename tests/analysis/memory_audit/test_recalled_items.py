"""Recall over stores: ranks with reasons, near misses, stored vectors, and what a session got."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from inspector.analysis.memory_audit import ItemSearch
from inspector.engine.retrieval import FloatArray, to_blob
from inspector.formats import MemoryItem, MemoryStore, load
from tests.analysis.memory_audit.test_window_memories import call, reply, transcript, words

TEXTS = ("The lamp in the office is green.", "The lamp is broken.", "Mia has a cat.", "Orders are kept in MySQL.")


def store(*texts: str, vectors: Sequence[bytes] = ()) -> MemoryStore:
    items = [
        MemoryItem(f"m{number}", text, embedding=vectors[number] if vectors else b"")
        for number, text in enumerate(texts)
    ]
    return MemoryStore("/data/store.db", "mem0", "memories", items)


class LetterEmbedder:
    """Counts letters. Texts with the same letters are close."""

    name = "letters"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> FloatArray:
        rows = np.array([[text.lower().count(chr(97 + n)) + 1e-6 for n in range(26)] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_near_miss_is_explained_by_its_rank_and_the_words_that_it_lacks() -> None:
    answer = ItemSearch([store(*TEXTS)]).search("Which lamp is in the office?", 1)
    (hit,), (miss,) = answer.results, answer.near_misses
    assert (hit.item, hit.words, hit.without) == ("m0", ["lamp", "the", "office"], [])
    assert miss.item == "m1" and "number 2" in miss.reason and "does not contain “office”" in miss.reason


def test_why_not_that_one_is_answered_for_any_item() -> None:
    search = ItemSearch([store(*TEXTS)])
    (row,) = search.rank_of("lamp", "m2")
    assert (row.result.rank, row.reason) == (0, "not ranked: it contains no word of the query")
    (row,) = search.rank_of("lamp", "m1")
    assert row.result.rank and not row.reason and "bm25" in row.explanation


def test_a_word_that_no_item_contains_is_named_with_a_similar_one() -> None:
    assert ItemSearch([store(*TEXTS)]).search("lammp").unknown == {"lammp": "lamp"}


def test_items_that_the_session_got_are_set_beside_the_ranking(tmp_path: Path) -> None:
    rows = [words("Lamps?"), *call("a", "search_memory", {"query": "lamps"}, "- The lamp is broken.\n- Mia has a cat.")]
    session = load(transcript(tmp_path, [*rows, reply()]))[0]
    answer = ItemSearch([store(*TEXTS)]).search("broken lamp", 1, session=session)
    assert [(row.item, row.retrieved) for row in answer.results] == [("m1", ["turn 2"])]
    assert [(row.item, row.result.rank) for row in answer.retrieved] == [("m2", 0)]


def test_stored_vectors_are_used_if_the_configured_embedder_made_them() -> None:
    embedder = LetterEmbedder()
    own = [to_blob(row) for row in embedder.embed(TEXTS)]
    swapped = [own[0], own[1], own[2], to_blob(embedder.embed(["zzz"])[0])]
    used = ItemSearch([store(*TEXTS, vectors=swapped)], embedder).search("zzz", 1)
    assert used.results[0].item == "m3" and used.note.startswith("4 stored vectors of letters")
    others = [to_blob(-row) for row in embedder.embed(TEXTS)]
    foreign = ItemSearch([store(*TEXTS, vectors=others)], embedder).search("lamp", 1)
    assert foreign.results[0].item in ("m0", "m1") and "of another model" in foreign.note


@pytest.mark.parametrize("vector", [b"abc", b"", bytes(8)])
def test_vectors_that_are_none_are_left_alone(vector: bytes) -> None:
    answer = ItemSearch([store(*TEXTS, vectors=[vector] * 4)], LetterEmbedder()).search("cat", 1)
    assert answer.results[0].item == "m2"


def test_an_item_without_a_word_and_with_another_meaning_is_not_ranked() -> None:
    search = ItemSearch([store("aaaa bbbb", "zzzz yyyy")], LetterEmbedder())
    assert [row.item for row in search.search("abba").results] == ["m0"]
    (row,) = search.rank_of("abba", "m1")
    assert row.result.rank == 0
