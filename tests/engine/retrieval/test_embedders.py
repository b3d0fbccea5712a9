"""Vectors of texts: by a model in this process, and by an endpoint on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from inspector.engine.retrieval import (
    Embedder,
    EmbeddingError,
    EndpointEmbedder,
    VectorIndex,
    WordLlamaEmbedder,
    embedder_from_environment,
    from_blob,
    to_blob,
)
from tests.engine.summaries.endpoint import Asked, fails, nobody, says, serving

WORDS = ("ledger", "zeppelin", "harbour")


def count_words(asked: Asked) -> None:
    """A vector for each text: how often it says each of three words."""
    texts = asked.body["input"]
    rows = [
        {"object": "embedding", "index": place, "embedding": [0.1 + text.count(word) for word in WORDS]}
        for place, text in enumerate(texts)
    ]
    answer = {"object": "list", "model": "m", "data": rows[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    says(json.dumps(answer), "application/json")(asked)


@pytest.fixture(scope="module", params=["wordllama", "endpoint"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "wordllama":
        yield WordLlamaEmbedder()
    else:
        with serving(count_words) as endpoint:
            yield EndpointEmbedder("small", endpoint.url, "key")


def test_vectors_have_length_1_and_texts_without_words_none(embedder: Embedder) -> None:
    rows = embedder.embed(["a ledger", "", "a zeppelin over the harbour", " \n"])
    assert rows.shape == (4, embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1, 0], abs=1e-5)
    assert embedder.embed([]).shape[0] == 0


def test_a_vector_does_not_depend_on_what_it_is_asked_with(embedder: Embedder) -> None:
    texts = [f"{word} " * count for count in (1, 40) for word in WORDS] * 50
    rows = embedder.embed(texts)
    assert len(rows) == 300
    for place in (0, 5, 299):
        assert rows[place] == pytest.approx(embedder.embed([texts[place]])[0], abs=1e-5)


def test_a_vector_comes_back_from_a_blob(embedder: Embedder) -> None:
    (row,) = embedder.embed(["a ledger"])
    assert len(to_blob(row)) == 4 * embedder.dimensions
    assert (from_blob(to_blob(row)) == row).all()


def test_what_means_the_same_is_close() -> None:
    index: VectorIndex[int] = VectorIndex(WordLlamaEmbedder())
    index.hold({1: "The invoice must be paid by Friday", 2: "My cat sleeps all day", 3: "It rains in the mountains"})
    assert index.search("When is the bill due?", 1)[0].key == 1


def test_known_vectors_are_searched_without_their_texts() -> None:
    embedder = WordLlamaEmbedder()
    rows = embedder.embed(["the bill is due", "a cat"])
    index: VectorIndex[str] = VectorIndex(embedder)
    index.put({"a": rows[0], "b": rows[1]})
    assert index.search("kitten", 1)[0].key == "b"


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        (fails(401), r"rejected the texts \(HTTP 401\)\."),
        (says('{"data": []}', "application/json"), "returned 0 vectors for 1 texts"),
        (says("no json", "application/json"), "returned no vectors"),
    ],
)
def test_what_an_endpoint_does_wrong_is_a_sentence_without_the_key(behaviour: Any, sentence: str) -> None:
    with serving(behaviour) as endpoint, pytest.raises(EmbeddingError, match=sentence) as error:
        EndpointEmbedder("small", endpoint.url, "a-secret", timeout=5).embed(["text"])
    assert "secret" not in str(error.value)


def test_an_endpoint_that_fails_once_is_asked_again() -> None:
    with serving(fails(503, retry_after="0"), count_words) as endpoint:
        assert EndpointEmbedder("small", endpoint.url, "key").embed(["a ledger"]).shape == (1, 3)
        assert len(endpoint.requests) == 2


def test_an_endpoint_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1 returned no vectors"):
        EndpointEmbedder("small", nobody(), timeout=2).embed(["text"])


def test_the_environment_says_which_embedder() -> None:
    assert isinstance(embedder_from_environment({}), WordLlamaEmbedder)
    assert embedder_from_environment({"INSPECTOR_EMBEDDING_MODEL": "none"}) is None
    embedder = embedder_from_environment({"INSPECTOR_EMBEDDING_MODEL": "small"})
    assert isinstance(embedder, EndpointEmbedder)
    assert embedder.name == "small"


def test_numpy_is_loaded_when_something_is_embedded_and_not_before() -> None:
    script = (
        "import sys, inspector.engine.retrieval as r; i = r.default_index(); i.hold({1: 'a ledger'});"
        " i.search('ledger', 1);"
        " r.VectorIndex; r.WordLlamaEmbedder; print('numpy' in sys.modules, 'wordllama' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "False False\n"


def test_wordllama_asks_no_network_and_leaves_the_log_alone() -> None:
    script = (
        "import logging, socket; from inspector.engine.retrieval import WordLlamaEmbedder\n"
        "def refuse(*_): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "print(WordLlamaEmbedder().embed(['a ledger']).shape, logging.getLogger().handlers, logging.getLogger().level)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("(1, 256) [] 30\n", "")


def test_words_are_weighed() -> None:
    embedder = WordLlamaEmbedder()
    ledger, zeppelin = embedder.embed(["ledger", "zeppelin"])
    mixed = embedder.embed_words({"ledger": 5.0, "zeppelin": 0.5})
    assert np.linalg.norm(mixed) == pytest.approx(1)
    assert mixed @ ledger > 0.9 > mixed @ zeppelin
    assert not embedder.embed_words({}).any()
