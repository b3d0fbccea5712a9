"""What every index does: one suite for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from inspector.engine.retrieval import (
    EmbeddingError,
    FullTextIndex,
    FusedIndex,
    Index,
    Match,
    NeighbourIndex,
    ScorePart,
    Texts,
    VectorIndex,
    WordLlamaEmbedder,
    conversation_index,
    default_index,
)

EMBEDDER = WordLlamaEmbedder()

INDEXES: dict[str, Callable[[], Index[int]]] = {
    "bm25": FullTextIndex,
    "fused": lambda: FusedIndex([FullTextIndex(), FullTextIndex()]),
    "embedding": lambda: VectorIndex(EMBEDDER),
    "words and meaning": lambda: default_index(EMBEDDER),
    "default": default_index,
    "neighbours": lambda: NeighbourIndex(FullTextIndex()),
    "conversation": lambda: conversation_index(EMBEDDER),
}
WORDS = ("ledger", "orders", "zeppelin", "harbour", "lantern")
TALK = {
    1: "The orders of May are in the ledger.",
    2: "The customers of May are in the register.",
    3: "The orders of June are in the ledger too.",
    4: "Nothing was said of the zeppelin.",
    5: "Good morning.",
    6: "Good night.",
}
documents = st.dictionaries(
    st.integers(0, 12), st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), max_size=8
)
queries = st.lists(st.sampled_from((*WORDS, "the", "absent", '"', "*", "AND")), max_size=4).map(" ".join)


@pytest.fixture(params=INDEXES)
def make(request: pytest.FixtureRequest) -> Callable[[], Index[int]]:
    return INDEXES[request.param]


def over(make: Callable[[], Index[int]], texts: dict[int, str]) -> Index[int]:
    index = make()
    index.hold(texts)
    return index


def keys(matches: list[Match[int]]) -> list[int]:
    return [match.key for match in matches]


def test_documents_that_hold_the_words_come_the_best_first(make: Callable[[], Index[int]]) -> None:
    index = over(make, TALK)
    assert len(index) == 6
    assert keys(index.search("zeppelin", 5))[0] == 4
    assert set(keys(index.search("the ledger", 5))[:2]) == {1, 3}
    assert keys(index.search("the ledger of June", 1)) == [3]


@given(documents, queries, st.integers(0, 9))
def test_matches_are_ranked_scored_and_explained(texts: dict[int, str], query: str, limit: int) -> None:
    for make in INDEXES.values():
        matches = over(make, texts).search(query, limit)
        assert len(matches) <= limit
        assert len(set(keys(matches))) == len(matches)
        assert set(keys(matches)) <= texts.keys()
        scores = [match.score for match in matches]
        assert scores == sorted(scores, reverse=True)
        order = list(texts)
        for better, worse in pairwise(matches):
            assert better.score > worse.score or order.index(better.key) < order.index(worse.key)
        assert all(match.parts and all(part.rank >= 1 for part in match.parts) for match in matches)


@given(st.lists(documents, min_size=1, max_size=4), queries)
def test_what_was_held_before_makes_no_difference(steps: list[dict[int, str]], query: str) -> None:
    texts: dict[int, str] = {}
    for step in steps:  # a key stands for the same text as long as it is held
        texts = {key: texts.get(key, text) for key, text in step.items()}
    for make in INDEXES.values():
        index = make()
        current: dict[int, str] = {}
        for step in steps:
            current = {key: current.get(key, text) for key, text in step.items()}
            index.hold(current)
        assert len(index) == len(current)
        assert [(match.key, round(match.score, 9)) for match in index.search(query, 9)] == [
            (match.key, round(match.score, 9)) for match in over(make, current).search(query, 9)
        ]


@given(documents, queries, st.sets(st.integers(0, 12)))
def test_only_those_asked_for_are_searched(texts: dict[int, str], query: str, among: set[int]) -> None:
    for make in INDEXES.values():
        index = over(make, texts)
        assert keys(index.search(query, 20, among)) == [key for key in keys(index.search(query, 20)) if key in among]


def test_texts_are_read_when_they_are_new_and_only_then(make: Callable[[], Index[int]]) -> None:
    reads: list[int] = []

    def read(key: int) -> str:
        reads.append(key)
        return TALK[key]

    index = make()
    index.hold(Texts([1, 2], read))
    index.hold(Texts([1, 2], read))
    first = set(reads)
    reads.clear()
    index.hold(Texts([1, 2, 3], read))
    assert (first, set(reads)) == ({1, 2}, {3})
    index.hold(Texts([2, 3], read))
    assert keys(index.search("orders", 5))[0] == 3


@pytest.mark.parametrize(
    "query", ["", " ", "\0", "\ud800", '"', "NEAR(zeppelin", "a" * 20_000, "text:zeppelin OR", "🙂"]
)
def test_no_query_and_no_text_is_too_strange(make: Callable[[], Index[int]], query: str) -> None:
    index = over(make, {1: query, 2: "zeppelin", 3: ""})
    assert set(keys(index.search(query, 5))) <= {1, 2, 3}
    assert make().search(query, 5) == []


def test_threads_may_share_one(make: Callable[[], Index[int]]) -> None:
    index, answers = over(make, dict(enumerate(WORDS))), {}

    def look(number: int) -> None:
        answers[number] = keys(index.search(WORDS[number % 5], 1))

    threads = [Thread(target=look, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [number % 5] for number in range(40)}


class Listed:
    """An index with a fixed list."""

    name = "listed"

    def __init__(self, *keys: int) -> None:
        self._keys = keys

    def hold(self, documents: Any) -> None: ...

    def search(self, query: str, limit: int, among: Any = None) -> list[Match[int]]:
        return [Match(key, 1.0, (ScorePart("listed", 1.0, rank),)) for rank, key in enumerate(self._keys, 1)]

    def __len__(self) -> int:
        return 0


def test_fusion_adds_reciprocal_ranks() -> None:
    matches = FusedIndex([Listed(1, 2, 3), Listed(3, 4)]).search("x", 9)
    scores = {match.key: match.score for match in matches}
    assert scores == pytest.approx({3: 1 / 63 + 1 / 61, 1: 1 / 61, 2: 1 / 62, 4: 1 / 62})
    assert keys(matches) == [3, 1, 2, 4]
    assert [part.rank for part in matches[0].parts] == [3, 1]


def test_words_are_found_in_all_their_forms() -> None:
    index = FullTextIndex[int]()
    index.hold({1: "She painted a harbour.", 2: "Nothing else."})
    assert keys(index.search("What does she paint? Paintings!", 5)) == [1]
    assert (index.count("painting"), index.count("harbours"), index.count("absent"), index.count("?")) == (1, 1, 0, 0)


def test_what_stands_beside_a_match_is_found_with_it() -> None:
    talk = {1: "Hello.", 2: "Which harbour is it?", 3: "The one in the north.", 4: "Good.", 5: "Fine.", 6: "Well."}
    index = over(lambda: NeighbourIndex(FullTextIndex()), talk)
    assert keys(index.search("harbour", 9)) == [2, 3, 1, 4]
    assert keys(index.search("harbour", 9, [3, 6])) == [3]


class Broken:
    """An embedder that gives up at one word, and else counts two."""

    name = "broken"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> Any:
        if any("zeppelin" in text for text in texts):
            raise EmbeddingError("It broke.")
        return np.array([[0.1 + text.count("ledger"), 0.1 + text.count("harbour")] for text in texts], np.float32)


def test_an_embedder_that_fails_leaves_the_index_as_it_was() -> None:
    index: VectorIndex[int] = VectorIndex(Broken())
    index.hold({1: "ledger", 2: "harbour"})
    with pytest.raises(EmbeddingError):
        index.hold({2: "harbour", 3: "zeppelin"})
    assert (len(index), keys(index.search("ledger", 1))) == (2, [1])


def test_the_rare_words_of_a_query_say_what_it_means() -> None:
    texts = dict(enumerate(["Anna: we sail on the sea", "Anna: hello", "Anna: good", "Anna: yes", "Anna: all right"]))
    words = FullTextIndex[int]()
    words.hold(texts)
    plain, weighed = VectorIndex[int](EMBEDDER), VectorIndex[int](EMBEDDER, words.count)
    for index in (plain, weighed):
        index.hold(texts)
    assert keys(weighed.search("What did Anna say about boats?", 1)) == [0]
    scores = [{match.key: match.score for match in index.search("Anna boats", 9)} for index in (plain, weighed)]
    assert scores[0][0] - scores[0][1] < scores[1][0] - scores[1].get(1, 0.0)
