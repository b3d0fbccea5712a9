"""Lists of related texts: each fits into one request, and texts about one subject share a list."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush, nlargest
from math import log, sqrt
from typing import Any

from inspector.engine.facts import content_words
from inspector.engine.retrieval import Embedder

MAX_LISTS = 24
"""Maximum number of lists."""
_NEAREST = 6
"""Number of the most similar texts that a text is compared with, by words and by vectors."""
_MAX_SHARING = 60
"""Maximum number of texts that share a word. More common words say little."""
_LEAST_COSINE = 0.3
"""Minimum cosine of the vectors of two related texts."""
_MAX_MISSES = 20
"""Number of related texts that do not fit into a list, after which it is full."""

_Pair = tuple[int, int]


def related_lists(
    texts: Sequence[str], sizes: Sequence[int], most: int, embedder: Embedder | None = None
) -> tuple[list[list[int]], int]:
    """Return lists of the positions of texts, and the number of related pairs that share no list.

    All texts are in one list if they fit. Otherwise each pair of related texts is in a list, up to a maximum number of
    lists, the most similar ones first.

    Args:
        texts: The texts.
        sizes: Tokens of each.
        most: Maximum tokens of a list.
        embedder: Compares texts by meaning as well; None to compare words only.
    """
    if len(texts) < 2:
        return [], 0
    if sum(sizes) <= most:
        return [[*range(len(texts))]], 0
    pairs = _related_pairs(texts, embedder)
    near: dict[int, list[tuple[float, _Pair]]] = defaultdict(list)
    for pair, weight in pairs.items():
        for one in pair:
            near[one].append((-weight, pair))
    waiting = dict.fromkeys(sorted(pairs, key=lambda pair: (-pairs[pair], pair)))
    lists: list[list[int]] = []
    too_large = 0
    while waiting and len(lists) < MAX_LISTS:
        chosen = _grown(waiting, near, sizes, most)
        for one in chosen:
            for _, pair in near[one]:
                if chosen.issuperset(pair):
                    waiting.pop(pair, None)
        if len(chosen) > 1:
            lists.append(sorted(chosen))
        else:
            waiting.pop(next(iter(waiting)))
            too_large += 1
    return lists, len(waiting) + too_large


def _grown(
    waiting: Mapping[_Pair, None], near: Mapping[int, Sequence[tuple[float, _Pair]]], sizes: Sequence[int], most: int
) -> set[int]:
    """Return texts that fit into one list: the most similar pair, and the pairs most similar to those in the list."""
    chosen: set[int] = set()
    used = misses = 0
    rest = iter(waiting)
    heap: list[tuple[float, _Pair]] = []
    while misses < _MAX_MISSES:
        pair = heappop(heap)[1] if heap else next(rest, None)
        if pair is None:
            break
        new = [one for one in pair if one not in chosen]
        if not new or pair not in waiting:
            continue
        size = sum(sizes[one] for one in new)
        if used + size > most:
            misses += 1
            continue
        used += size
        chosen.update(new)
        for one in new:
            for entry in near[one]:
                heappush(heap, entry)
    return chosen


def _related_pairs(texts: Sequence[str], embedder: Embedder | None) -> dict[_Pair, float]:
    """Return pairs of texts with their similarity, by words and by vectors together."""
    pairs: dict[_Pair, float] = defaultdict(float)
    for one, near in enumerate(_near_by_words(texts)):
        for other, weight in near:
            pairs[min(one, other), max(one, other)] = weight
    for one, other, weight in _near_by_vectors(texts, embedder) if embedder else ():
        pairs[min(one, other), max(one, other)] += weight / 2  # two directions
    return pairs


def _near_by_words(texts: Sequence[str]) -> Iterator[list[tuple[int, float]]]:
    """Yield the texts with the most rare words of each text, with the cosine of their words."""
    words = [content_words(text) for text in texts]
    counts = Counter(word for own in words for word in own)
    weights = {word: log(len(texts) / count) + 0.1 for word, count in counts.items()}
    lengths = [sqrt(sum(weights[word] ** 2 for word in own)) or 1.0 for own in words]
    index = _index_of(words, counts)
    for number, own in enumerate(words):
        scores: dict[int, float] = defaultdict(float)
        for word in own:
            for other in index.get(word, ()):
                scores[other] += weights[word] ** 2
        scores.pop(number, None)
        ranked = ((other, score / lengths[number] / lengths[other]) for other, score in scores.items())
        yield nlargest(_NEAREST, ranked, key=lambda row: (row[1], -row[0]))


def _index_of(words: Sequence[frozenset[str]], counts: Mapping[str, int]) -> Mapping[str, Sequence[int]]:
    """Return the numbers of the texts with each word that a few of them share."""
    index: dict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(words):
        for word in own:
            if 1 < counts[word] <= _MAX_SHARING:
                index[word].append(number)
    return index


def _near_by_vectors(texts: Sequence[str], embedder: Embedder) -> Iterator[tuple[int, int, float]]:
    """Yield the texts with the most similar vectors of each text, with the cosine."""
    rows: Any = embedder.embed(texts)
    for number, row in enumerate(rows):
        scores = rows @ row
        scores[number] = -1.0
        for other in map(int, (-scores).argsort(kind="stable")[:_NEAREST]):
            if scores[other] >= _LEAST_COSINE:
                yield number, other, float(scores[other])
