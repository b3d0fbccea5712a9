"""How long a search takes among 100,000 documents: `python -m tests.benchmarks.search`.

By meaning (256 numbers a document) beside the bare product of numpy in the same run, and by words. The best of several.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from inspector.engine.retrieval import FloatArray, FullTextIndex, VectorIndex

COUNT = 100_000
WIDTH = 256
BEST_OF = 15
LIMIT_MS = 20.0


class OneVector:
    """An embedder that gives the same vector for every text, at no cost."""

    name = "one"
    dimensions = WIDTH

    def __init__(self, vector: FloatArray) -> None:
        self._vector = vector

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return np.tile(self._vector, (len(texts), 1))


def best(work: Callable[[], object]) -> float:
    """Milliseconds."""
    times = []
    for _ in range(BEST_OF):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def main() -> int:
    numbers = np.random.default_rng(13)
    matrix = numbers.standard_normal((COUNT, WIDTH), np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    index: VectorIndex[int] = VectorIndex(OneVector(matrix[7]))
    index.put(dict(enumerate(matrix)))
    assert index.search("x", 25)[0].key == 7
    product, search = best(lambda: matrix @ matrix[7]), best(lambda: index.search("x", 25))
    chance = random.Random(13)
    words = [f"word{number}" for number in range(20_000)]
    texts = {key: " ".join(chance.choices(words, k=40)) for key in range(COUNT)}
    full_text: FullTextIndex[int] = FullTextIndex()
    full_text.hold(texts)
    by_words = best(lambda: full_text.search("word1 word22 word333 word4444", 25))
    print(f"{COUNT:,} documents, the best of {BEST_OF}, in ms")
    print(f"bare product of numpy  {product:6.1f}")
    print(f"search by meaning      {search:6.1f}   {search / product:.1f} times; at most {LIMIT_MS:.0f} wanted")
    print(f"search by words        {by_words:6.1f}")
    return 0 if search < LIMIT_MS or search < 2 * product else 1


if __name__ == "__main__":
    sys.exit(main())
